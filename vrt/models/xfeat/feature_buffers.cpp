#include "vrt/models/xfeat/feature_buffers.h"

#include "vrt/base/fail.h"
#include "vrt/device/format_device.h"

namespace vrt {
namespace {

constexpr std::size_t kChannels = XFeat::kChannels;

}  // namespace

FeatureBuffers::FeatureBuffers(const Stream& stream, std::int32_t max_keypoints, const FeatureResultOptions& options)
    : device_(stream.device()),
      device_counts_(DeviceBuffer<std::int32_t>::zeros(stream, FeatureDecoder::kCounts)),
      device_keypoints_(DeviceBuffer<float>::zeros(stream, 3 * static_cast<std::size_t>(max_keypoints))),
      descriptors_(stream, kChannels * static_cast<std::size_t>(max_keypoints),
                   options.read_back ? ReadBack::kWanted : ReadBack::kNone),
      counts_(device_, FeatureDecoder::kCounts),
      keypoints_(device_, device_keypoints_.size()),
      points_(static_cast<std::size_t>(max_keypoints)) {}

FeatureSpans FeatureBuffers::device_spans() {
  return {device_counts_.span(), device_keypoints_.span(), descriptors_.span()};
}

void FeatureBuffers::enqueue_read_back(const Stream& stream) {
  read_back(stream, device_counts_.span(), counts_.span());
  read_back(stream, device_keypoints_.span(), keypoints_.span());
  descriptors_.enqueue_read_back(stream);
}

std::span<const Keypoint> FeatureBuffers::keypoints() {
  // On each call: a replayed graph writes new results without any call that could be noticed here.
  for (std::size_t i = 0; i < count(); ++i) {
    points_[i] = {keypoints_[3 * i], keypoints_[3 * i + 1], keypoints_[3 * i + 2]};
  }
  return std::span<const Keypoint>(points_).first(count());
}

DescriptorSet FeatureBuffers::descriptors() const {
  return {descriptors_.span(), device_counts_.span().subspan(FeatureDecoder::kKeypoints, 1)};
}

std::span<const float> FeatureBuffers::host_descriptors() const {
  require(descriptors_.is_read_back(),
          "these descriptors stay on {}: allocate the result with read_back to see them on the host", device_);
  return descriptors_.host().first(count() * kChannels);
}

}  // namespace vrt
