// Internal (not installed): the best pairs of a box and a class as objects, where those are few and no box suppresses another.
//
//   few.submit(logits, boxes, {.count = 27300, .columns = 91, .above = 0, .background = 0, .limit = 300}, layout, counts, found);
#pragma once

#include <cstdint>

#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/device/vector_types.h"
#include "vrt/models/common/find_few_types.h"
#include "vrt/models/common/ranked_suppression.h"

namespace vrt {

/// What CandidateSelection, with each pair as an item of one class, and RankedSuppression at a threshold of 1 find together, in one launch
/// instead of three.
class FewObjects {
 public:
  /// Whether this can do so many pairs and objects.
  [[nodiscard]] static bool can_find(std::int32_t pairs, std::int32_t limit) noexcept;

  /// May block (loads the kernel).
  explicit FewObjects(const Stream& stream);

  /// Enqueues. `logits` has which.count of them; `boxes` four numbers a box, its centre and its size, aligned to 16 bytes; of `layout` only
  /// the way to source pixels counts. `counts` has two elements, as CandidateSelection's. Throws kInvalidArgument for more than can_find,
  /// spans that are too short, or unaligned boxes.
  void submit(DeviceSpan<const float> logits, DeviceSpan<const float> boxes, const kernels::find_few::FewPairs& which,
              const kernels::suppress_ranked::BoxLayout& layout, DeviceSpan<std::int32_t> counts,
              const FoundSpans& found) const;

 private:
  using Find = void(DeviceSpan<const float>, kernels::find_few::FewPairs, DeviceSpan<const kernels::float4>,
                    kernels::find_few::FewToSource, DeviceSpan<std::int32_t>, DeviceSpan<kernels::float4>,
                    DeviceSpan<float>, DeviceSpan<std::int32_t>, DeviceSpan<std::int32_t>, DeviceSpan<std::int32_t>);

  Stream stream_;
  Kernel<Find> find_;
};

}  // namespace vrt
