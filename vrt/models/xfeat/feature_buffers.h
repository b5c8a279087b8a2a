// Internal (not installed): where the features of one picture are, on the device and on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/models/common/result_buffer.h"
#include "vrt/models/xfeat/feature_decoder.h"
#include "vrt/models/xfeat/xfeat.h"

namespace vrt {

/// Room for XFeatOptions::max_keypoints, allocated once.
class FeatureBuffers {
 public:
  FeatureBuffers(const Stream& stream, std::int32_t max_keypoints, const FeatureResultOptions& options);

  [[nodiscard]] Device device() const noexcept { return device_; }
  [[nodiscard]] std::int32_t capacity() const noexcept { return static_cast<std::int32_t>(points_.size()); }
  /// Where a FeatureDecoder writes.
  [[nodiscard]] FeatureSpans device_spans();
  /// Enqueues the copies to the host.
  void enqueue_read_back(const Stream& stream);

  /// Contracts of XFeatResult.
  [[nodiscard]] std::span<const Keypoint> keypoints();
  [[nodiscard]] std::int32_t candidate_count() const noexcept { return counts_[FeatureDecoder::kCandidates]; }
  [[nodiscard]] DescriptorSet descriptors() const;
  [[nodiscard]] std::span<const float> host_descriptors() const;

 private:
  [[nodiscard]] std::size_t count() const noexcept {
    return static_cast<std::size_t>(counts_[FeatureDecoder::kKeypoints]);
  }

  Device device_;
  DeviceBuffer<std::int32_t> device_counts_;
  DeviceBuffer<float> device_keypoints_;
  ResultBuffer<float> descriptors_;
  PinnedBuffer<std::int32_t> counts_;
  PinnedBuffer<float> keypoints_;
  std::vector<Keypoint> points_;  // As long as it can get.
};

}  // namespace vrt
