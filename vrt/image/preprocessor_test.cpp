#include "vrt/image/preprocessor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/device/counters.h"
#include "vrt/device/graph.h"
#include "vrt/image/test_pictures.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::HasSubstr;
using testing::random_picture;
using testing::TestPicture;

constexpr Interpolation kFilters[] = {Interpolation::kBilinear, Interpolation::kBilinearAntialiased};

template <typename Call>
std::string refusal(const Call& call) {
  const Error error = error_of(call);
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  return error.what();
}

TEST(PreprocessorTest, TheSameSizeChangesNothing) {
  const TestPicture picture = random_picture({67, 41}, PixelFormat::kRgb8, 1);
  for (const Interpolation filter : kFilters) {
    for (const ResizeMode mode : {ResizeMode::kStretch, ResizeMode::kLetterbox, ResizeMode::kCrop}) {
      const std::vector<float> found = testing::preprocess(picture.view, {.target = {67, 41},
                                                                          .mode = mode,
                                                                          .interpolation = filter,
                                                                          .layout = TensorLayout::kInterleaved,
                                                                          .scale = 1});
      EXPECT_EQ(found, std::vector<float>(picture.planes[0].begin(), picture.planes[0].end()));
    }
  }
}

TEST(PreprocessorTest, LetterboxPadsWithTheNormalisedValue) {
  const TestPicture picture = random_picture({200, 100}, PixelFormat::kGray8, 1);
  const PreprocessOptions options{.target = {50, 40},
                                  .mode = ResizeMode::kLetterbox,
                                  .pad_value = 128,
                                  .mean = {0.5F, 0.25F, 0},
                                  .standard_deviation = {0.5F, 0.5F, 1}};
  const std::vector<float> found = testing::preprocess(picture.view, options);
  const float expected[] = {(128 / 255.0F - 0.5F) / 0.5F, (128 / 255.0F - 0.25F) / 0.5F, 128 / 255.0F};
  for (std::size_t channel = 0; channel < 3; ++channel) {
    for (std::size_t row = 0; row < 40; ++row) {
      const bool is_padding = row < 7 || row >= 32;  // 25 rows of picture, 15 of padding, 7 of them above.
      for (std::size_t column = 0; column < 50 && is_padding; ++column) {
        ASSERT_NEAR(found[(channel * 40 + row) * 50 + column], expected[channel], 1e-6);
      }
    }
  }
}

TEST(PreprocessorTest, ReturnsTheMappingItUsed) {
  const Stream stream(Device::cpu());
  Preprocessor preprocessor(stream, {.target = {64, 64}, .mode = ResizeMode::kLetterbox});
  const TestPicture picture = random_picture({100, 37}, PixelFormat::kNv12, 1);
  auto output = DeviceBuffer<float>::uninitialized(stream, 3 * 64 * 64);
  const ResizeMapping mapping = preprocessor.submit(picture.view, output.span());
  stream.synchronize();
  EXPECT_EQ(mapping.filled, ResizeMapping::make(ResizeMode::kLetterbox, {100, 37}, {64, 64}).filled);
}

TEST(PreprocessorTest, PlanarAndInterleavedHoldTheSameValues) {
  const TestPicture picture = random_picture({90, 50}, PixelFormat::kYuyv, 1);
  for (const Interpolation filter : kFilters) {
    PreprocessOptions options{.target = {31, 23}, .interpolation = filter};
    const std::vector<float> planar = testing::preprocess(picture.view, options);
    options.layout = TensorLayout::kInterleaved;
    options.order = ChannelOrder::kBgr;
    const std::vector<float> interleaved = testing::preprocess(picture.view, options);
    for (std::size_t i = 0; i < 31 * 23; ++i) {
      for (std::size_t channel = 0; channel < 3; ++channel) {
        ASSERT_EQ(planar[channel * 31 * 23 + i], interleaved[3 * i + 2 - channel]);
      }
    }
  }
}

TEST(PreprocessorTest, SourcesOfAnyShapeWork) {
  for (const Size source : {Size{1, 1}, Size{20000, 10}, Size{10, 20000}, Size{1, 3000}, Size{3, 1}}) {
    for (const PixelFormat format : testing::all_formats()) {
      const TestPicture picture = random_picture(source, format, 7);
      for (const Interpolation filter : kFilters) {
        const std::vector<float> found = testing::preprocess(
            picture.view, {.target = {37, 29}, .mode = ResizeMode::kLetterbox, .interpolation = filter});
        for (const float value : found) ASSERT_TRUE(value >= 0 && value <= 1.00001F) << value;
      }
    }
  }
}

// --- Crops ----------------------------------------------------------------------------------------------------------

