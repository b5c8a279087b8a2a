#include "vrt/models/osnet/osnet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/device/emulator/emulate.h"
#include "vrt/models/osnet/osnet_embed_cu.h"
#include "vrt/models/osnet/osnet_embed_emulated.h"
#include "vrt/models/testing/device_data.h"
#include "vrt/models/testing/onnx_graph.h"
#include "vrt/models/testing/payload_test.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::HasSubstr;

constexpr std::size_t kChannels = 6;

// A network that gives the least and the greatest value of each channel of each crop: equal where the crop is of one colour.
std::string extremes_network(std::int64_t batch) {
  testing::OnnxGraph graph;
  graph.input("crops", {batch, 3, 256, 128});
  const std::vector<testing::OnnxGraph::Attribute> over_pixels{{"axes", {2, 3}},
                                                               testing::OnnxGraph::integer("keepdims", 0)};
  graph.node("ReduceMin", {"crops"}, "least", over_pixels);
  graph.node("ReduceMax", {"crops"}, "greatest", over_pixels);
  graph.node("Concat", {"least", "greatest"}, "extremes", {testing::OnnxGraph::integer("axis", 1)});
  graph.output("extremes", {batch, kChannels});
  return graph.bytes();
}

class OsNetTest : public testing::PayloadTest {
 protected:
  static constexpr Size kPicture{160, 120};

  [[nodiscard]] Engine open_batch(std::int64_t batch, const EngineOptions& options = {}) const {
    return open(extremes_network(batch), options);
  }
  // Squares of 20×20 pixels, each of its own colour.
  [[nodiscard]] static std::array<int, 3> color_of(int column, int row) {
    return {40 + column * 25, 250 - row * 30, (column * 3 + row * 7) % 8 * 30};
  }
  [[nodiscard]] testing::TestPicture squares() const {
    std::vector<std::uint8_t> pixels(packed_bytes(kPicture, PixelFormat::kRgb8));
    for (int y = 0; y < kPicture.height; ++y) {
      for (int x = 0; x < kPicture.width; ++x) {
        const auto color = color_of(x / 20, y / 20);
        for (std::size_t c = 0; c < 3; ++c) {
          pixels[3 * static_cast<std::size_t>(y * kPicture.width + x) + c] = static_cast<std::uint8_t>(color[c]);
        }
      }
    }
    return picture(kPicture, pixels);
  }
  // Box i lies inside square i, so that its crop is of one colour.
  [[nodiscard]] static Box box_of(int i) {
    const auto x = static_cast<float>(i % 8 * 20);
    const auto y = static_cast<float>(i / 8 * 20);
    return {x + 3, y + 2, x + 17, y + 18};
  }
  static std::array<double, kChannels> embedding_of(int i) {
    constexpr std::array<double, 3> kMean{0.485, 0.456, 0.406};
    constexpr std::array<double, 3> kDeviation{0.229, 0.224, 0.225};
    const auto color = color_of(i % 8, i / 8);
    std::array<double, kChannels> value{};
    double squares = 0;
    for (std::size_t c = 0; c < kChannels; ++c) {
      squares += std::pow(value[c] = (color[c % 3] / 255.0 - kMean[c % 3]) / kDeviation[c % 3], 2);
    }
    for (double& each : value) each /= std::sqrt(squares);
    return value;
  }
  static void expect_embeddings(const EmbeddingResult& result, int count) {
    ASSERT_EQ(result.count(), count);
    ASSERT_EQ(result.embeddings().size(), static_cast<std::size_t>(count) * kChannels);
    for (int i = 0; i < count; ++i) {
      const auto expected = embedding_of(i);
      for (std::size_t c = 0; c < kChannels; ++c) {
        EXPECT_NEAR(result.embeddings()[static_cast<std::size_t>(i) * kChannels + c], expected[c], 1e-5) << "box " << i;
      }
    }
  }
};

TEST_P(OsNetTest, NoneOneABatchAndMoreBoxesAllWork) {
  OsNet osnet(open_batch(4), stream_, {.max_boxes = 20});
  EXPECT_EQ(osnet.channels(), std::int32_t{kChannels});
  EmbeddingResult result = osnet.allocate_result({.read_back = true});
  EXPECT_EQ(result.count(), 0);
  const testing::TestPicture shown = squares();
  for (const int count : {0, 1, 3, 4, 5, 8, 13, 20, 2, 0}) {
    std::vector<Box> boxes;
    for (int i = 0; i < count; ++i) boxes.push_back(box_of(i));
    osnet.submit(shown.view, boxes, result);
    stream_.synchronize();
    expect_embeddings(result, count);
  }
}

