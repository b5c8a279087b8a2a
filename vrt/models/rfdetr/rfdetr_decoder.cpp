#include "vrt/models/rfdetr/rfdetr_decoder.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace vrt {
namespace {

// Orders floats as integers, and back.
std::int32_t rank_of(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  return bits >= 0 ? bits : std::numeric_limits<std::int32_t>::min() - bits;
}
float ranked(std::int32_t rank) {
  return std::bit_cast<float>(rank >= 0 ? rank : std::numeric_limits<std::int32_t>::min() - rank);
}

// As the kernels give scores.
float sigmoid(float logit) { return 1.0F / (1.0F + std::exp(-logit)); }

// The greatest logit whose score, rounded to float32, is not above `score`: logits near each other have equal scores, so that the
// inverse of the sigmoid would let some pass whose score is the threshold itself.
float last_logit_not_above(float score) {
  std::int32_t low = rank_of(-std::numeric_limits<float>::infinity());
  std::int32_t high = rank_of(std::numeric_limits<float>::infinity());
  if (sigmoid(ranked(high)) <= score) return ranked(high);
  while (std::int64_t{high} - low > 1) {
    const auto middle = static_cast<std::int32_t>((std::int64_t{low} + high) >> 1);
    (sigmoid(ranked(middle)) <= score ? low : high) = middle;
  }
  return ranked(low);
}

}  // namespace

RfDetrDecoder::RfDetrDecoder(const Stream& stream, const RfDetrFormat& format, const RfDetrOptions& options)
    : columns_(format.columns),
      pairs_(format.queries * format.columns),
      most_(options.max_detections),
      background_column_(format.background_column),
      last_logit_below_(last_logit_not_above(options.score_threshold)) {
  if (FewObjects::can_find(pairs_, most_)) {
    few_.emplace(stream);
  } else {
    selection_.emplace(stream, SelectionExtent{.items = pairs_, .classes = 1, .limit = most_});
    collection_.emplace(stream);
  }
}

void RfDetrDecoder::submit(DeviceSpan<const float> boxes, DeviceSpan<const float> logits, const ResizeMapping& mapping,
                           DetectionBuffers& objects) {
  auto layout = box_layout_for(mapping, mapping.target.width, mapping.target.height);
  if (few_) {
    return few_->submit(logits, boxes, {pairs_, columns_, last_logit_below_, background_column_ ? 1 : 0, most_}, layout,
                        objects.selection_counts(), objects.found());
  }
  selection_->submit(logits,
                     {.items = pairs_,
                      .classes = 1,
                      .item_stride = 1,
                      .class_stride = 0,
                      .above = last_logit_below_,
                      .most = std::numeric_limits<float>::infinity(),
                      .period = background_column_ ? columns_ : 0},
                     objects.selection_counts());
  layout.pairs = columns_;
  layout.box_stride = 4;
  layout.value_stride = 1;
  collection_->submit(selection_->ranked(), objects.selection_counts(), boxes, {}, layout,
                      {.threshold = 1, .max_kept = most_, .class_aware = 0, .logits = 1}, objects.found());
}

}  // namespace vrt
