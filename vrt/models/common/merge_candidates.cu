// From sorted tiles of keys to one ranked list: the second half of selecting the best of many. No barriers.
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
VRT_SHARED_TYPES_END

constexpr int32_t kSearches = 16;  // Runs that a thread searches at once, to wait for memory once for all.

// How many keys of each of the runs [first, first + kSearches) before `last` are greater than `key`, added up.
__device__ inline int32_t merge_count_greater(const uint64_t* runs, const int32_t* run_counts, int32_t run_size,
                                              int32_t first, int32_t last, int32_t widest, uint64_t key) {
  int32_t greater[kSearches];
  int32_t total[kSearches];
#pragma unroll
  for (int32_t i = 0; i < kSearches; ++i) {
    greater[i] = 0;
    total[i] = first + i < last ? __ldg(run_counts + 2 * (first + i) + kRankedCount) : 0;
  }
  const uint64_t* keys = runs + static_cast<int64_t>(first) * run_size - 1;
  for (int32_t step = widest; step > 0; step /= 2) {
#pragma unroll
    for (int32_t i = 0; i < kSearches; ++i) {
      const int32_t reached = greater[i] + step;
      if (reached <= total[i] && __ldg(keys + i * run_size + reached) > key) greater[i] = reached;
    }
  }
  int32_t sum = 0;
#pragma unroll
  for (int32_t i = 0; i < kSearches; ++i) sum += greater[i];
  return sum;
}

// Run r has run_counts[2 * r + kRankedCount] keys from runs[r * run_size] on, descending; all keys are distinct. Group g goes to
// merged[g * ways * run_size] and following, and its counts to merged_counts[2 * g] and following. One thread a key: runs along y,
// their keys along x.
extern "C" __global__ void merge_candidates(const uint64_t* __restrict__ runs, const int32_t* __restrict__ run_counts,
                                            MergeRound round, uint64_t* __restrict__ merged,
                                            int32_t* __restrict__ merged_counts) {
  const int32_t own = static_cast<int32_t>(blockIdx.y);
  const int32_t position = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t group = own / round.ways;
  const int32_t begin = group * round.ways;
  const int32_t end = min(begin + round.ways, round.runs);
  if (own == begin && position == 0) {
    int32_t total = 0;
#pragma unroll 16
    for (int32_t run = begin; run < end; ++run) total += __ldg(run_counts + 2 * run + kCandidateCount);
    merged_counts[2 * group + kCandidateCount] = total;
    merged_counts[2 * group + kRankedCount] = min(total, round.limit);
  }
  if (position >= __ldg(run_counts + 2 * own + kRankedCount) || position >= round.limit) return;
  const uint64_t key = __ldg(runs + static_cast<int64_t>(own) * round.run_size + position);
  int32_t widest = round.run_size;  // The first step: more than `limit` keys are in no run, or do not matter.
  while (widest > 1 && widest / 2 >= round.limit) widest /= 2;
  int32_t rank = 0;  // The own run is searched like the others: `position` of its keys are greater.
  for (int32_t first = begin; first < end && rank < round.limit; first += kSearches) {
    rank += merge_count_greater(runs, run_counts, round.run_size, first, end, widest, key);
  }
  if (rank < round.limit) merged[static_cast<int64_t>(begin) * round.run_size + rank] = key;
}
