// From sorted tiles of keys to one ranked list: the second half of selecting the best of many.
VRT_SHARED_TYPES_BEGIN
/// Positions in the two counts of a run of keys.
constexpr int32_t kCandidateCount = 0;  // Keys that there were.
constexpr int32_t kRankedCount = 1;     // The greatest of them, of which the run consists.

/// One round: groups of neighbouring runs become one run each.
struct MergeRound {
  int32_t runs;
  int32_t run_size;  // Keys from the start of a run to that of the next one; a power of two.
  int32_t ways;      // Runs of a group.
  int32_t limit;     // The greatest keys of a group that are kept.
};

constexpr int32_t kMergeLanes = 8;  // Neighbouring threads of a key: each searches every eighth run.
VRT_SHARED_TYPES_END

constexpr int32_t kSearches =
    9;  // Runs that a thread searches at once, to wait for memory once for all: the 66 of 8400 items are too many
        // for eight.
constexpr uint32_t kAllLanes = 0xffffffffu;

// How many keys of the runs first, first + kMergeLanes, … before `last`, kSearches of them, are greater than `key`, added up. `widest`
// is the first step of a search.
__device__ inline int32_t merge_count_greater(const uint64_t* runs, const int32_t* run_counts, int32_t run_size,
                                              int32_t first, int32_t last, int32_t widest, uint64_t key) {
  int32_t greater[kSearches];
  int32_t total[kSearches];
#pragma unroll
  for (int32_t i = 0; i < kSearches; ++i) {
    const int32_t run = first + i * kMergeLanes;
    greater[i] = 0;
    total[i] = run < last ? __ldg(run_counts + 2 * run + kRankedCount) : 0;
  }
  const uint64_t* keys = runs + static_cast<int64_t>(first) * run_size - 1;
  for (int32_t step = widest; step > 0; step /= 2) {
#pragma unroll
    for (int32_t i = 0; i < kSearches; ++i) {
      const int32_t reached = greater[i] + step;
      if (reached <= total[i] && __ldg(keys + i * kMergeLanes * run_size + reached) > key) greater[i] = reached;
    }
  }
  int32_t sum = 0;
#pragma unroll
  for (int32_t i = 0; i < kSearches; ++i) sum += greater[i];
  return sum;
}

// The counts of a group's run. One warp; all its lanes return the same.
__device__ inline int32_t merge_total(const int32_t* run_counts, int32_t begin, int32_t end, int32_t lane) {
  int32_t total = 0;
  for (int32_t run = begin + lane; run < end; run += 32) total += __ldg(run_counts + 2 * run + kCandidateCount);
  for (int32_t reach = 16; reach > 0; reach /= 2) total += __shfl_xor_sync(kAllLanes, total, reach);
  return total;
}

// Run r has run_counts[2 * r + kRankedCount] keys from runs[r * run_size] on, descending; all keys are distinct. Group g goes to
// merged[g * ways * run_size] and following, and its counts to merged_counts[2 * g] and following. Runs along y, their keys along x,
// kMergeLanes threads each.
extern "C" __global__ void merge_candidates(const uint64_t* __restrict__ runs, const int32_t* __restrict__ run_counts,
                                            MergeRound round, uint64_t* __restrict__ merged,
                                            int32_t* __restrict__ merged_counts) {
  const int32_t own = static_cast<int32_t>(blockIdx.y);
  const int32_t thread = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t position = thread / kMergeLanes;
  const int32_t lane = thread % kMergeLanes;
  const int32_t group = own / round.ways;
  const int32_t begin = group * round.ways;
  const int32_t end = min(begin + round.ways, round.runs);
  if (own == begin && thread < 32) {
    const int32_t total = merge_total(run_counts, begin, end, thread);
    if (thread == 0) {
      merged_counts[2 * group + kCandidateCount] = total;
      merged_counts[2 * group + kRankedCount] = min(total, round.limit);
    }
  }
  const int32_t count = min(__ldg(run_counts + 2 * own + kRankedCount), round.limit);
  if (position / (32 / kMergeLanes) * (32 / kMergeLanes) >= count) return;  // The whole warp.
  const uint64_t key = position < count ? __ldg(runs + static_cast<int64_t>(own) * round.run_size + position) : 0;
  int32_t widest = round.run_size;  // More than `limit` keys are in no run, or do not matter.
  while (widest > 1 && widest / 2 >= round.limit) widest /= 2;
  int32_t rank = 0;  // The own run is searched like the others: `position` of its keys are greater.
  for (int32_t first = begin; first < end; first += kSearches * kMergeLanes) {
    rank += merge_count_greater(runs, run_counts, round.run_size, first + lane, end, widest, key);
  }
  for (int32_t reach = kMergeLanes / 2; reach > 0; reach /= 2) rank += __shfl_xor_sync(kAllLanes, rank, reach);
  if (lane == 0 && position < count && rank < round.limit) {
    merged[static_cast<int64_t>(begin) * round.run_size + rank] = key;
  }
}
