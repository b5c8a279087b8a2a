// From sorted tiles of keys to one ranked list: the second half of selecting the best of many. No barriers.
VRT_SHARED_TYPES_BEGIN
/// Positions in the counts that merge_candidates writes.
constexpr int32_t kCandidateCount = 0;  // Keys in all tiles.
constexpr int32_t kRankedCount = 1;     // Of which so many are ranked.
VRT_SHARED_TYPES_END

constexpr int32_t kSearches = 4;  // Tiles that a thread searches at once, to wait for memory once for all.

// How many keys of each of the tiles [first, first + kSearches) are greater than `key`, added up. Tiles are descending.
__device__ inline int32_t merge_count_greater(const uint64_t* tiles, const int32_t* tile_counts, int32_t tile_size,
                                              int32_t tile_count, int32_t first, uint64_t key) {
  int32_t greater[kSearches];
  int32_t total[kSearches];
#pragma unroll
  for (int32_t i = 0; i < kSearches; ++i) {
    greater[i] = 0;
    total[i] = first + i < tile_count ? __ldg(tile_counts + first + i) : 0;
  }
  for (int32_t step = tile_size; step > 0; step /= 2) {
#pragma unroll
    for (int32_t i = 0; i < kSearches; ++i) {
      const int32_t reached = greater[i] + step;
      if (reached <= total[i] && __ldg(tiles + (first + i) * tile_size + reached - 1) > key) greater[i] = reached;
    }
  }
  int32_t sum = 0;
#pragma unroll
  for (int32_t i = 0; i < kSearches; ++i) sum += greater[i];
  return sum;
}

// `tiles` as select_candidates writes them: tile_count times tile_size keys (a power of two), of which tile_counts are
// there, distinct and descending. The `limit` greatest go to `ranked`, in descending order. One thread a key: block b has
// tile b.
extern "C" __global__ void merge_candidates(const uint64_t* __restrict__ tiles, const int32_t* __restrict__ tile_counts,
                                            int32_t tile_size, int32_t tile_count, int32_t limit,
                                            uint64_t* __restrict__ ranked, int32_t* __restrict__ counts) {
  const int32_t own = static_cast<int32_t>(blockIdx.x);
  const int32_t position = static_cast<int32_t>(threadIdx.x);
  if (own == 0 && position == 0) {
    int32_t total = 0;
    for (int32_t tile = 0; tile < tile_count; ++tile) total += __ldg(tile_counts + tile);
    counts[kCandidateCount] = total;
    counts[kRankedCount] = min(total, limit);
  }
  if (position >= __ldg(tile_counts + own) || position >= limit) return;
  const uint64_t key = __ldg(tiles + own * tile_size + position);
  int32_t rank = 0;  // The own tile is searched like the others: `position` of its keys are greater.
  for (int32_t first = 0; first < tile_count && rank < limit; first += kSearches) {
    rank += merge_count_greater(tiles, tile_counts, tile_size, tile_count, first, key);
  }
  if (rank < limit) ranked[rank] = key;
}
