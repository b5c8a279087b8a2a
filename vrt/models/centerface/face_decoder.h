// Internal (not installed): CenterFace's outputs to faces in source pixels, on the device.
#pragma once

#include <cstdint>

#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/device/vector_types.h"
#include "vrt/image/image.h"
#include "vrt/image/resize.h"
#include "vrt/models/centerface/centerface.h"
#include "vrt/models/centerface/centerface_decode_types.h"
#include "vrt/models/common/candidate_ranking.h"
#include "vrt/models/common/non_maximum_suppression.h"

namespace vrt {

/// What the network gives for one picture, in device memory: planes of one value a cell, a cell being 4×4 input pixels.
struct CenterFaceOutputs {
  Size grid;                          ///< Cells: the input's size divided by 4.
  DeviceSpan<const float> heatmap;    ///< 1 plane: score
  DeviceSpan<const float> scale;      ///< 2 planes: log height, log width
  DeviceSpan<const float> offset;     ///< 2 planes: y, x
  DeviceSpan<const float> landmarks;  ///< 10 planes: y, x of five points
};

/// Where faces go, in device memory; room for kMaxFaces.
struct FaceSpans {
  DeviceSpan<std::int32_t> counts;    ///< FaceDecoder::Count
  DeviceSpan<kernels::float4> boxes;  ///< x1, y1, x2, y2
  DeviceSpan<float> scores;
  DeviceSpan<kernels::float2> landmarks;  ///< five for each face
};

/// Scratch and kernels for one stream and one grid. The rules, in this order:
///   1. Candidates are cells with a finite score above the threshold.
///   2. They are ranked by score, the lower cell first among equals; the best kMaxCandidates stay.
///   3. Boxes are taken to source pixels and clipped to the picture; empty and non-finite ones are dropped.
///   4. From best to worst, a box goes if its intersection over union with one that stays exceeds the threshold.
///   5. The best kMaxFaces are the result. Landmarks are not clipped.
class FaceDecoder {
 public:
  /// Positions in FaceSpans::counts.
  enum Count : std::size_t { kCandidates, kRanked, kFaces, kCounts };

  FaceDecoder(const Stream& stream, Size grid, const CenterFaceOptions& options);

  /// Enqueues. `mapping` is what preprocessing did to the picture.
  void submit(const CenterFaceOutputs& outputs, const ResizeMapping& mapping, const FaceSpans& faces);

 private:
  using Geometry = kernels::centerface_decode::CenterFaceGeometry;
  using Collect = void(DeviceSpan<const float>, std::int32_t, float, DeviceSpan<std::uint64_t>,
                       DeviceSpan<std::int32_t>);
  using DecodeBoxes = void(DeviceSpan<const std::uint64_t>, DeviceSpan<const std::int32_t>, DeviceSpan<const float>,
                           DeviceSpan<const float>, Geometry, DeviceSpan<kernels::float4>);
  using Gather = void(DeviceSpan<const std::int32_t>, DeviceSpan<const std::int32_t>, DeviceSpan<const std::uint64_t>,
                      DeviceSpan<const kernels::float4>, DeviceSpan<const float>, DeviceSpan<const float>,
                      DeviceSpan<const float>, DeviceSpan<const float>, Geometry, DeviceSpan<kernels::float4>,
                      DeviceSpan<float>, DeviceSpan<kernels::float2>);

  [[nodiscard]] Geometry geometry_for(const ResizeMapping& mapping) const;

  Stream stream_;
  Size grid_;
  float score_threshold_;
  CandidateRanking ranking_;
  NonMaximumSuppression suppression_;
  DeviceBuffer<kernels::float4> boxes_;  // Of the ranked candidates.
  Kernel<Collect> collect_;
  Kernel<DecodeBoxes> decode_boxes_;
  Kernel<Gather> gather_;
};

}  // namespace vrt
