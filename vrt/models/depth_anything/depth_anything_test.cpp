#include "vrt/models/depth_anything/depth_anything.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/models/testing/onnx_graph.h"
#include "vrt/models/testing/payload_test.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::HasSubstr;

TEST(DepthAnythingOpenEngineTest, RefusesInputsThatAreNotMultiplesOf14) {
  const Error error = error_of([&] { (void)DepthAnything::open_engine("any.onnx", Device::cpu(), {518, 512}); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("518x512"));
  EXPECT_THROW((void)RelativeDepthAnything::open_engine("any.onnx", Device::cpu(), {0, 14}), Error);
}

// A network that takes the red of the picture, as it was normalised, for the depth. `channels`: [1, 1, H, W] instead of [1, H, W].
std::string seeing_network(Size input, bool channels) {
  testing::OnnxGraph graph;
  graph.input("image", {1, 3, input.height, input.width});
  graph.constant("begin", {0});
  graph.constant("end", {1});
  graph.constant("axis", {1});
  graph.node("Slice", {"image", "begin", "end", "axis"}, channels ? "depth" : "red");
  if (!channels) graph.node("Squeeze", {"red", "axis"}, "depth");
  if (channels)
    graph.output("depth", {1, 1, input.height, input.width});
  else
    graph.output("depth", {1, input.height, input.width});
  return graph.bytes();
}

class DepthAnythingTest : public testing::PayloadTest {
 protected:
  // Left half 200, right half 255 (of red).
  [[nodiscard]] testing::TestPicture halves(Size size) const {
    std::vector<std::uint8_t> pixels(packed_bytes(size, PixelFormat::kRgb8));
    for (std::size_t i = 0; i < pixels.size() / 3; ++i) {
      pixels[3 * i] = static_cast<int>(i) % size.width < size.width / 2 ? 200 : 255;
    }
    return picture(size, pixels);
  }
  static float normalised(int red) { return (static_cast<float>(red) / 255.0F - 0.485F) / 0.229F; }

  static constexpr Size kInput{42, 28};
};

TEST_P(DepthAnythingTest, GivesTheDepthAtTheNetworksSizeAndAtThePictures) {
  for (const bool channels : {false, true}) {
    DepthAnything depth(open(seeing_network(kInput, channels)), stream_);
    const testing::TestPicture shown = halves({84, 56});
    DepthResult own = depth.allocate_result({.read_back = true});
    DepthResult source = depth.allocate_result({.size = {84, 56}, .read_back = true, .colors = true});
    depth.submit(shown.view, own);
    depth.submit(shown.view, source);
    stream_.synchronize();
    EXPECT_EQ(own.metres().size, kInput);
    EXPECT_NEAR(depth_at(own.metres(), 3, 5).value(), normalised(200), 1e-5);
    EXPECT_NEAR(depth_at(own.metres(), 40, 27).value(), normalised(255), 1e-5);
    EXPECT_EQ(source.metres().size, (Size{84, 56}));
    EXPECT_NEAR(depth_at(source.metres(), 10, 20).value(), normalised(200), 1e-5);
    EXPECT_EQ(source.picture().size, (Size{84, 56}));
    EXPECT_EQ(source.picture().device, GetParam());
    ASSERT_EQ(source.host_picture().size(), 84U * 56 * 3);
    EXPECT_GT(source.host_picture()[0], source.host_picture()[2]);                    // Near: red.
    EXPECT_LT(source.host_picture()[83 * 3 + 1], source.host_picture()[83 * 3 + 2]);  // Far: blue.
    EXPECT_EQ(own.device_metres().metres.size(), 42U * 28);
  }
}

TEST_P(DepthAnythingTest, RelativeDepthIsAnotherType) {
  RelativeDepthAnything depth(open(seeing_network(kInput, false)), stream_);
  RelativeDepthResult result = depth.allocate_result({.read_back = true});
  const testing::TestPicture black = picture({1, 1});  // Below zero.
  depth.submit(black.view, result);
  stream_.synchronize();
  const RelativeDepthMapView map = result.nearness();
  ASSERT_EQ(map.nearness.size(), 42U * 28);
  for (const float value : map.nearness) EXPECT_NEAR(value, normalised(0), 1e-5);
  static_assert(!std::is_convertible_v<RelativeDepthMapView, DepthMapView>);
}

TEST_P(DepthAnythingTest, AFrameCostsOneWaitAndNothingElse) {
  DepthAnything depth(open(seeing_network(kInput, true)), stream_);
  DepthResult result = depth.allocate_result({.size = {101, 67}, .read_back = true, .colors = true});
  const testing::TestPicture shown = halves({101, 67});
  expect_one_wait_a_frame([&] { depth.submit(shown.view, result); }, [&] { (void)result.metres(); });
}

TEST_P(DepthAnythingTest, OtherNetworksAreRefusedWithWhatWasFound) {
  EXPECT_THAT(error_of([&] { DepthAnything(open(seeing_network({42, 30}, false)), stream_); }).what(),
              HasSubstr("the input is 42x30"));
  testing::OnnxGraph graph;
  graph.input("image", {1, 3, 28, 28});
  graph.node("Relu", {"image"}, "same");
  graph.output("same", {1, 3, 28, 28});
  EXPECT_THAT(error_of([&] { DepthAnything(open(graph.bytes()), stream_); }).what(),
              HasSubstr("found 'same' float32 [1, 3, 28, 28]"));
}

INSTANTIATE_TEST_SUITE_P(Devices, DepthAnythingTest, ::testing::ValuesIn(testing::devices_of_engines()),
                         testing::device_name);

}  // namespace
}  // namespace vrt
