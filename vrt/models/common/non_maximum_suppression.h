// Internal (not installed): greedy non-maximum suppression of ranked boxes, on the device.
//
//   vrt::NonMaximumSuppression suppression(stream, {.threshold = 0.3F, .max_kept = 256});
//   suppression.submit(boxes, {}, ranked_count, kept_count);       // kept ranks are in suppression.kept()
#pragma once

#include <cstdint>

#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/device/vector_types.h"

namespace vrt {

struct SuppressionOptions {
  float threshold = 0.5F;       ///< A box goes if its intersection over union with a better one that stays is above it.
  std::int32_t max_kept = 256;  ///< The weakest beyond it are left out.
};

/// Goes through boxes from the best to the worst and keeps each that no kept one suppresses. Empty and non-finite boxes
/// are dropped and suppress nothing. Scratch for one stream.
class NonMaximumSuppression {
 public:
  static constexpr std::int32_t kMaxBoxes = 1024;

  /// Allocates. Throws kInvalidArgument for a threshold outside [0, 1] or a max_kept outside [1, kMaxBoxes].
  NonMaximumSuppression(const Stream& stream, const SuppressionOptions& options);

  /// Ranks of the boxes that stay, best first, `max_kept` at most.
  [[nodiscard]] DeviceSpan<const std::int32_t> kept() const noexcept { return kept_.span(); }

  /// Enqueues. `boxes` (x1, y1, x2, y2) are in order of rank, at most kMaxBoxes, `count` (one element) of them valid.
  /// With `classes`, one for each box, boxes of different classes do not suppress each other; an empty span means one
  /// class. `kept_count` (one element) receives how many stay.
  void submit(DeviceSpan<const kernels::float4> boxes, DeviceSpan<const std::int32_t> classes,
              DeviceSpan<const std::int32_t> count, DeviceSpan<std::int32_t> kept_count);

 private:
  using Mask = void(DeviceSpan<const kernels::float4>, DeviceSpan<const std::int32_t>, DeviceSpan<const std::int32_t>,
                    float, DeviceSpan<std::uint32_t>);
  using Reduce = void(DeviceSpan<const std::uint32_t>, DeviceSpan<const std::int32_t>, std::int32_t,
                      DeviceSpan<std::int32_t>, DeviceSpan<std::int32_t>);

  Stream stream_;
  SuppressionOptions options_;
  DeviceBuffer<std::uint32_t> mask_;
  DeviceBuffer<std::int32_t> kept_;
  Kernel<Mask> make_mask_;
  Kernel<Reduce> reduce_;
};

}  // namespace vrt
