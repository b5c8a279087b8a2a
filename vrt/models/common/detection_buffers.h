// Internal (not installed): where the objects of one frame are, on the device and on the host. What detectors share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/device/vector_types.h"
#include "vrt/image/preprocessor.h"
#include "vrt/models/common/crop_boxes.h"
#include "vrt/models/common/ranked_suppression.h"
#include "vrt/scene/class_names.h"
#include "vrt/scene/detection.h"

namespace vrt {

/// Room for a fixed number of objects, allocated once.
class DetectionBuffers {
 public:
  /// Positions in `counts`: the first two as CandidateSelection writes them.
  enum Count : std::size_t { kCandidates, kRanked, kFound, kCounts };

  /// `keypoints` are those of each object. The labels are those of `names`, which this keeps.
  DetectionBuffers(const Stream& stream, std::int32_t most, std::int32_t keypoints,
                   std::shared_ptr<const ClassNames> names);

  [[nodiscard]] Device device() const noexcept { return device_; }
  [[nodiscard]] std::size_t most() const noexcept { return detections_.size(); }
  /// Where kernels write: candidates and ranked, found objects, and for each of them its keypoints as x, y, confidence.
  [[nodiscard]] DeviceSpan<std::int32_t> selection_counts() { return counts_.span().subspan(0, kFound); }
  [[nodiscard]] DeviceSpan<std::int32_t> all_counts() { return counts_.span(); }
  [[nodiscard]] FoundSpans found();
  [[nodiscard]] DeviceSpan<float> keypoints() { return keypoints_.span(); }

  /// Enqueues the copies to the host.
  void enqueue_read_back(const Stream& stream);

  /// Contract of YoloResult::detections.
  [[nodiscard]] std::span<const Detection> detections();
  [[nodiscard]] std::int32_t candidate_count() const noexcept { return host_counts_[kCandidates]; }
  /// Contracts of YoloResult.
  [[nodiscard]] DeviceSpan<const CropBox> device_boxes() const { return as_crop_boxes(boxes_.span()); }
  [[nodiscard]] DeviceSpan<const std::int32_t> device_count() const { return counts_.span().subspan(kFound, 1); }
  [[nodiscard]] std::size_t found_count() const noexcept { return static_cast<std::size_t>(host_counts_[kFound]); }

 private:
  Device device_;
  std::size_t points_;
  std::shared_ptr<const ClassNames> names_;
  DeviceBuffer<std::int32_t> counts_;
  DeviceBuffer<kernels::float4> boxes_;
  DeviceBuffer<float> scores_;
  DeviceBuffer<std::int32_t> classes_;
  DeviceBuffer<std::int32_t> indices_;
  DeviceBuffer<float> keypoints_;
  PinnedBuffer<std::int32_t> host_counts_;
  PinnedBuffer<kernels::float4> host_boxes_;
  PinnedBuffer<float> host_scores_;
  PinnedBuffer<std::int32_t> host_classes_;
  PinnedBuffer<float> host_keypoints_;
  // The host's view, assembled by each look. Both vectors are as long as they can get.
  std::vector<Detection> detections_;
  std::vector<Keypoint> views_;
};

}  // namespace vrt