TEST_P(OsNetTest, BoxesAndTheirNumberMayBeOnTheDevice) {
  OsNet osnet(open_batch(4), stream_, {.max_boxes = 16});
  EmbeddingResult result = osnet.allocate_result({.read_back = true});
  const testing::TestPicture shown = squares();
  std::vector<CropBox> boxes;
  for (int i = 0; i < 14; ++i) boxes.push_back({box_of(i).x1, box_of(i).y1, box_of(i).x2, box_of(i).y2});
  const auto on_device = testing::to_device(stream_, boxes);
  for (const std::int32_t said : {0, 1, 4, 5, 14, 1000, -3}) {
    const auto count = testing::to_device<std::int32_t>(stream_, {said});
    osnet.submit(shown.view, on_device.span(), count.span(), result);
    stream_.synchronize();
    expect_embeddings(result, std::clamp(said, 0, 14));
  }
}

TEST_P(OsNetTest, ACapturedFrameTakesAnotherPictureAndAnotherNumberOfBoxes) {
  OsNet osnet(open_batch(4), stream_, {.max_boxes = 16});
  EmbeddingResult result = osnet.allocate_result({.read_back = true});
  EXPECT_THAT(error_of([&] { (void)osnet.input_nodes(); }).what(), HasSubstr("captured"));
  const testing::TestPicture black = picture(kPicture);
  std::vector<CropBox> boxes;
  for (int i = 0; i < 14; ++i) boxes.push_back({box_of(i).x1, box_of(i).y1, box_of(i).x2, box_of(i).y2});
  const auto on_device = testing::to_device(stream_, boxes);
  auto count = testing::to_device<std::int32_t>(stream_, {14});
  const auto readable = [](const auto& buffer) { return buffer.span(); };
  Graph graph = Graph::capture(
      stream_, [&] { osnet.submit(black.view, readable(on_device), std::as_const(count).span(), result); });
  const std::vector<GraphNode> inputs = osnet.input_nodes();
  EXPECT_EQ(inputs.size(), 4U) << "14 boxes, four at a time";
  const testing::TestPicture shown = squares();
  osnet.update(graph, inputs, shown.view, readable(on_device));
  for (const std::int32_t said : {14, 5}) {
    const auto next = testing::to_device<std::int32_t>(stream_, {said});
    copy(stream_, next.span(), count.span());
    graph.launch(stream_);
    stream_.synchronize();
    expect_embeddings(result, said);
  }
  EXPECT_THROW(osnet.update(graph, std::span(inputs).first(3), shown.view, readable(on_device)), Error);
}

TEST_P(OsNetTest, AChangingBatchRunsAsManyAsThereAre) {
  OsNet osnet(open_batch(-1, {.batch = {.smallest = 2, .typical = 4, .largest = 5}}), stream_, {.max_boxes = 20});
  EmbeddingResult result = osnet.allocate_result({.read_back = true});
  const testing::TestPicture shown = squares();
  for (const int count : {0, 1, 2, 5, 6, 12}) {
    std::vector<Box> boxes;
    for (int i = 0; i < count; ++i) boxes.push_back(box_of(i));
    osnet.submit(shown.view, boxes, result);
    stream_.synchronize();
    expect_embeddings(result, count);
  }
}

TEST_P(OsNetTest, BoxesThatStickOutRepeatTheBorder) {
  OsNet osnet(open_batch(2), stream_);
  EmbeddingResult result = osnet.allocate_result({.read_back = true});
  const testing::TestPicture shown = squares();
  // Beyond the upper left corner: the colour of its square. Then a box of no size inside square 9.
  osnet.submit(shown.view, std::vector<Box>{{-40, -60, -2, -5}, {28, 30, 28, 30}}, result);
  stream_.synchronize();
  ASSERT_EQ(result.count(), 2);
  for (std::size_t c = 0; c < kChannels; ++c) {
    EXPECT_NEAR(result.embeddings()[c], embedding_of(0)[c], 1e-5);
    EXPECT_NEAR(result.embeddings()[kChannels + c], embedding_of(9)[c], 1e-5);
  }
}

TEST_P(OsNetTest, APictureOfOnePixelIsThatColourAllOver) {
  OsNet osnet(open_batch(2), stream_);
  EmbeddingResult result = osnet.allocate_result({.read_back = true});
  const auto color = color_of(3, 1);
  const testing::TestPicture one = picture(
      {1, 1}, std::vector<std::uint8_t>{std::uint8_t(color[0]), std::uint8_t(color[1]), std::uint8_t(color[2])});
  osnet.submit(one.view, std::vector<Box>{{0, 0, 1, 1}, {-3, 0.25F, 7, 0.5F}}, result);
  stream_.synchronize();
  ASSERT_EQ(result.count(), 2);
  for (std::size_t i = 0; i < 2 * kChannels; ++i) {
    EXPECT_NEAR(result.embeddings()[i], embedding_of(11)[i % kChannels], 1e-5) << i;
  }
}