TEST(PreprocessorTest, ABatchIsItsPicturesOneByOne) {
  const Stream stream(Device::cpu());
  constexpr std::int32_t kCount = 3;
  for (const PixelFormat format : testing::all_formats()) {
    const Size size{33, 18};
    std::vector<std::uint8_t> bytes;
    for (std::uint32_t seed = 0; seed < kCount; ++seed) {
      for (const auto& plane : random_picture(size, format, seed).planes)
        bytes.insert(bytes.end(), plane.begin(), plane.end());
    }
    const ImageBatch batch = ImageBatch::packed(Device::cpu(), bytes.data(), kCount, size, format);
    for (const Interpolation filter : kFilters) {
      const PreprocessOptions options{.target = {20, 24}, .mode = ResizeMode::kLetterbox, .interpolation = filter};
      std::vector<float> expected;
      for (std::uint32_t seed = 0; seed < kCount; ++seed) {
        const auto one = testing::preprocess(random_picture(size, format, seed).view, options);
        expected.insert(expected.end(), one.begin(), one.end());
      }
      Preprocessor preprocessor(stream, options);
      auto output = DeviceBuffer<float>::uninitialized(stream, expected.size());
      EXPECT_EQ(preprocessor.submit_batch(batch, output.span()).filled.height, 11);
      EXPECT_EQ(read_back_blocking(stream, output.span()), expected) << to_string(format);
    }
  }
}

TEST(PreprocessorTest, ABatchWhoseSizesWrapIsRefused) {
  const Stream stream(Device::cpu());
  const std::vector<std::uint8_t> bytes(64);
  ImageBatch batch = ImageBatch::packed(Device::cpu(), bytes.data(), 16, {2, 2}, PixelFormat::kGray8);
  // 16 times 3 * 2^60 floats are 3 * 2^64: as a number of 64 bits none, which an empty output has.
  Preprocessor vast(stream, {.target = {1 << 30, 1 << 30}});
  EXPECT_THAT(error_of([&] { vast.submit_batch(batch, {}); }).what(), HasSubstr("more than memory can hold"));
  Preprocessor small(stream, {.target = {2, 2}});
  auto output = DeviceBuffer<float>::uninitialized(stream, 16 * 12);
  batch.stride_bytes[0] = ~std::size_t{0};
  EXPECT_THAT(error_of([&] { small.submit_batch(batch, output.span()); }).what(), HasSubstr("from picture to picture"));
}

TEST(PreprocessorTest, ACropOfTheWholePictureIsTheStretchedPicture) {
  const TestPicture picture = random_picture({80, 60}, PixelFormat::kI420, 2);
  for (const Interpolation filter : kFilters) {
    const PreprocessOptions options{.target = {33, 47}, .interpolation = filter};
    EXPECT_EQ(testing::preprocess_crops(picture.view, options, {{0, 0, 80, 60}}),
              testing::preprocess(picture.view, options));
  }
}

TEST(PreprocessorTest, CropModeIsACropOfTheUsedRegion) {
  const TestPicture picture = random_picture({80, 60}, PixelFormat::kRgb8, 2);
  for (const Interpolation filter : kFilters) {
    const PreprocessOptions options{.target = {20, 20}, .mode = ResizeMode::kCrop, .interpolation = filter};
    EXPECT_EQ(testing::preprocess_crops(picture.view, options, {{10, 0, 70, 60}}),
              testing::preprocess(picture.view, options));
  }
}

TEST(PreprocessorTest, OutsideThePictureTheBorderIsRepeated) {
  const TestPicture picture = random_picture({16, 12}, PixelFormat::kRgb8, 3);
  for (const Interpolation filter : kFilters) {
    const PreprocessOptions options{
        .target = {24, 20}, .interpolation = filter, .layout = TensorLayout::kInterleaved, .scale = 1};
    const std::vector<float> found = testing::preprocess_crops(picture.view, options, {{-4, -4, 20, 16}});
    for (std::int32_t y = 0; y < 20; ++y) {
      for (std::int32_t x = 0; x < 24; ++x) {
        const auto source = static_cast<std::size_t>(std::clamp(y - 4, 0, 11) * 16 + std::clamp(x - 4, 0, 15)) * 3;
        ASSERT_EQ(found[static_cast<std::size_t>(y * 24 + x) * 3], picture.planes[0][source]) << x << ", " << y;
      }
    }
  }
}

