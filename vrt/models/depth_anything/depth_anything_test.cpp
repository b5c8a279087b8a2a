#include "vrt/models/depth_anything/depth_anything.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/device/allocation_count.h"
#include "vrt/device/counters.h"
#include "vrt/models/testing/device_data.h"
#include "vrt/models/testing/onnx_graph.h"

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

class DepthAnythingTest : public ::testing::TestWithParam<Device> {
 protected:
  [[nodiscard]] Engine open(const std::string& network) const {
    return Engine::open(folder_.write("depth.onnx", network), GetParam());
  }
  // Left half 200, right half 255 (of red).
  [[nodiscard]] DeviceBuffer<std::uint8_t> picture(Size size) const {
    std::vector<std::uint8_t> pixels(packed_bytes(size, PixelFormat::kRgb8));
    for (std::size_t i = 0; i < pixels.size() / 3; ++i) {
      pixels[3 * i] = static_cast<int>(i) % size.width < size.width / 2 ? 200 : 255;
    }
    return testing::to_device(stream_, pixels);
  }
  [[nodiscard]] ImageView view(const DeviceBuffer<std::uint8_t>& pixels, Size size) const {
    return ImageView::packed(GetParam(), pixels.span().data(), size, PixelFormat::kRgb8);
  }
  static float normalised(int red) { return (static_cast<float>(red) / 255.0F - 0.485F) / 0.229F; }

  static constexpr Size kInput{42, 28};
  testing::ScopedFolder folder_;
  Stream stream_{GetParam()};
};

TEST_P(DepthAnythingTest, GivesTheDepthAtTheNetworksSizeAndAtThePictures) {
  for (const bool channels : {false, true}) {
    DepthAnything depth(open(seeing_network(kInput, channels)), stream_);
    const auto pixels = picture({84, 56});
    DepthResult own = depth.allocate_result({.read_back = true});
    DepthResult source = depth.allocate_result({.size = {84, 56}, .read_back = true, .colors = true});
    depth.submit(view(pixels, {84, 56}), own);
    depth.submit(view(pixels, {84, 56}), source);
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
  const auto pixels = testing::to_device(stream_, std::vector<std::uint8_t>(3));  // 1×1, black: below zero.
  depth.submit(view(pixels, {1, 1}), result);
  stream_.synchronize();
  const RelativeDepthMapView map = result.nearness();
  ASSERT_EQ(map.nearness.size(), 42U * 28);
  for (const float value : map.nearness) EXPECT_NEAR(value, normalised(0), 1e-5);
  static_assert(!std::is_convertible_v<RelativeDepthMapView, DepthMapView>);
}

TEST_P(DepthAnythingTest, AFrameCostsOneWaitAndNothingElse) {
  DepthAnything depth(open(seeing_network(kInput, true)), stream_);
  DepthResult result = depth.allocate_result({.size = {101, 67}, .read_back = true, .colors = true});
  const auto pixels = picture({101, 67});
  const auto frame = [&] {
    depth.submit(view(pixels, {101, 67}), result);
    stream_.synchronize();
    (void)result.metres();
  };
  frame();
  const DeviceCounters before = counters(GetParam());
  const std::uint64_t allocations = test::allocation_count();
  frame();
  const std::uint64_t allocated = test::allocation_count() - allocations;
#ifndef VRT_EAGER_CPU_STREAM  // An eager stream runs the network, which may allocate, in the submitting thread.
  EXPECT_EQ(allocated, 0U);
#else
  (void)allocated;
#endif
  const DeviceCounters spent = counters(GetParam()) - before;
  EXPECT_EQ(spent.waits, 1U);
  EXPECT_EQ(spent.blocking_copies + spent.device_allocations + spent.pinned_allocations, 0U);
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

// The devices that an engine runs on.
INSTANTIATE_TEST_SUITE_P(Devices, DepthAnythingTest, ::testing::Values(Device::cpu()), testing::device_name);

}  // namespace
}  // namespace vrt
