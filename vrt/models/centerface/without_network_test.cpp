#include "vrt/models/centerface/without_network.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "vrt/device/counters.h"
#include "vrt/device/graph.h"
#include "vrt/models/testing/device_data.h"

namespace vrt {
namespace {

class WithoutNetworkTest : public ::testing::TestWithParam<Device> {
 protected:
  [[nodiscard]] static ImageView picture_of(const DeviceBuffer<std::uint8_t>& pixels, Size size, Device device) {
    return ImageView::packed(device, pixels.span().data(), size, PixelFormat::kI420);
  }
  Stream stream_{GetParam()};
};

TEST_P(WithoutNetworkTest, FindsThePlantedFacesInEveryPictureInsideIt) {
  for (const Size size : {Size{640, 480}, Size{1920, 1080}, Size{176, 144}, Size{1080, 1920}}) {
    CenterFaceWithoutNetwork work(stream_, CenterFace::input_size_for(size));
    auto pixels = DeviceBuffer<std::uint8_t>::zeros(stream_, packed_bytes(size, PixelFormat::kI420));
    work.submit(picture_of(pixels, size, GetParam()));
    stream_.synchronize();
    const auto faces = work.detections();
    ASSERT_EQ(faces.size(), std::size_t{CenterFaceWithoutNetwork::kPlantedFaces}) << size.width;
    for (std::size_t i = 0; i < faces.size(); ++i) {
      EXPECT_NEAR(faces[i].score, 0.95 - 0.01 * static_cast<double>(i), 1e-6);
      EXPECT_LT(faces[i].box.x1, faces[i].box.x2);
      EXPECT_GE(faces[i].box.x1, 0);
      EXPECT_LE(faces[i].box.y2, static_cast<float>(size.height));
    }
  }
}

TEST_P(WithoutNetworkTest, AFrameAllocatesNothingAndGivesTheSameFromAGraph) {
  const Size size{320, 240};
  CenterFaceWithoutNetwork work(stream_, CenterFace::input_size_for(size));
  auto pixels = DeviceBuffer<std::uint8_t>::zeros(stream_, packed_bytes(size, PixelFormat::kI420));
  const ImageView picture = picture_of(pixels, size, GetParam());
  const DeviceCounters before = counters(GetParam());
  work.submit(picture);
  stream_.synchronize();
  const DeviceCounters frame = counters(GetParam()) - before;
  EXPECT_EQ(frame.device_allocations + frame.pinned_allocations + frame.blocking_copies, 0U);
  EXPECT_EQ(frame.waits, 1U);
  const auto score = work.detections()[0].score;
  const Graph graph = Graph::capture(stream_, [&] { work.submit(picture); });
  graph.launch(stream_);
  stream_.synchronize();
  EXPECT_EQ(work.detections().size(), std::size_t{CenterFaceWithoutNetwork::kPlantedFaces});
  EXPECT_EQ(work.detections()[0].score, score);
}

INSTANTIATE_TEST_SUITE_P(Devices, WithoutNetworkTest, ::testing::ValuesIn(Device::all()), testing::device_name);

}  // namespace
}  // namespace vrt
