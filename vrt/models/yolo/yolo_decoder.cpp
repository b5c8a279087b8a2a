#include "vrt/models/yolo/yolo_decoder.h"

#include <algorithm>
#include <cfloat>

#include "vrt/models/yolo/yolo_cells_cu.h"
#include "vrt/models/yolo/yolo_mask_logits_cu.h"
#include "vrt/models/yolo/yolo_points_cu.h"
#include "vrt/models/yolo/yolo_rows_cu.h"

namespace vrt {
namespace {

constexpr int kBoxValues = 4;

DeviceBuffer<float> mask_planes(const Stream& stream, const YoloFormat& format, const YoloOptions& options) {
  if (format.task != YoloTask::kSegment) return {};
  const Size size = format.prototype_size;
  return DeviceBuffer<float>::uninitialized(stream, static_cast<std::size_t>(options.max_detections) *
                                                        static_cast<std::size_t>(size.width) *
                                                        static_cast<std::size_t>(size.height));
}

}  // namespace

YoloDecoder::YoloDecoder(const Stream& stream, const YoloFormat& format, const YoloOptions& options)
    : stream_(stream),
      format_(format),
      options_(options),
      suppression_(stream),
      upsampler_(stream),
      mask_logits_(mask_planes(stream, format, options)),
      score_cells_(KernelModule::load(stream.device(), kernels::yolo_cells_cu).get<ScoreCells>("yolo_score_cells")),
      take_rows_(KernelModule::load(stream.device(), kernels::yolo_rows_cu).get<TakeRows>("yolo_take_rows")),
      gather_points_(
          KernelModule::load(stream.device(), kernels::yolo_points_cu).get<GatherPoints>("yolo_gather_points")),
      combine_masks_(
          KernelModule::load(stream.device(), kernels::yolo_mask_logits_cu).get<CombineMasks>("yolo_mask_logits")) {
  if (!end_to_end())
    selection_.emplace(stream, SelectionExtent{format.items, in_planes() ? format.classes : 1, format.items});
  if (!format.has_objectness()) return;
  const auto cells = static_cast<std::size_t>(format.items);
  cell_scores_ = DeviceBuffer<float>::uninitialized(stream, cells);
  cell_classes_ = DeviceBuffer<std::int32_t>::zeros(stream, cells);
  cell_boxes_ = DeviceBuffer<kernels::float4>::zeros(stream, cells);
}

void YoloDecoder::submit(const YoloOutputs& outputs, const ResizeMapping& mapping, DetectionBuffers& objects,
                         InstanceMasks& masks) {
  if (end_to_end()) {
    take_rows(outputs.objects, mapping, objects);
  } else if (format_.has_objectness()) {
    select_scored_cells(outputs.objects, mapping, objects);
  } else {
    select_cells(outputs.objects, mapping, objects);
  }
  if (format_.keypoints > 0) gather_points(outputs.objects, mapping, objects);
  if (masks.wanted()) make_masks(outputs, mapping, objects.found(), masks);
}

void YoloDecoder::select_cells(DeviceSpan<const float> values, const ResizeMapping& mapping,
                               DetectionBuffers& objects) {
  const auto cells = static_cast<std::size_t>(format_.items);
  select(values.subspan(kBoxValues * cells, static_cast<std::size_t>(format_.classes) * cells), format_.classes,
         objects);
  auto layout = box_layout_for(mapping);
  layout.box_stride = item_stride();
  layout.value_stride = value_stride();
  suppress(values, selection_->classes(), layout, objects);
}

void YoloDecoder::select_scored_cells(DeviceSpan<const float> values, const ResizeMapping& mapping,
                                      DetectionBuffers& objects) {
  score_cells_.launch(stream_, grid_1d(static_cast<std::uint64_t>(format_.items)), values,
                      kernels::yolo_cells::YoloCells{.cells = format_.items,
                                                     .values = format_.values(),
                                                     .classes = format_.classes,
                                                     .above = options_.score_threshold,
                                                     .raw = format_.layout == YoloLayout::kYolox ? 1 : 0,
                                                     .input_width = mapping.target.width,
                                                     .input_height = mapping.target.height},
                      cell_scores_.span(), cell_classes_.span(), cell_boxes_.span());
  select(cell_scores_.span(), 1, objects);
  auto layout = box_layout_for(mapping);
  layout.box_stride = kBoxValues;
  layout.value_stride = 1;
  const auto boxes = DeviceSpan<const float>::from_raw(reinterpret_cast<const float*>(cell_boxes_.span().data()),
                                                       kBoxValues * cell_boxes_.size());
  suppress(boxes, cell_classes_.span(), layout, objects);
}

void YoloDecoder::select(DeviceSpan<const float> scores, std::int32_t classes, DetectionBuffers& objects) {
  selection_->submit(scores,
                     {.items = format_.items,
                      .classes = classes,
                      .item_stride = 1,
                      .class_stride = format_.items,
                      .above = options_.score_threshold,
                      .most = FLT_MAX,
                      .period = 0},
                     objects.selection_counts());
}

void YoloDecoder::suppress(DeviceSpan<const float> boxes, DeviceSpan<const std::int32_t> classes,
                           const kernels::suppress_ranked::BoxLayout& layout, DetectionBuffers& objects) const {
  suppression_.submit(selection_->ranked(), objects.selection_counts(), boxes, classes, layout,
                      {.threshold = options_.nms_threshold,
                       .max_kept = options_.max_detections,
                       .class_aware = options_.class_agnostic ? 0 : 1,
                       .logits = 0},
                      objects.found());
}

void YoloDecoder::take_rows(DeviceSpan<const float> values, const ResizeMapping& mapping, DetectionBuffers& objects) {
  const auto to_source = box_layout_for(mapping);
  const FoundSpans found = objects.found();
  take_rows_.launch(stream_, grid_1d(static_cast<std::uint64_t>(format_.items)), values,
                    kernels::yolo_rows::YoloRows{.rows = format_.items,
                                                 .values = format_.values(),
                                                 .above = options_.score_threshold,
                                                 .most = options_.max_detections,
                                                 .scale_x = to_source.scale_x,
                                                 .scale_y = to_source.scale_y,
                                                 .shift_x = to_source.shift_x,
                                                 .shift_y = to_source.shift_y,
                                                 .source_width = to_source.source_width,
                                                 .source_height = to_source.source_height},
                    found.boxes, found.scores, found.classes, found.indices, objects.all_counts());
}

void YoloDecoder::gather_points(DeviceSpan<const float> values, const ResizeMapping& mapping,
                                DetectionBuffers& objects) {
  const auto to_source = box_layout_for(mapping);
  const FoundSpans found = objects.found();
  const auto points =
      static_cast<std::uint64_t>(options_.max_detections) * static_cast<std::uint64_t>(format_.keypoints);
  gather_points_.launch(stream_, grid_1d(points), values, found.indices, found.count,
                        kernels::yolo_points::YoloPoints{.points = format_.keypoints,
                                                         .point_values = format_.keypoint_values,
                                                         .first = format_.values() - format_.extra(),
                                                         .item_stride = item_stride(),
                                                         .value_stride = value_stride(),
                                                         .scale_x = to_source.scale_x,
                                                         .scale_y = to_source.scale_y,
                                                         .shift_x = to_source.shift_x,
                                                         .shift_y = to_source.shift_y,
                                                         .source_width = to_source.source_width,
                                                         .source_height = to_source.source_height},
                        objects.keypoints());
}

void YoloDecoder::make_masks(const YoloOutputs& outputs, const ResizeMapping& mapping, const FoundSpans& found,
                             InstanceMasks& masks) {
  const Size grid = format_.prototype_size;
  const double cells_x = double(grid.width) / mapping.target.width;
  const double cells_y = double(grid.height) / mapping.target.height;
  const std::int32_t most = std::min(masks.most(), options_.max_detections);
  LaunchShape shape = grid_1d(static_cast<std::uint64_t>(grid.width) * static_cast<std::uint64_t>(grid.height));
  shape.grid.y = (static_cast<std::uint32_t>(most) + kernels::yolo_mask_logits::kMasksOfThread - 1) /
                 kernels::yolo_mask_logits::kMasksOfThread;
  combine_masks_.launch(
      stream_, shape, outputs.objects, outputs.prototypes, found.indices, found.count, found.boxes,
      kernels::yolo_mask_logits::YoloMaskLayout{.coefficients = format_.coefficients,
                                                .first = format_.values() - format_.extra(),
                                                .item_stride = item_stride(),
                                                .value_stride = value_stride(),
                                                .width = grid.width,
                                                .height = grid.height,
                                                .scale_x = static_cast<float>(cells_x / mapping.scale_x()),
                                                .scale_y = static_cast<float>(cells_y / mapping.scale_y()),
                                                .shift_x = static_cast<float>(mapping.filled.x * cells_x),
                                                .shift_y = static_cast<float>(mapping.filled.y * cells_y)},
      most, mask_logits_.span());
  upsampler_.submit({mask_logits_.span(), grid, {}, found.boxes}, mapping, found.count, masks);
}

}  // namespace vrt
