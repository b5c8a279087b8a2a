#include "vrt/models/common/detection_buffers.h"

#include <utility>

namespace vrt {
namespace {

constexpr std::size_t kPointValues = 3;

}  // namespace

DetectionBuffers::DetectionBuffers(const Stream& stream, std::int32_t most, std::int32_t keypoints,
                                   std::shared_ptr<const ClassNames> names)
    : device_(stream.device()),
      points_(static_cast<std::size_t>(keypoints)),
      names_(std::move(names)),
      counts_(DeviceBuffer<std::int32_t>::zeros(stream, kCounts)),
      host_counts_(device_, kCounts),
      detections_(static_cast<std::size_t>(most)),
      views_(static_cast<std::size_t>(most) * points_) {
  const auto room = static_cast<std::size_t>(most);
  boxes_ = DeviceBuffer<kernels::float4>::zeros(stream, room);
  scores_ = DeviceBuffer<float>::zeros(stream, room);
  classes_ = DeviceBuffer<std::int32_t>::zeros(stream, room);
  indices_ = DeviceBuffer<std::int32_t>::zeros(stream, room);
  host_boxes_ = PinnedBuffer<kernels::float4>(device_, room);
  host_scores_ = PinnedBuffer<float>(device_, room);
  host_classes_ = PinnedBuffer<std::int32_t>(device_, room);
  if (points_ == 0) return;
  keypoints_ = DeviceBuffer<float>::zeros(stream, room * points_ * kPointValues);
  host_keypoints_ = PinnedBuffer<float>(device_, room * points_ * kPointValues);
}

FoundSpans DetectionBuffers::found() {
  return {boxes_.span(), scores_.span(), classes_.span(), indices_.span(), counts_.span().subspan(kFound, 1)};
}

void DetectionBuffers::enqueue_read_back(const Stream& stream) {
  read_back(stream, counts_.span(), host_counts_.span());
  read_back(stream, boxes_.span(), host_boxes_.span());
  read_back(stream, scores_.span(), host_scores_.span());
  read_back(stream, classes_.span(), host_classes_.span());
  if (points_ != 0) read_back(stream, keypoints_.span(), host_keypoints_.span());
}

std::span<const Detection> DetectionBuffers::detections() {
  // On each call: a replayed graph writes new results without any call that could be noticed here.
  const std::size_t count = found_count();
  for (std::size_t i = 0; i < count * points_; ++i) {
    const float* point = host_keypoints_.data() + i * kPointValues;
    views_[i] = {point[0], point[1], point[2]};
  }
  for (std::size_t i = 0; i < count; ++i) {
    const kernels::float4& box = host_boxes_[i];
    detections_[i] = {.box = {box.x, box.y, box.z, box.w},
                      .score = host_scores_[i],
                      .class_id = host_classes_[i],
                      .label = (*names_)[host_classes_[i]],
                      .keypoints = std::span(views_).subspan(i * points_, points_)};
  }
  return std::span<const Detection>(detections_).first(count);
}

}  // namespace vrt