// Boxes come from a device kernel: whatever they hold, the result is made of the picture's pixels.
TEST(PreprocessorTest, BoxesWithoutSenseGiveNumbersOfThePicture) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float not_a_number = std::numeric_limits<float>::quiet_NaN();
  const TestPicture picture = random_picture({40, 30}, PixelFormat::kNv12, 3);
  for (const Interpolation filter : kFilters) {
    const std::vector<float> found =
        testing::preprocess_crops(picture.view, {.target = {9, 7}, .interpolation = filter},
                                  {{not_a_number, 0, not_a_number, 10},
                                   {-kInfinity, -1e30F, kInfinity, 1e30F},
                                   {20, 20, 10, 10},
                                   {5, 5, 5, 5},
                                   {1e9F, 1e9F, 2e9F, 2e9F},
                                   {-1e9F, -1e9F, -1e8F, -1e8F}});
    for (const float value : found) ASSERT_TRUE(value >= 0 && value <= 1.00001F) << value;
  }
}

TEST(PreprocessorTest, OnlyAsManyCropsAsTheDeviceCountsAreWritten) {
  const Stream stream(Device::cpu());
  const TestPicture picture = random_picture({40, 30}, PixelFormat::kRgb8, 3);
  const std::vector<CropBox> boxes(4, CropBox{2, 2, 30, 20});
  for (const Interpolation filter : kFilters) {
    for (const std::int32_t valid : {-3, 0, 1, 3, 4, 900}) {
      Preprocessor preprocessor(stream, {.target = {8, 8}, .interpolation = filter});
      auto device_boxes = DeviceBuffer<CropBox>::uninitialized(stream, 4);
      auto count = DeviceBuffer<std::int32_t>::uninitialized(stream, 1);
      auto output = DeviceBuffer<float>::uninitialized(stream, 4 * 192);
      upload_blocking<CropBox>(stream, boxes, device_boxes.span());
      upload_blocking<std::int32_t>(stream, std::vector{valid}, count.span());
      upload_blocking<float>(stream, std::vector<float>(4 * 192, -5.0F), output.span());
      preprocessor.submit_crops(picture.view, device_boxes.span(), count.span(), output.span());
      const std::vector<float> found = read_back_blocking(stream, output.span());
      for (std::int32_t crop = 0; crop < 4; ++crop) {
        EXPECT_EQ(found[static_cast<std::size_t>(crop) * 192] == -5.0F, crop >= valid) << crop << " of " << valid;
        EXPECT_EQ(found[static_cast<std::size_t>(crop) * 192 + 191] == -5.0F, crop >= valid) << crop << " of " << valid;
      }
    }
  }
}

TEST(PreprocessorTest, NoCropsIsNoWork) {
  const Stream stream(Device::cpu());
  Preprocessor preprocessor(stream, {.target = {8, 8}});
  const TestPicture picture = random_picture({4, 4}, PixelFormat::kRgb8, 3);
  const auto count = DeviceBuffer<std::int32_t>::zeros(stream, 1);
  const DeviceCounters before = counters(stream.device());
  preprocessor.submit_crops(picture.view, {}, count.span(), {});
  EXPECT_EQ((counters(stream.device()) - before).launches, 0U);
}

// --- Contract -------------------------------------------------------------------------------------------------------

TEST(PreprocessorTest, SubmitIsOneLaunchAndNothingElse) {
  const Stream stream(Device::cpu());
  const TestPicture picture = random_picture({320, 200}, PixelFormat::kNv12, 3);
  for (const Interpolation filter : kFilters) {
    Preprocessor preprocessor(stream, {.target = {64, 48}, .interpolation = filter});
    auto output = DeviceBuffer<float>::uninitialized(stream, 3 * 64 * 48);
    const DeviceCounters before = counters(stream.device());
    preprocessor.submit(picture.view, output.span());
    DeviceCounters expected;
    expected.launches = 1;
    EXPECT_EQ(counters(stream.device()) - before, expected);
    stream.synchronize();
  }
}

TEST(PreprocessorTest, WrongArgumentsAreRefusedByName) {
  const Stream stream(Device::cpu());
  Preprocessor preprocessor(stream, {.target = {8, 6}});
  auto output = DeviceBuffer<float>::uninitialized(stream, 3 * 8 * 6);
  const TestPicture picture = random_picture({10, 10}, PixelFormat::kRgb8, 3);

  ImageView elsewhere = picture.view;
  elsewhere.device = Device::cuda(1);
  EXPECT_THAT(refusal([&] { preprocessor.submit(elsewhere, output.span()); }), HasSubstr("cuda:1"));
  ImageView narrow = picture.view;
  narrow.planes[0].pitch_bytes = 29;
  EXPECT_THAT(refusal([&] { preprocessor.submit(narrow, output.span()); }), HasSubstr("pitch of 29 bytes"));
  EXPECT_THAT(refusal([&] { preprocessor.submit(picture.view, output.span().subspan(1, 143)); }),
              HasSubstr("output of 143 floats"));
  const auto boxes = DeviceBuffer<CropBox>::zeros(stream, 2);
  const auto counts = DeviceBuffer<std::int32_t>::zeros(stream, 2);
  EXPECT_THAT(refusal([&] {
                preprocessor.submit_crops(picture.view, boxes.span(), counts.span().subspan(0, 1), output.span());
              }),
              HasSubstr("288 expected"));
  auto both = DeviceBuffer<float>::uninitialized(stream, 2 * 144);
  EXPECT_THAT(refusal([&] { preprocessor.submit_crops(picture.view, boxes.span(), counts.span(), both.span()); }),
              HasSubstr("one element"));
}

