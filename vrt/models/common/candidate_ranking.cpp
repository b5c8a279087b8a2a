#include "vrt/models/common/candidate_ranking.h"

#include "vrt/base/fail.h"
#include "vrt/models/common/rank_candidates_cu.h"

namespace vrt {
namespace {

constexpr std::uint32_t kRankThreads = 1024;
static_assert(CandidateRanking::kMaxRanked <= kernels::rank_candidates::kRankSortCapacity / 2);

std::size_t checked_capacity(std::int32_t capacity) {
  require(capacity > 0, "a ranking needs room for at least one candidate, not {}", capacity);
  return static_cast<std::size_t>(capacity);
}

}  // namespace

CandidateRanking::CandidateRanking(const Stream& stream, std::int32_t capacity)
    : stream_(stream),
      keys_(DeviceBuffer<std::uint64_t>::uninitialized(stream, checked_capacity(capacity))),
      ranked_(DeviceBuffer<std::uint64_t>::uninitialized(stream, kMaxRanked)),
      rank_(KernelModule::load(stream.device(), kernels::rank_candidates_cu).get<Rank>("rank_candidates")) {}

void CandidateRanking::submit(DeviceSpan<const std::int32_t> key_count, DeviceSpan<std::int32_t> ranked_count) {
  const auto capacity = static_cast<std::int32_t>(keys_.size());
  rank_.launch(stream_, grid_per_item(1, kRankThreads, sizeof(kernels::rank_candidates::RankShared)), keys_.span(),
               key_count, capacity, kMaxRanked, ranked_.span(), ranked_count);
}

}  // namespace vrt
