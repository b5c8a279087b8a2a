#include "vrt/models/centerface/face_buffers.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "vrt/models/testing/device_data.h"

namespace vrt {
namespace {

class FaceBuffersTest : public ::testing::TestWithParam<Device> {
 protected:
  Stream stream_{GetParam()};
};

TEST_P(FaceBuffersTest, LandmarksThatAreNotFiniteAreNotKnown) {
  FaceBuffers faces(stream_);
  const FaceSpans spans = faces.device_spans();
  std::vector<std::int32_t> counts(FaceDecoder::kCounts, 0);
  counts[FaceDecoder::kFaces] = 1;
  upload_blocking<std::int32_t>(stream_, counts, spans.counts);
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<kernels::float2> landmarks{{1, 2}, {kNaN, 4}, {5, kInfinity}, {-kInfinity, kNaN}, {9, 10}};
  upload_blocking<kernels::float2>(stream_, landmarks, spans.landmarks.subspan(0, landmarks.size()));
  faces.enqueue_read_back(stream_);
  stream_.synchronize();
  const auto found = faces.detections();
  ASSERT_EQ(found.size(), 1U);
  const std::vector<Keypoint> expected{{1, 2, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {9, 10, 1}};
  EXPECT_EQ(std::vector(found[0].keypoints.begin(), found[0].keypoints.end()), expected);
}

INSTANTIATE_TEST_SUITE_P(Devices, FaceBuffersTest, ::testing::ValuesIn(Device::all()), testing::device_name);

}  // namespace
}  // namespace vrt
