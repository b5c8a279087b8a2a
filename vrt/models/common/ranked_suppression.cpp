#include "vrt/models/common/ranked_suppression.h"

#include "vrt/base/fail.h"
#include "vrt/models/common/suppress_ranked_cu.h"

namespace vrt {
namespace {

constexpr std::uint32_t kThreads = 1024;

}  // namespace

kernels::suppress_ranked::BoxLayout box_layout_for(const ResizeMapping& mapping, double unit_x, double unit_y) {
  const double scale_x = mapping.scale_x();
  const double scale_y = mapping.scale_y();
  return {.pairs = 1,
          .box_stride = 0,
          .value_stride = 0,
          .corners = 0,
          .scale_x = static_cast<float>(scale_x * unit_x),
          .scale_y = static_cast<float>(scale_y * unit_y),
          .shift_x = static_cast<float>(mapping.used.x - mapping.filled.x * scale_x),
          .shift_y = static_cast<float>(mapping.used.y - mapping.filled.y * scale_y),
          .source_width = static_cast<float>(mapping.source.width),
          .source_height = static_cast<float>(mapping.source.height)};
}

RankedSuppression::RankedSuppression(const Stream& stream)
    : stream_(stream),
      suppress_(KernelModule::load(stream.device(), kernels::suppress_ranked_cu).get<Suppress>("suppress_ranked")) {}

void RankedSuppression::submit(DeviceSpan<const std::uint64_t> ranked, DeviceSpan<const std::int32_t> counts,
                               DeviceSpan<const float> boxes, DeviceSpan<const std::int32_t> classes,
                               const kernels::suppress_ranked::BoxLayout& layout,
                               const kernels::suppress_ranked::SuppressionRule& rule, const FoundSpans& found) const {
  require(rule.threshold >= 0 && rule.threshold <= 1,
          "the threshold of non-maximum suppression must be in [0, 1], not {}", rule.threshold);
  require(
      rule.max_kept >= 1 && rule.max_kept <= kMaxKept && static_cast<std::size_t>(rule.max_kept) <= found.boxes.size(),
      "non-maximum suppression can keep 1 to {} boxes and there is room for {}, not {}", kMaxKept, found.boxes.size(),
      rule.max_kept);
  suppress_.launch(stream_, grid_per_item(1, kThreads), ranked, counts, boxes, classes, layout, rule, found.boxes,
                   found.scores, found.classes, found.indices, found.count);
}

}  // namespace vrt
