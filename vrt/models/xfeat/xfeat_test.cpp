#include "vrt/models/xfeat/xfeat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/models/testing/onnx_graph.h"
#include "vrt/models/testing/payload_test.h"
#include "vrt/models/xfeat/matcher.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::HasSubstr;

TEST(XFeatInputSizeTest, RoundsDownToMultiplesOf32) {
  EXPECT_EQ(XFeat::input_size_for({640, 480}), (Size{640, 480}));
  EXPECT_EQ(XFeat::input_size_for({1920, 1080}), (Size{1920, 1056}));
  EXPECT_EQ(XFeat::input_size_for({7680, 4320}), (Size{7680, 4320}));
  EXPECT_EQ(XFeat::input_size_for({63, 33}), (Size{32, 32}));
}

TEST(XFeatInputSizeTest, PicturesWithoutAnInputSizeAreRefused) {
  for (const Size size : {Size{1, 1}, Size{31, 480}, Size{640, 31}, Size{0, 0}, Size{-32, 32}}) {
    const Error error = error_of([&] { (void)XFeat::input_size_for(size); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr("multiples of 32"));
  }
}

TEST(XFeatOpenEngineTest, RefusesInputsThatAreNotMultiplesOf32) {
  const Error error = error_of([&] { (void)XFeat::open_engine("any.onnx", Device::cpu(), {640, 470}); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("640x470"));
}

// A network that sees what the picture shows: the heatmap is its green, the reliability its blue, and the descriptor of a cell the 64 values
// of red in it.
std::string seeing_network(Size input, const char* heatmap = "heatmap", const char* reliability = "reliability") {
  testing::OnnxGraph graph;
  graph.input("image", {1, 3, input.height, input.width});
  const auto channel = [&](std::int64_t index, const std::string& name) {
    graph.constant(name + "_begin", {index});
    graph.constant(name + "_end", {index + 1});
    graph.constant(name + "_axis", {1});
    graph.node("Slice", {"image", name + "_begin", name + "_end", name + "_axis"}, name);
  };
  channel(0, "red");
  channel(1, heatmap);
  channel(2, reliability);
  graph.node("SpaceToDepth", {"red"}, "descriptors", {testing::OnnxGraph::integer("blocksize", 8)});
  graph.output(reliability, {1, 1, input.height, input.width});
  graph.output(heatmap, {1, 1, input.height, input.width});
  graph.output("descriptors", {1, 64, input.height / 8, input.width / 8});
  return graph.bytes();
}

class XFeatTest : public testing::PayloadTest {
 protected:
  // Red as `red` says, three keypoints of which the third has the best score.
  [[nodiscard]] testing::TestPicture shown(std::uint8_t red) const {
    std::vector<std::uint8_t> pixels(packed_bytes(kInput, PixelFormat::kRgb8));
    const auto width = static_cast<std::size_t>(kInput.width);
    for (std::size_t i = 0; i < pixels.size() / 3; ++i) {
      pixels[3 * i] = static_cast<std::uint8_t>(red + (i % width) % 8 * 20 + i / width % 8);
    }
    const auto put = [&](std::size_t x, std::size_t y, std::uint8_t heat, std::uint8_t reliability) {
      pixels[3 * (y * width + x) + 1] = heat;
      pixels[3 * (y * width + x) + 2] = reliability;
    };
    put(10, 20, 128, 255);
    put(50, 20, 255, 102);
    put(30, 40, 204, 204);
    put(60, 60, 12, 255);  // Below the threshold: 0.047.
    return picture(kInput, pixels);
  }

  static constexpr Size kInput{96, 64};
};

TEST_P(XFeatTest, FindsWhatThePictureShows) {
  XFeat features(open(seeing_network(kInput)), stream_);
  XFeatResult result = features.allocate_result({.read_back = true});
  EXPECT_TRUE(result.keypoints().empty());
  const testing::TestPicture pixels = shown(40);
  features.submit(pixels.view, result);
  stream_.synchronize();
  EXPECT_EQ(result.candidate_count(), 3);
  ASSERT_EQ(result.keypoints().size(), 3U);
  EXPECT_NEAR(result.keypoints()[0].confidence, 0.8 * 0.8, 1e-6);
  EXPECT_NEAR(result.keypoints()[1].confidence, 128.0 / 255, 1e-6);
  EXPECT_NEAR(result.keypoints()[2].confidence, 0.4, 1e-6);
  EXPECT_EQ(result.keypoints()[0].x, 30.5F);
  EXPECT_EQ(result.keypoints()[0].y, 40.5F);
  EXPECT_EQ(result.keypoints()[2].x, 50.5F);
  ASSERT_EQ(result.host_descriptors().size(), 3U * 64);
  double squares = 0;
  for (const float value : result.host_descriptors().first(64)) squares += value * value;
  EXPECT_NEAR(squares, 1, 1e-5);
  // Every cell shows the same: channel 8 * row + column is 40 + 20 * column + row, all of one length.
  EXPECT_NEAR(result.host_descriptors()[9] / result.host_descriptors()[0], 61.0 / 40, 1e-5);
}

TEST_P(XFeatTest, TheInputIsWhatTheNamesSayInAnyOrder) {
  XFeat features(open(seeing_network(kInput, "keypoints", "reliability_map")), stream_);
  XFeatResult result = features.allocate_result();
  const testing::TestPicture pixels = shown(0);
  features.submit(pixels.view, result);
  stream_.synchronize();
  ASSERT_EQ(result.keypoints().size(), 3U);
  EXPECT_NEAR(result.keypoints()[0].confidence, 0.64, 1e-6);
}

TEST_P(XFeatTest, MatchesGoFromResultsToTheMatcherOnOneStreamWithOneWait) {
  XFeat features(open(seeing_network(kInput)), stream_, {.max_keypoints = 64});
  Matcher matcher(stream_, {.min_similarity = 0.5F, .max_descriptors = 64});
  XFeatResult before = features.allocate_result();
  XFeatResult now = features.allocate_result();
  MatchResult matches = matcher.allocate_result({.read_back = true});
  const testing::TestPicture one = shown(40);
  const testing::TestPicture two = shown(60);
  const auto frame = [&] {
    features.submit(one.view, before);
    features.submit(two.view, now);
    matcher.submit(before.descriptors(), now.descriptors(), matches);
  };
  expect_one_wait_a_frame(frame, [&] { (void)matches.matches(); });
  ASSERT_FALSE(matches.matches().empty());
  for (const Match& match : matches.matches()) EXPECT_GT(match.similarity, 0.9F);
}

TEST_P(XFeatTest, PicturesOfOtherSizesAreStretched) {
  XFeat features(open(seeing_network(kInput)), stream_);
  XFeatResult result = features.allocate_result();
  for (const Size size : {Size{1, 1}, Size{101, 67}, Size{192, 128}}) {
    const testing::TestPicture white = picture(size, 255);
    features.submit(white.view, result);
    stream_.synchronize();
    ASSERT_EQ(result.keypoints().size(), 4096U);  // All 6144 pixels are alike.
    EXPECT_EQ(result.candidate_count(), 96 * 64);
    EXPECT_NEAR(result.keypoints()[0].x, 0.5 * size.width / 96, 1e-4);
    EXPECT_NEAR(result.keypoints()[0].y, 0.5 * size.height / 64, 1e-4);
    EXPECT_EQ(result.keypoints()[0].confidence, 1);
  }
}

TEST_P(XFeatTest, OtherNetworksAreRefusedWithWhatWasFound) {
  testing::OnnxGraph grey;
  grey.input("image", {1, 1, 64, 64});
  grey.node("Relu", {"image"}, "same");
  grey.output("same", {1, 1, 64, 64});
  EXPECT_THAT(error_of([&] { XFeat(open(grey.bytes()), stream_); }).what(),
              HasSubstr("input 'image' is float32 [1, 1, 64, 64]"));
  testing::OnnxGraph same;
  same.input("image", {1, 3, 64, 64});
  same.node("Relu", {"image"}, "same");
  same.output("same", {1, 3, 64, 64});
  EXPECT_THAT(error_of([&] { XFeat(open(same.bytes()), stream_); }).what(),
              HasSubstr("found 'same' float32 [1, 3, 64, 64]"));
  EXPECT_THAT(error_of([&] { XFeat(open(seeing_network({48, 32})), stream_); }).what(), HasSubstr("48x32"));
}

TEST_P(XFeatTest, OptionsAndResultsThatDoNotFitAreRefused) {
  const Engine engine = open(seeing_network(kInput));
  EXPECT_THROW(XFeat(engine, stream_, {.threshold = -0.1F}), Error);
  EXPECT_THROW(XFeat(engine, stream_, {.threshold = std::numeric_limits<float>::quiet_NaN()}), Error);
  EXPECT_THROW(XFeat(engine, stream_, {.max_keypoints = 0}), Error);
  EXPECT_THROW(XFeat(engine, stream_, {.max_keypoints = 8193}), Error);
  XFeat few(engine, stream_, {.max_keypoints = 10});
  XFeat many(engine, stream_, {.max_keypoints = 20});
  XFeatResult result = few.allocate_result();
  const testing::TestPicture pixels = shown(0);
  EXPECT_THAT(error_of([&] { many.submit(pixels.view, result); }).what(), HasSubstr("room for 10 keypoints"));
  EXPECT_THAT(error_of([&] { (void)result.host_descriptors(); }).what(), HasSubstr("read_back"));
}

INSTANTIATE_TEST_SUITE_P(Devices, XFeatTest, ::testing::ValuesIn(testing::devices_of_engines()), testing::device_name);

}  // namespace
}  // namespace vrt
