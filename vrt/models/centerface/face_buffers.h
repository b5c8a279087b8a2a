// Internal (not installed): where the faces of one frame are, on the device and on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/device/vector_types.h"
#include "vrt/models/centerface/centerface.h"
#include "vrt/models/centerface/face_decoder.h"
#include "vrt/models/common/crop_boxes.h"
#include "vrt/scene/detection.h"

namespace vrt {

/// Room for CenterFace::kMaxFaces, allocated once.
class FaceBuffers {
 public:
  explicit FaceBuffers(const Stream& stream);

  [[nodiscard]] Device device() const noexcept { return device_; }
  /// Where a FaceDecoder writes.
  [[nodiscard]] FaceSpans device_spans();
  /// Enqueues the copies to the host.
  void enqueue_read_back(const Stream& stream);

  /// Contract of CenterFaceResult::detections.
  [[nodiscard]] std::span<const Detection> detections();
  /// Contract of CenterFaceResult::candidate_count.
  [[nodiscard]] std::int32_t candidate_count() const noexcept { return counts_[FaceDecoder::kCandidates]; }
  /// Contracts of CenterFaceResult.
  [[nodiscard]] DeviceSpan<const CropBox> device_boxes() const { return as_crop_boxes(device_boxes_.span()); }
  [[nodiscard]] DeviceSpan<const std::int32_t> device_count() const {
    return device_counts_.span().subspan(FaceDecoder::kFaces, 1);
  }

 private:
  Device device_;
  DeviceBuffer<std::int32_t> device_counts_;
  DeviceBuffer<kernels::float4> device_boxes_;
  DeviceBuffer<float> device_scores_;
  DeviceBuffer<kernels::float2> device_landmarks_;
  PinnedBuffer<std::int32_t> counts_;
  PinnedBuffer<kernels::float4> boxes_;
  PinnedBuffer<float> scores_;
  PinnedBuffer<kernels::float2> landmarks_;
  // The host's view, assembled by each look. Both vectors are as long as they can get.
  std::vector<Detection> detections_;
  std::vector<Keypoint> keypoints_;
};

}  // namespace vrt
