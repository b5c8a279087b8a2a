#include "vrt/models/centerface/face_buffers.h"

#include <cmath>

namespace vrt {
namespace {

constexpr std::size_t kFaces = CenterFace::kMaxFaces;
constexpr std::size_t kPoints = kFaces * CenterFace::kLandmarks;

}  // namespace

FaceBuffers::FaceBuffers(const Stream& stream)
    : device_(stream.device()),
      device_counts_(DeviceBuffer<std::int32_t>::zeros(stream, FaceDecoder::kCounts)),
      device_boxes_(DeviceBuffer<kernels::float4>::zeros(stream, kFaces)),
      device_scores_(DeviceBuffer<float>::zeros(stream, kFaces)),
      device_landmarks_(DeviceBuffer<kernels::float2>::zeros(stream, kPoints)),
      counts_(device_, FaceDecoder::kCounts),
      boxes_(device_, kFaces),
      scores_(device_, kFaces),
      landmarks_(device_, kPoints),
      detections_(kFaces),
      keypoints_(kPoints) {}

FaceSpans FaceBuffers::device_spans() {
  return {device_counts_.span(), device_boxes_.span(), device_scores_.span(), device_landmarks_.span()};
}

void FaceBuffers::enqueue_read_back(const Stream& stream) {
  read_back(stream, device_counts_.span(), counts_.span());
  read_back(stream, device_boxes_.span(), boxes_.span());
  read_back(stream, device_scores_.span(), scores_.span());
  read_back(stream, device_landmarks_.span(), landmarks_.span());
}

std::span<const Detection> FaceBuffers::detections() {
  // On each call: a replayed graph writes new results without any call that could be noticed here.
  const auto count = static_cast<std::size_t>(counts_[FaceDecoder::kFaces]);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * CenterFace::kLandmarks;
    for (std::size_t p = first; p < first + CenterFace::kLandmarks; ++p) {
      const kernels::float2& at = landmarks_[p];
      keypoints_[p] = std::isfinite(at.x) && std::isfinite(at.y) ? Keypoint{at.x, at.y, 1} : Keypoint{0, 0, 0};
    }
    const kernels::float4& box = boxes_[i];
    detections_[i] = {.box = {box.x, box.y, box.z, box.w},
                      .score = scores_[i],
                      .class_id = 0,
                      .label = "face",
                      .keypoints = std::span(keypoints_).subspan(first, CenterFace::kLandmarks)};
  }
  return std::span<const Detection>(detections_).first(count);
}

}  // namespace vrt
