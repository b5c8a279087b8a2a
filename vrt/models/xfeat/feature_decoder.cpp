#include "vrt/models/xfeat/feature_decoder.h"

#include <algorithm>

#include "vrt/models/xfeat/xfeat_describe_cu.h"
#include "vrt/models/xfeat/xfeat_peaks_cu.h"
#include "vrt/models/xfeat/xfeat_rank_cu.h"
#include "vrt/models/xfeat/xfeat_select_cu.h"

namespace vrt {
namespace {

using kernels::xfeat_select::kSelectBins;
using kernels::xfeat_select::kSelectDigitBits;
using kernels::xfeat_select::kSelectSurvivors;

constexpr std::int32_t kPasses = (64 + kSelectDigitBits - 1) / kSelectDigitBits;
constexpr std::int32_t kStride = 8;
constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kMostBlocks = 256;  // Of a pass over all keys.
constexpr std::uint32_t kRankedInBlock = 32;
static_assert(XFeat::kMaxKeypoints <= kSelectSurvivors);

std::size_t pixels_of(Size size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

LaunchShape blocks_of(std::uint32_t blocks) { return {{blocks, 1, 1}, {kThreads, 1, 1}, 0}; }

template <typename Signature>
Kernel<Signature> kernel(const Stream& stream, const KernelSource& source, const char* name) {
  return KernelModule::load(stream.device(), source).get<Signature>(name);
}

}  // namespace

FeatureDecoder::FeatureDecoder(const Stream& stream, Size input, const XFeatOptions& options)
    : stream_(stream),
      input_(input),
      threshold_(options.threshold),
      keep_(options.max_keypoints),
      keys_(DeviceBuffer<std::uint64_t>::uninitialized(stream, pixels_of(input))),
      survivors_(DeviceBuffer<std::uint64_t>::uninitialized(stream, kSelectSurvivors)),
      ranked_(DeviceBuffer<std::uint64_t>::uninitialized(stream, static_cast<std::size_t>(keep_))),
      states_(DeviceBuffer<State>::uninitialized(stream, kPasses)),
      counts_(DeviceBuffer<std::int32_t>::uninitialized(stream, 1 + std::size_t{kPasses} * kSelectBins)),
      peaks_(kernel<Peaks>(stream, kernels::xfeat_peaks_cu, "xfeat_peaks")),
      select_(kernel<Select>(stream, kernels::xfeat_select_cu, "xfeat_select")),
      find_survivors_(kernel<Survivors>(stream, kernels::xfeat_select_cu, "xfeat_survivors")),
      rank_(kernel<Rank>(stream, kernels::xfeat_rank_cu, "xfeat_rank")),
      describe_(kernel<Describe>(stream, kernels::xfeat_describe_cu, "xfeat_describe")) {}

DeviceSpan<std::int32_t> FeatureDecoder::bins(std::int32_t pass) {
  return counts_.span().subspan(1 + static_cast<std::size_t>(pass) * kSelectBins, kSelectBins);
}

void FeatureDecoder::submit(const XFeatOutputs& outputs, const ResizeMapping& mapping, const FeatureSpans& features) {
  const auto candidates = features.counts.subspan(kCandidates, 1);
  const auto keypoints = features.counts.subspan(kKeypoints, 1);
  fill_bytes(stream_, candidates, 0);
  fill_bytes(stream_, counts_.span(), 0);
  peaks_.launch(stream_, grid_2d(static_cast<std::uint32_t>(input_.width), static_cast<std::uint32_t>(input_.height)),
                outputs.heatmap, outputs.reliability, input_.width, input_.height, threshold_, keys_.span(),
                candidates);
  rank(candidates, keypoints);
  const Geometry geometry{.width = input_.width,
                          .map_width = input_.width / kStride,
                          .map_height = input_.height / kStride,
                          .scale_x = static_cast<float>(mapping.scale_x()),
                          .scale_y = static_cast<float>(mapping.scale_y())};
  describe_.launch(stream_, grid_1d(ranked_.size() * 32), ranked_.span(), keypoints, outputs.descriptors, geometry,
                   features.keypoints, features.descriptors);
}

void FeatureDecoder::rank(DeviceSpan<const std::int32_t> candidates, DeviceSpan<std::int32_t> keypoints) {
  const auto capacity = static_cast<std::int32_t>(keys_.size());
  const LaunchShape all = blocks_of(std::min(grid_1d(keys_.size()).grid.x, kMostBlocks));
  DeviceSpan<const State> before;
  DeviceSpan<const std::int32_t> before_bins;
  for (std::int32_t pass = 0; pass < kPasses && capacity > kSelectSurvivors; ++pass) {
    const auto state = states_.span().subspan(static_cast<std::size_t>(pass), 1);
    select_.launch(stream_, all, keys_.span(), candidates, capacity, keep_, before, before_bins, state, bins(pass));
    before = state;
    before_bins = bins(pass);
  }
  const auto survivor_count = counts_.span().subspan(0, 1);
  find_survivors_.launch(stream_, all, keys_.span(), candidates, capacity, keep_, before, before_bins,
                         survivors_.span(), survivor_count);
  rank_.launch(stream_, blocks_of(kSelectSurvivors / kRankedInBlock), survivors_.span(), survivor_count,
               kSelectSurvivors, keep_, ranked_.span(), keypoints);
}

}  // namespace vrt
