// Internal (not installed): greedy non-maximum suppression of any number of ranked boxes, on the device.
//
//   suppression.submit(selection.ranked(), counts, boxes, selection.classes(), layout, rule, found);
#pragma once

#include <cstdint>

#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/device/vector_types.h"
#include "vrt/image/resize.h"
#include "vrt/models/common/suppress_ranked_types.h"

namespace vrt {

/// Where found objects go, in device memory: room for as many as are asked for, and one count.
struct FoundSpans {
  DeviceSpan<kernels::float4> boxes;  ///< x1, y1, x2, y2 in source pixels, clipped to the picture
  DeviceSpan<float> scores;
  DeviceSpan<std::int32_t> classes;
  DeviceSpan<std::int32_t> indices;  ///< The network's box that each came from.
  DeviceSpan<std::int32_t> count;
};

/// The way from a network's input back to source pixels as a BoxLayout has it; its strides and form are left to the caller,
/// `pairs` is 1.
/// `unit_x` and `unit_y` are the input pixels of one unit of the network's boxes.
[[nodiscard]] kernels::suppress_ranked::BoxLayout box_layout_for(const ResizeMapping& mapping, double unit_x = 1,
                                                                 double unit_y = 1);

/// Goes through boxes from the best to the worst and keeps each that no kept one suppresses, until `max_kept` are kept: per
/// class what NumPy's definition keeps. Overlaps are those of the network's own boxes; only what stays is taken to source
/// pixels and clipped, so that a box inside the padding ends as an empty one at the picture's edge. Boxes that are inverted
/// or not finite are dropped and suppress nothing; empty ones count.
class RankedSuppression {
 public:
  static constexpr std::int32_t kMaxKept = kernels::suppress_ranked::kMaxKeptBoxes;

  /// May block (loads the kernel).
  explicit RankedSuppression(const Stream& stream);

  /// Enqueues. `ranked` and `counts` as CandidateSelection gives them, `classes` empty where
  /// `layout.pairs` tells them. Throws
  /// kInvalidArgument for a threshold outside [0, 1] or a max_kept outside [1, kMaxKept] or beyond `found`'s room.
  void submit(DeviceSpan<const std::uint64_t> ranked, DeviceSpan<const std::int32_t> counts,
              DeviceSpan<const float> boxes, DeviceSpan<const std::int32_t> classes,
              const kernels::suppress_ranked::BoxLayout& layout, const kernels::suppress_ranked::SuppressionRule& rule,
              const FoundSpans& found) const;

 private:
  using Suppress = void(DeviceSpan<const std::uint64_t>, DeviceSpan<const std::int32_t>, DeviceSpan<const float>,
                        DeviceSpan<const std::int32_t>, kernels::suppress_ranked::BoxLayout,
                        kernels::suppress_ranked::SuppressionRule, DeviceSpan<kernels::float4>, DeviceSpan<float>,
                        DeviceSpan<std::int32_t>, DeviceSpan<std::int32_t>, DeviceSpan<std::int32_t>);

  Stream stream_;
  Kernel<Suppress> suppress_;
};

}  // namespace vrt
