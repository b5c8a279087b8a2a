// Internal (not installed): YOLO's outputs to objects in source pixels, on the device.
#pragma once

#include <cstdint>
#include <optional>

#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/device/vector_types.h"
#include "vrt/image/resize.h"
#include "vrt/models/common/candidate_selection.h"
#include "vrt/models/common/detection_buffers.h"
#include "vrt/models/common/instance_masks.h"
#include "vrt/models/common/ranked_suppression.h"
#include "vrt/models/yolo/yolo.h"
#include "vrt/models/yolo/yolo_cells_types.h"
#include "vrt/models/yolo/yolo_format.h"
#include "vrt/models/yolo/yolo_mask_logits_types.h"
#include "vrt/models/yolo/yolo_points_types.h"
#include "vrt/models/yolo/yolo_rows_types.h"

namespace vrt {

/// What the network gives for one picture, in device memory.
struct YoloOutputs {
  DeviceSpan<const float> objects;
  DeviceSpan<const float> prototypes;  ///< Empty without masks.
};

/// Scratch and kernels for one stream and one format. The rules, in this order:
///   1. A cell's class is the one with its best finite score, of equal ones the lowest; it is a candidate if that is above the
///      threshold. With objectness, a class's score is the product of the two in float32, and the objectness has to be above the
///      threshold as well.
///   2. Candidates are ranked by score, the lower cell first among equals, all of them.
///   3. From best to worst, a box goes if its intersection over union with one of its class that stays (class-agnostic: with any
///      that stays) exceeds the threshold. Inverted and non-finite boxes go.
///   4. The best max_detections are taken to source pixels and clipped to the picture, with their keypoints. A keypoint
///      of which a number is not finite is (0, 0) with the confidence 0.
/// End-to-end objects are taken in the network's order instead of 1 to 3. Masks: an object's coefficients times the prototypes,
/// blended to the mask's pixels, then cut to its box, then thresholded at 0.
class YoloDecoder {
 public:
  YoloDecoder(const Stream& stream, const YoloFormat& format, const YoloOptions& options);

  /// Enqueues. `mapping` is what preprocessing did to the picture.
  void submit(const YoloOutputs& outputs, const ResizeMapping& mapping, DetectionBuffers& objects,
              InstanceMasks& masks);

 private:
  using ScoreCells = void(DeviceSpan<const float>, kernels::yolo_cells::YoloCells, DeviceSpan<float>,
                          DeviceSpan<std::int32_t>, DeviceSpan<kernels::float4>);
  using TakeRows = void(DeviceSpan<const float>, kernels::yolo_rows::YoloRows, DeviceSpan<kernels::float4>,
                        DeviceSpan<float>, DeviceSpan<std::int32_t>, DeviceSpan<std::int32_t>,
                        DeviceSpan<std::int32_t>);
  using GatherPoints = void(DeviceSpan<const float>, DeviceSpan<const std::int32_t>, DeviceSpan<const std::int32_t>,
                            kernels::yolo_points::YoloPoints, DeviceSpan<float>);
  using CombineMasks = void(DeviceSpan<const float>, DeviceSpan<const float>, DeviceSpan<const std::int32_t>,
                            DeviceSpan<const std::int32_t>, DeviceSpan<const kernels::float4>,
                            kernels::yolo_mask_logits::YoloMaskLayout, std::int32_t, DeviceSpan<float>);

  [[nodiscard]] bool end_to_end() const noexcept { return format_.layout == YoloLayout::kEndToEnd; }
  [[nodiscard]] bool in_planes() const noexcept { return format_.layout == YoloLayout::kPlanes; }
  /// Floats from a cell's value to the next cell's, and to the same cell's next value.
  [[nodiscard]] std::int32_t item_stride() const noexcept { return in_planes() ? 1 : format_.values(); }
  [[nodiscard]] std::int32_t value_stride() const noexcept { return in_planes() ? format_.items : 1; }

  void take_rows(DeviceSpan<const float> values, const ResizeMapping& mapping, DetectionBuffers& objects);
  void select_cells(DeviceSpan<const float> values, const ResizeMapping& mapping, DetectionBuffers& objects);
  void select_scored_cells(DeviceSpan<const float> values, const ResizeMapping& mapping, DetectionBuffers& objects);
  void select(DeviceSpan<const float> scores, std::int32_t classes, DetectionBuffers& objects);
  void suppress(DeviceSpan<const float> boxes, DeviceSpan<const std::int32_t> classes,
                const kernels::suppress_ranked::BoxLayout& layout, DetectionBuffers& objects) const;
  void gather_points(DeviceSpan<const float> values, const ResizeMapping& mapping, DetectionBuffers& objects);
  void make_masks(const YoloOutputs& outputs, const ResizeMapping& mapping, const FoundSpans& found,
                  InstanceMasks& masks);

  Stream stream_;
  YoloFormat format_;
  YoloOptions options_;
  // Of each cell, where there is objectness; of those that do not count, only the score is written.
  DeviceBuffer<float> cell_scores_;
  DeviceBuffer<std::int32_t> cell_classes_;
  DeviceBuffer<kernels::float4> cell_boxes_;
  std::optional<CandidateSelection> selection_;
  RankedSuppression suppression_;
  MaskUpsampler upsampler_;
  DeviceBuffer<float> mask_logits_;  ///< A plane for each object that may get a mask.
  Kernel<ScoreCells> score_cells_;
  Kernel<TakeRows> take_rows_;
  Kernel<GatherPoints> gather_points_;
  Kernel<CombineMasks> combine_masks_;
};

}  // namespace vrt
