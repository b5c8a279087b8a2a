#include "vrt/models/rfdetr/rfdetr_decoder.h"

#include <cmath>
#include <limits>

namespace vrt {
namespace {

// The logit whose sigmoid is the score; infinities for 0 and 1.
float logit_of(float score) { return static_cast<float>(std::log(double{score} / (1.0 - double{score}))); }

}  // namespace

RfDetrDecoder::RfDetrDecoder(const Stream& stream, const RfDetrFormat& format, const RfDetrOptions& options)
    : columns_(format.columns),
      pairs_(format.queries * format.columns),
      most_(options.max_detections),
      background_column_(format.background_column),
      least_logit_(logit_of(options.score_threshold)),
      selection_(stream, {.items = pairs_, .classes = 1, .limit = most_}),
      collection_(stream) {}

void RfDetrDecoder::submit(DeviceSpan<const float> boxes, DeviceSpan<const float> logits, const ResizeMapping& mapping,
                           DetectionBuffers& objects) {
  selection_.submit(logits,
                    {.items = pairs_,
                     .classes = 1,
                     .item_stride = 1,
                     .class_stride = 0,
                     .above = least_logit_,
                     .most = std::numeric_limits<float>::infinity(),
                     .period = background_column_ ? columns_ : 0},
                    objects.selection_counts());
  auto layout = box_layout_for(mapping, mapping.target.width, mapping.target.height);
  layout.pairs = columns_;
  layout.box_stride = 4;
  layout.value_stride = 1;
  collection_.submit(selection_.ranked(), objects.selection_counts(), boxes, {}, layout,
                     {.threshold = 1, .max_kept = most_, .class_aware = 0, .logits = 1}, objects.found());
}

}  // namespace vrt
