#include "vrt/models/centerface/face_decoder.h"

#include "vrt/models/centerface/centerface_collect_cu.h"
#include "vrt/models/centerface/centerface_decode_cu.h"

namespace vrt {
namespace {

std::int32_t cell_count(Size grid) { return grid.width * grid.height; }

}  // namespace

FaceDecoder::FaceDecoder(const Stream& stream, Size grid, const CenterFaceOptions& options)
    : stream_(stream),
      grid_(grid),
      score_threshold_(options.score_threshold),
      ranking_(stream, cell_count(grid)),
      suppression_(stream, {options.nms_threshold, CenterFace::kMaxFaces}),
      boxes_(DeviceBuffer<kernels::float4>::uninitialized(stream, CenterFace::kMaxCandidates)),
      collect_(KernelModule::load(stream.device(), kernels::centerface_collect_cu).get<Collect>("centerface_collect")),
      decode_boxes_(KernelModule::load(stream.device(), kernels::centerface_decode_cu)
                        .get<DecodeBoxes>("centerface_decode_boxes")),
      gather_(KernelModule::load(stream.device(), kernels::centerface_decode_cu).get<Gather>("centerface_gather")) {}

FaceDecoder::Geometry FaceDecoder::geometry_for(const ResizeMapping& mapping) const {
  const double scale_x = mapping.scale_x();
  const double scale_y = mapping.scale_y();
  return {.columns = grid_.width,
          .cells = cell_count(grid_),
          .scale_x = static_cast<float>(scale_x),
          .scale_y = static_cast<float>(scale_y),
          .shift_x = static_cast<float>(mapping.used.x - mapping.filled.x * scale_x),
          .shift_y = static_cast<float>(mapping.used.y - mapping.filled.y * scale_y),
          .source_width = static_cast<float>(mapping.source.width),
          .source_height = static_cast<float>(mapping.source.height)};
}

void FaceDecoder::submit(const CenterFaceOutputs& outputs, const ResizeMapping& mapping, const FaceSpans& faces) {
  const Geometry geometry = geometry_for(mapping);
  const auto candidates = faces.counts.subspan(kCandidates, 1);
  const auto ranked = faces.counts.subspan(kRanked, 1);
  const auto kept = faces.counts.subspan(kFaces, 1);

  fill_bytes(stream_, candidates, 0);
  collect_.launch(stream_, grid_1d(outputs.heatmap.size()), outputs.heatmap, geometry.cells, score_threshold_,
                  ranking_.keys(), candidates);
  ranking_.submit(candidates, ranked);
  decode_boxes_.launch(stream_, grid_1d(boxes_.size()), ranking_.ranked(), ranked, outputs.scale, outputs.offset,
                       geometry, boxes_.span());
  suppression_.submit(boxes_.span(), {}, ranked, kept);
  gather_.launch(stream_, grid_1d(faces.scores.size()), suppression_.kept(), kept, ranking_.ranked(), boxes_.span(),
                 outputs.heatmap, outputs.scale, outputs.offset, outputs.landmarks, geometry, faces.boxes, faces.scores,
                 faces.landmarks);
}

}  // namespace vrt