TEST(PreprocessorTest, MoreRowsThanAWindowMayHaveAreRefused) {
  const Stream stream(Device::cpu());
  auto output = DeviceBuffer<float>::uninitialized(stream, 3);
  auto boxes = DeviceBuffer<CropBox>::zeros(stream, 1);
  auto count = DeviceBuffer<std::int32_t>::zeros(stream, 1);
  const TestPicture tall = random_picture({1, 32'769}, PixelFormat::kGray8, 1);
  const TestPicture less_tall = random_picture({1, 32'768}, PixelFormat::kGray8, 1);
  const PreprocessOptions options{
      .target = {1, 1}, .mode = ResizeMode::kStretch, .interpolation = Interpolation::kBilinearAntialiased};
  Preprocessor preprocessor(stream, options);
  EXPECT_THAT(refusal([&] { preprocessor.submit(tall.view, output.span()); }), HasSubstr("32769 rows"));
  EXPECT_THAT(refusal([&] { preprocessor.submit_crops(less_tall.view, boxes.span(), count.span(), output.span()); }),
              HasSubstr("98304 rows"));
  EXPECT_NO_THROW(preprocessor.submit(less_tall.view, output.span()));
  stream.synchronize();
}

TEST(PreprocessorTest, ACapturedLaunchTakesAPictureOfAnotherFormat) {
  const Stream stream(Device::cpu());
  const TestPicture bytes = random_picture({40, 30}, PixelFormat::kRgb8, 1);
  auto memory = DeviceBuffer<std::uint8_t>::uninitialized(stream, bytes.planes[0].size());
  upload_blocking<std::uint8_t>(stream, bytes.planes[0], memory.span());
  const ImageView rgb = ImageView::packed(Device::cpu(), memory.span().data(), {40, 30}, PixelFormat::kRgb8);
  const ImageView nv12 = ImageView::packed(Device::cpu(), memory.span().data(), {40, 30}, PixelFormat::kNv12);
  auto output = DeviceBuffer<float>::uninitialized(stream, std::size_t{3} * 16 * 8);
  for (const Interpolation filter : kFilters) {
    const PreprocessOptions options{.target = {16, 8}, .interpolation = filter};
    Preprocessor preprocessor(stream, options);
    Graph graph = Graph::capture(stream, [&] { preprocessor.submit(rgb, output.span()); });
    preprocessor.update(graph, GraphNode{0}, nv12, output.span());
    graph.launch(stream);
    EXPECT_EQ(read_back_blocking(stream, output.span()), testing::preprocess(nv12, options));
  }
}

TEST(PreprocessorTest, OptionsThatCannotWorkAreRefused) {
  const Stream stream(Device::cpu());
  EXPECT_THAT(refusal([&] { Preprocessor(stream, {.target = {0, 6}}); }), HasSubstr("0x6"));
  EXPECT_THAT(refusal([&] { Preprocessor(stream, {.target = {8, 6}, .standard_deviation = {1, 0, 1}}); }),
              HasSubstr("standard deviation of 0"));
}

TEST(PreprocessorTest, OptionsThatAreNoNumbersAreRefusedByName) {
  const Stream stream(Device::cpu());
  const auto message_of = [&](const PreprocessOptions& options) {
    return refusal([&] { Preprocessor(stream, options); });
  };
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    EXPECT_THAT(message_of({.target = {8, 6}, .scale = value}), HasSubstr("scale"));
    EXPECT_THAT(message_of({.target = {8, 6}, .pad_value = value}), HasSubstr("pad value"));
    EXPECT_THAT(message_of({.target = {8, 6}, .mean = {0, value, 0}}), HasSubstr("mean"));
    EXPECT_THAT(message_of({.target = {8, 6}, .standard_deviation = {1, 1, value}}), HasSubstr("deviation"));
  }
  EXPECT_THAT(message_of({.target = {8, -6}}), HasSubstr("8x-6"));
  EXPECT_THAT(message_of({.target = {8, 6}, .pad_value = 256}), HasSubstr("256"));
}

}  // namespace
}  // namespace vrt
