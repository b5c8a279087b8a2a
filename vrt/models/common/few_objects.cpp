#include "vrt/models/common/few_objects.h"

#include <cstddef>

#include "vrt/base/fail.h"
#include "vrt/models/common/find_few_cu.h"
#include "vrt/models/common/load_kernel.h"

namespace vrt {
namespace {

using kernels::find_few::FewPairs;

DeviceSpan<const kernels::float4> quads_of(DeviceSpan<const float> boxes, const FewPairs& which) {
  require(reinterpret_cast<std::uintptr_t>(boxes.data()) % alignof(kernels::float4) == 0,
          "the boxes are not aligned to {} bytes", alignof(kernels::float4));
  const auto needed = static_cast<std::size_t>(which.count / which.columns);
  require(boxes.size() / 4 >= needed, "{} pairs of {} classes need {} boxes, not {}", which.count, which.columns,
          needed, boxes.size() / 4);
  return DeviceSpan<const kernels::float4>::from_raw(reinterpret_cast<const kernels::float4*>(boxes.data()), needed);
}

}  // namespace

bool FewObjects::can_find(std::int32_t pairs, std::int32_t limit) noexcept {
  return pairs >= 1 && pairs <= kernels::find_few::kMaxFewPairs && limit >= 1 &&
         limit <= kernels::find_few::kMaxFewObjects;
}

FewObjects::FewObjects(const Stream& stream)
    : stream_(stream), find_(load_kernel<Find>(stream, kernels::find_few_cu, "find_few")) {}

void FewObjects::submit(DeviceSpan<const float> logits, DeviceSpan<const float> boxes, const FewPairs& which,
                        const kernels::suppress_ranked::BoxLayout& layout, DeviceSpan<std::int32_t> counts,
                        const FoundSpans& found) const {
  require(can_find(which.count, which.limit), "at most {} of {} pairs become objects, not {} of {}",
          kernels::find_few::kMaxFewObjects, kernels::find_few::kMaxFewPairs, which.limit, which.count);
  require(which.columns >= 1 && which.count % which.columns == 0, "{} pairs are not of {} classes each", which.count,
          which.columns);
  require(logits.size() >= static_cast<std::size_t>(which.count), "{} pairs need as many logits, not {}", which.count,
          logits.size());
  require(found.boxes.size() >= static_cast<std::size_t>(which.limit), "there is room for {} objects, not for {}",
          found.boxes.size(), which.limit);
  find_.launch(stream_, grid_per_item(1, kernels::find_few::kFewThreads), logits, which, quads_of(boxes, which),
               kernels::find_few::FewToSource{layout.scale_x, layout.scale_y, layout.shift_x, layout.shift_y,
                                              layout.source_width, layout.source_height},
               counts, found.boxes, found.scores, found.classes, found.indices, found.count);
}

}  // namespace vrt