TEST_P(OsNetTest, BoxesAtTheEndsOfAPictureOfEightThousandPixels) {
  constexpr Size kVast{7680, 4320};
  std::vector<std::uint8_t> pixels(packed_bytes(kVast, PixelFormat::kRgb8));
  std::vector<Box> boxes;
  for (int i = 0; i < 4; ++i) {  // 20x20 pixels in each corner, in squares that are a little larger.
    const int left = i % 2 == 0 ? 0 : kVast.width - 20;
    const int top = i < 2 ? 0 : kVast.height - 20;
    const auto color = color_of(i, 0);
    for (int y = std::max(top - 5, 0); y < std::min(top + 25, kVast.height); ++y) {
      for (int x = std::max(left - 5, 0); x < std::min(left + 25, kVast.width); ++x) {
        const std::size_t at = 3 * (static_cast<std::size_t>(y) * 7680 + static_cast<std::size_t>(x));
        for (std::size_t c = 0; c < 3; ++c) pixels[at + c] = static_cast<std::uint8_t>(color[c]);
      }
    }
    boxes.push_back({float(left), float(top), float(left + 20), float(top + 20)});
  }
  OsNet osnet(open_batch(4), stream_);
  EmbeddingResult result = osnet.allocate_result({.read_back = true});
  const testing::TestPicture vast = picture(kVast, pixels);
  osnet.submit(vast.view, boxes, result);
  stream_.synchronize();
  expect_embeddings(result, 4);
}

TEST_P(OsNetTest, HowManyBoxesARunHasChangesNoEmbedding) {
  const testing::TestPicture shown = squares();
  std::vector<Box> boxes;
  for (int i = 0; i < 7; ++i) boxes.push_back({float(5 * i), float(3 * i), float(60 + 9 * i), float(50 + 7 * i)});
  std::vector<float> expected;
  for (const auto& engine : {open_batch(1), open_batch(4), open_batch(-1, {.batch = {.largest = 5}}),
                             open_batch(-1, {.batch = {.smallest = 2, .typical = 3, .largest = 16}})}) {
    OsNet osnet(engine, stream_, {.max_boxes = 7});
    EmbeddingResult result = osnet.allocate_result({.read_back = true});
    osnet.submit(shown.view, boxes, result);
    stream_.synchronize();
    const std::vector<float> found(result.embeddings().begin(), result.embeddings().end());
    if (expected.empty()) expected = found;  // One box a run.
    ASSERT_EQ(found.size(), 7 * kChannels);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i], GetParam().is_cpu() ? 0 : 1e-5) << "value " << i;
    }
  }
}

TEST_P(OsNetTest, WhatIsNotFiniteBecomesZeros) {
  // The network divides by what is least in the crop: 0 where it has a black pixel.
  testing::OnnxGraph graph;
  graph.input("crops", {2, 3, 256, 128});
  graph.constant("dark", {1, 3, 1, 1}, {-2, -2, -1.7F});  // A little above black.
  graph.node("ReduceMin", {"crops"}, "least", {{"axes", {2, 3}}});
  graph.node("Sub", {"least", "dark"}, "light");
  graph.node("Relu", {"light"}, "positive");
  graph.node("Sign", {"positive"}, "lit");
  graph.constant("one", {1, 1, 1, 1}, {1});
  graph.node("Div", {"one", "lit"}, "quotient");
  graph.constant("axes", {2, 3});
  graph.node("Squeeze", {"quotient", "axes"}, "embeddings");
  graph.output("embeddings", {2, 3});
  OsNet osnet(open(graph.bytes()), stream_);
  EmbeddingResult result = osnet.allocate_result({.read_back = true});
  const testing::TestPicture black = picture(kPicture);
  const testing::TestPicture bright = picture(kPicture, 200);
  for (const bool lit : {false, true}) {
    osnet.submit(lit ? bright.view : black.view, std::vector<Box>{{0, 0, 30, 30}}, result);
    stream_.synchronize();
    ASSERT_EQ(result.embeddings().size(), 3U);
    for (const float value : result.embeddings()) EXPECT_NEAR(value, lit ? 1 / std::sqrt(3.0) : 0, 1e-6);
  }
}

