// The same picture gives the same bits on every device of the machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "vrt/device/graph.h"
#include "vrt/image/preprocessor.h"
#include "vrt/image/test_pictures.h"

namespace vrt {
namespace {

using testing::random_picture;
using testing::TestPicture;

/// A packed copy of a picture in a device's memory.
struct DevicePicture {
  DeviceBuffer<std::uint8_t> bytes;
  ImageView view;

  DevicePicture(const Stream& stream, const TestPicture& picture) {
    std::vector<std::uint8_t> packed;
    for (const auto& plane : picture.planes) packed.insert(packed.end(), plane.begin(), plane.end());
    bytes = DeviceBuffer<std::uint8_t>::uninitialized(stream, packed.size());
    upload_blocking<std::uint8_t>(stream, packed, bytes.span());
    view = ImageView::packed(stream.device(), bytes.span().data(), picture.view.size, picture.view.format,
                             picture.view.color);
  }
};

std::vector<float> preprocess_on(Device device, const TestPicture& picture, const PreprocessOptions& options) {
  const Stream stream(device);
  const DevicePicture copy(stream, picture);
  Preprocessor preprocessor(stream, options);
  const auto pixels = static_cast<std::size_t>(options.target.width) * static_cast<std::size_t>(options.target.height);
  auto output = DeviceBuffer<float>::uninitialized(stream, 3 * pixels);
  fill_bytes(stream, output.span(), 0xFF);
  preprocessor.submit(copy.view, output.span());
  return read_back_blocking(stream, output.span());
}

std::vector<float> crop_on(Device device, const TestPicture& picture, const PreprocessOptions& options,
                           const std::vector<CropBox>& boxes) {
  const Stream stream(device);
  const DevicePicture copy(stream, picture);
  Preprocessor preprocessor(stream, options);
  auto device_boxes = DeviceBuffer<CropBox>::uninitialized(stream, boxes.size());
  auto count = DeviceBuffer<std::int32_t>::uninitialized(stream, 1);
  upload_blocking<CropBox>(stream, boxes, device_boxes.span());
  upload_blocking<std::int32_t>(stream, std::vector{static_cast<std::int32_t>(boxes.size())}, count.span());
  const auto pixels = static_cast<std::size_t>(options.target.width) * static_cast<std::size_t>(options.target.height);
  auto output = DeviceBuffer<float>::uninitialized(stream, boxes.size() * 3 * pixels);
  preprocessor.submit_crops(copy.view, device_boxes.span(), count.span(), output.span());
  return read_back_blocking(stream, output.span());
}

class PreprocessDevicesTest : public ::testing::TestWithParam<std::tuple<Device, PixelFormat>> {};

TEST_P(PreprocessDevicesTest, GivesTheBitsOfTheCpu) {
  const auto [device, format] = GetParam();
  for (const Size size : {Size{1, 1}, Size{7, 5}, Size{176, 144}, Size{1281, 719}}) {
    const TestPicture picture = random_picture(size, format, 7, {YuvMatrix::kBt601, YuvRange::kFull});
    for (const ResizeMode mode : {ResizeMode::kStretch, ResizeMode::kLetterbox, ResizeMode::kCrop}) {
      for (const Interpolation interpolation : {Interpolation::kBilinear, Interpolation::kBilinearAntialiased}) {
        PreprocessOptions options{.target = {97, 64}, .mode = mode, .interpolation = interpolation};
        options.mean = {0.485F, 0.456F, 0.406F};
        options.standard_deviation = {0.229F, 0.224F, 0.225F};
        EXPECT_EQ(preprocess_on(device, picture, options), preprocess_on(Device::cpu(), picture, options))
            << size.width << 'x' << size.height << " mode " << static_cast<int>(mode) << " interpolation "
            << static_cast<int>(interpolation);
      }
    }
  }
}

TEST_P(PreprocessDevicesTest, CropsHaveTheBitsOfTheCpu) {
  const auto [device, format] = GetParam();
  const std::vector<CropBox> boxes{{10, 20, 300, 200}, {-50.5F, -20, 100, 90.25F}, {600, 400, 900, 700},
                                   {5, 5, 5, 5},       {0, 0, 641, 479},           {2000, 2000, 2100, 2100}};
  for (const Size size : {Size{641, 479}, Size{640, 480}}) {
    const TestPicture picture = random_picture(size, format, 9);
    for (const Interpolation interpolation : {Interpolation::kBilinear, Interpolation::kBilinearAntialiased}) {
      const PreprocessOptions options{.target = {64, 130}, .interpolation = interpolation};
      EXPECT_EQ(crop_on(device, picture, options, boxes), crop_on(Device::cpu(), picture, options, boxes));
    }
  }
}

// Enough output for threads of more rows than those of one picture.
TEST_P(PreprocessDevicesTest, ManyPicturesHaveTheBitsOfEachAlone) {
  const auto [device, format] = GetParam();
  constexpr std::int32_t kCount = 8;
  constexpr Size kSize{98, 76};
  const PreprocessOptions options{.target = {640, 640}};
  constexpr std::size_t kFloats = std::size_t{3} * 640 * 640;
  const TestPicture picture = random_picture(kSize, format, 5);
  const Stream stream(device);
  std::vector<std::uint8_t> bytes;
  for (std::int32_t i = 0; i < kCount; ++i) {
    for (const auto& plane : picture.planes) bytes.insert(bytes.end(), plane.begin(), plane.end());
  }
  auto copy = DeviceBuffer<std::uint8_t>::uninitialized(stream, bytes.size());
  upload_blocking<std::uint8_t>(stream, bytes, copy.span());
  Preprocessor preprocessor(stream, options);
  auto output = DeviceBuffer<float>::uninitialized(stream, kCount * kFloats);
  preprocessor.submit_batch(
      ImageBatch::packed(device, std::as_const(copy).span().data(), kCount, kSize, format, picture.view.color),
      output.span());
  const std::vector<float> found = read_back_blocking(stream, output.span());
  const std::vector<float> expected = preprocess_on(device, picture, options);
  for (std::size_t i = 0; i < kCount; ++i)
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found.begin() + static_cast<std::ptrdiff_t>(i * kFloats)));
}

