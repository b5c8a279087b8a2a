// Internal (not installed): RF-DETR's outputs to objects in source pixels, on the device.
#pragma once

#include <cstdint>
#include <optional>

#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/image/resize.h"
#include "vrt/models/common/candidate_selection.h"
#include "vrt/models/common/detection_buffers.h"
#include "vrt/models/common/few_objects.h"
#include "vrt/models/common/ranked_suppression.h"
#include "vrt/models/rfdetr/rfdetr.h"
#include "vrt/models/rfdetr/rfdetr_format.h"

namespace vrt {

/// Scratch and kernels for one stream and one format. The rules, in this order:
///   1. Every pair of a query and a column is a candidate if the sigmoid of its logit is above the threshold; NaN never is, nor
///      is column 0 where it is background.
///   2. Candidates are ranked by their logits, the lower query and then the lower column first among equals; the best
///      max_detections stay.
///   3. Inverted and non-finite boxes go. The others are taken to source pixels and clipped to the picture.
class RfDetrDecoder {
 public:
  RfDetrDecoder(const Stream& stream, const RfDetrFormat& format, const RfDetrOptions& options);

  /// Enqueues. `mapping` is what preprocessing did to the picture. Each object's index is its query.
  void submit(DeviceSpan<const float> boxes, DeviceSpan<const float> logits, const ResizeMapping& mapping,
              DetectionBuffers& objects);

 private:
  std::int32_t columns_;
  std::int32_t pairs_;
  std::int32_t most_;
  bool background_column_;
  float last_logit_below_;
  std::optional<FewObjects> few_;  ///< Where it can find as many; else the other two.
  std::optional<CandidateSelection> selection_;
  std::optional<RankedSuppression> collection_;  ///< At a threshold of 1 it only collects.
};

}  // namespace vrt
