#include "vrt/models/common/non_maximum_suppression.h"

#include "vrt/base/fail.h"
#include "vrt/models/common/nms_mask_cu.h"
#include "vrt/models/common/nms_reduce_cu.h"

namespace vrt {
namespace {

// Words of a row of the mask; one for each lane of the warp that reduces it.
constexpr std::int32_t kWords = NonMaximumSuppression::kMaxBoxes / 32;
constexpr std::uint32_t kMaskThreads = 128;

const SuppressionOptions& checked(const SuppressionOptions& options) {
  require(options.threshold >= 0 && options.threshold <= 1,
          "the threshold of non-maximum suppression must be in [0, 1], not {}", options.threshold);
  require(options.max_kept >= 1 && options.max_kept <= NonMaximumSuppression::kMaxBoxes,
          "non-maximum suppression can keep 1 to {} boxes, not {}", NonMaximumSuppression::kMaxBoxes, options.max_kept);
  return options;
}

// One thread for each word of each row that `boxes` can fill.
LaunchShape mask_shape(std::size_t boxes) {
  const auto rows = static_cast<std::uint32_t>(boxes);
  return {{(rows + 31) / 32, (rows + kMaskThreads - 1) / kMaskThreads, 1}, {kMaskThreads, 1, 1}, 0};
}

}  // namespace

NonMaximumSuppression::NonMaximumSuppression(const Stream& stream, const SuppressionOptions& options)
    : stream_(stream),
      options_(checked(options)),
      mask_(DeviceBuffer<std::uint32_t>::uninitialized(stream, std::size_t{kMaxBoxes} * kWords)),
      kept_(DeviceBuffer<std::int32_t>::uninitialized(stream, static_cast<std::size_t>(options.max_kept))),
      make_mask_(KernelModule::load(stream.device(), kernels::nms_mask_cu).get<Mask>("nms_mask")),
      reduce_(KernelModule::load(stream.device(), kernels::nms_reduce_cu).get<Reduce>("nms_reduce")) {}

void NonMaximumSuppression::submit(DeviceSpan<const kernels::float4> boxes, DeviceSpan<const std::int32_t> classes,
                                   DeviceSpan<const std::int32_t> count, DeviceSpan<std::int32_t> kept_count) {
  require(!boxes.empty() && boxes.size() <= std::size_t{kMaxBoxes},
          "non-maximum suppression takes 1 to {} boxes, not {}", kMaxBoxes, boxes.size());
  require(classes.empty() || classes.size() == boxes.size(), "{} boxes but {} classes", boxes.size(), classes.size());
  make_mask_.launch(stream_, mask_shape(boxes.size()), boxes, classes, count, options_.threshold, mask_.span());
  reduce_.launch(stream_, grid_per_item(1, 32), mask_.span(), count, options_.max_kept, kept_.span(), kept_count);
}

}  // namespace vrt