TEST_P(OsNetTest, AFrameCostsOneWaitAndNothingElse) {
  OsNet osnet(open_batch(4), stream_);
  EmbeddingResult result = osnet.allocate_result({.read_back = true});
  const testing::TestPicture shown = squares();
  std::vector<Box> boxes;
  for (int i = 0; i < 11; ++i) boxes.push_back(box_of(i));
  expect_one_wait_a_frame([&] { osnet.submit(shown.view, boxes, result); }, [&] { (void)result.embeddings(); });
}

TEST_P(OsNetTest, WhatDoesNotFitIsRefused) {
  OsNet osnet(open_batch(4), stream_, {.max_boxes = 5});
  EmbeddingResult result = osnet.allocate_result();
  const testing::TestPicture shown = squares();
  EXPECT_THAT(error_of([&] { osnet.submit(shown.view, std::vector<Box>(6), result); }).what(), HasSubstr("6 boxes"));
  EXPECT_THAT(error_of([&] { (void)result.embeddings(); }).what(), HasSubstr("read_back"));
  EXPECT_THROW(OsNet(open_batch(4), stream_, {.max_boxes = 0}), Error);
  EXPECT_THROW((void)OsNet::open_engine("any.onnx", GetParam(), 0), Error);
  OsNet greater(open_batch(4), stream_, {.max_boxes = 6});
  EXPECT_THAT(error_of([&] { greater.submit(shown.view, std::vector<Box>(1), result); }).what(),
              HasSubstr("room for 5 embeddings"));
  testing::OnnxGraph graph;
  graph.input("crops", {4, 3, 128, 256});
  graph.node("Relu", {"crops"}, "same");
  graph.output("same", {4, 3, 128, 256});
  EXPECT_THAT(error_of([&] { OsNet(open(graph.bytes()), stream_); }).what(),
              HasSubstr("'crops' float32 [4, 3, 128, 256]"));
}

INSTANTIATE_TEST_SUITE_P(Devices, OsNetTest, ::testing::ValuesIn(testing::devices_of_engines()), testing::device_name);

class OsNetEmbedTest : public ::testing::TestWithParam<Device> {};

TEST_P(OsNetEmbedTest, RowsHaveLengthOneAndTheSameBitsEverywhere) {
  using Embed = void(DeviceSpan<const float>, DeviceSpan<const std::int32_t>, std::int32_t, DeviceSpan<float>);
  const Stream stream(GetParam());
  for (const std::size_t channels : {1, 31, 512}) {
    std::mt19937 random(static_cast<std::uint32_t>(channels));
    std::vector<float> values(8 * channels);
    for (float& value : values) value = std::normal_distribution<float>(0, 30)(random);
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(2 * channels), channels, 0.0F);
    values[3 * channels + channels / 2] = std::numeric_limits<float>::quiet_NaN();
    values[4 * channels] = -std::numeric_limits<float>::infinity();
    values[5 * channels + channels - 1] = 1e30F;  // Its square is not finite.
    const GuardedBuffer<float> features(values);
    const GuardedBuffer<std::int32_t> count(std::vector<std::int32_t>{7});
    GuardedBuffer<float> emulated(7 * channels);
    emulate<Embed>(kernels::emulated::osnet_embed_cu, "osnet_embed", grid_1d(8 * 32, 64), {}, features.device(),
                   count.device(), static_cast<std::int32_t>(channels), emulated.device());
    const auto device_features = testing::to_device(stream, values);
    const auto device_count = testing::to_device<std::int32_t>(stream, {7});
    auto embeddings = DeviceBuffer<float>::zeros(stream, 7 * channels);
    KernelModule::load(stream.device(), kernels::osnet_embed_cu)
        .get<Embed>("osnet_embed")
        .launch(stream, grid_1d(8 * 32, 64), device_features.span(), device_count.span(),
                static_cast<std::int32_t>(channels), embeddings.span());
    const auto found = read_back_blocking(stream, embeddings.span());
    EXPECT_EQ(found, emulated.values());
    for (std::size_t row = 0; row < 7; ++row) {
      double squares = 0;
      for (std::size_t c = 0; c < channels; ++c) squares += std::pow(double{values[row * channels + c]}, 2);
      for (std::size_t c = 0; c < channels; ++c) {
        EXPECT_NEAR(found[row * channels + c],
                    row >= 2 && row <= 5 ? 0 : values[row * channels + c] / std::sqrt(squares), 1e-6);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, OsNetEmbedTest, ::testing::ValuesIn(Device::all()), testing::device_name);

}  // namespace
}  // namespace vrt