TEST_P(PreprocessDevicesTest, ACapturedLaunchTakesPicturesOfOtherFormats) {
  const auto [device, format] = GetParam();
  const PreprocessOptions options{.target = {97, 64}};
  const Stream stream(device);
  Preprocessor preprocessor(stream, options);
  auto output = DeviceBuffer<float>::uninitialized(stream, std::size_t{3} * 97 * 64);
  const DevicePicture captured(stream, random_picture({176, 144}, format, 3));
  GraphNode node;
  Graph graph = Graph::capture(stream, [&] {
    preprocessor.submit(captured.view, output.span());
    if (Graph::is_capturing(stream)) node = Graph::last_node(stream);
  });
  for (const PixelFormat other : testing::all_formats()) {
    const TestPicture picture = random_picture({178, 140}, other, 4);
    const DevicePicture copy(stream, picture);
    preprocessor.update(graph, node, copy.view, output.span());
    graph.launch(stream);
    EXPECT_EQ(read_back_blocking(stream, output.span()), preprocess_on(device, picture, options)) << to_string(other);
  }
}

TEST_P(PreprocessDevicesTest, RowsAndPicturesThatBeginAnywhereHaveTheBitsOfTheCpu) {
  const auto [device, format] = GetParam();
  constexpr std::int32_t kCount = 3;
  constexpr std::size_t kOffset = 1;  // Neither the pictures nor their rows begin at a word.
  const Size size{333, 91};
  const Stream stream(device);
  const Stream host_stream(Device::cpu());
  std::vector<std::uint8_t> bytes(kOffset);
  for (std::uint32_t seed = 0; seed < kCount; ++seed) {
    for (const auto& plane : random_picture(size, format, seed).planes)
      bytes.insert(bytes.end(), plane.begin(), plane.end());
  }
  auto copy = DeviceBuffer<std::uint8_t>::uninitialized(stream, bytes.size());
  upload_blocking<std::uint8_t>(stream, bytes, copy.span());
  for (const Interpolation interpolation : {Interpolation::kBilinear, Interpolation::kBilinearAntialiased}) {
    const PreprocessOptions options{.target = {97, 64}, .interpolation = interpolation};
    const auto submit_on = [&](const Stream& on, const std::uint8_t* data) {
      Preprocessor preprocessor(on, options);
      auto output = DeviceBuffer<float>::uninitialized(on, std::size_t{kCount} * 3 * 97 * 64);
      preprocessor.submit_batch(ImageBatch::packed(on.device(), data + kOffset, kCount, size, format), output.span());
      return read_back_blocking(on, output.span());
    };
    EXPECT_EQ(submit_on(stream, copy.span().data()), submit_on(host_stream, bytes.data()));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, PreprocessDevicesTest,
                         ::testing::Combine(::testing::ValuesIn(Device::all()),
                                            ::testing::ValuesIn(testing::all_formats())),
                         [](const auto& tested) {
                           const Device device = std::get<0>(tested.param);
                           return (device.is_cpu() ? "cpu" : "cuda" + std::to_string(device.ordinal())) + "_" +
                                  std::string(to_string(std::get<1>(tested.param)));
                         });

}  // namespace
}  // namespace vrt
