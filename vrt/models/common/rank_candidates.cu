// The greatest of many distinct 64-bit keys, in descending order. One block of any number of warps.
VRT_SHARED_TYPES_BEGIN
constexpr int32_t kRankSortCapacity = 2048;  // Keys that are sorted at once, in shared memory.
constexpr int32_t kRankDigitBits = 10;
constexpr int32_t kRankBins = 1 << kRankDigitBits;

/// The block's shared memory.
struct RankShared {
  uint64_t sorted[kRankSortCapacity];
  uint32_t bins[2][kRankBins];
  uint32_t differing[2];
  uint32_t digit;
  uint32_t at_least;
  uint32_t above;
  int32_t collected;
};
VRT_SHARED_TYPES_END

// A thread of the block, and the block's size.
struct RankLane {
  int32_t index, count;
};

// The bits in which any two keys differ.
__device__ uint64_t rank_differing_bits(RankShared* shared, const uint64_t* keys, int32_t count, RankLane lane) {
  if (lane.index < 2) shared->differing[lane.index] = 0;
  __syncthreads();
  uint64_t differing = 0;
  const uint64_t first = __ldg(keys);
  for (int32_t i = lane.index; i < count; i += lane.count) differing |= __ldg(keys + i) ^ first;
  atomicOr(&shared->differing[0], static_cast<uint32_t>(differing));
  atomicOr(&shared->differing[1], static_cast<uint32_t>(differing >> 32));
  __syncthreads();
  return (static_cast<uint64_t>(shared->differing[1]) << 32) | shared->differing[0];
}

// For each value of the digit that begins at bit `shift`: how many keys have at least that value, among those that
// agree with `floor` from bit `upper` on.
__device__ const uint32_t* rank_count_at_least(RankShared* shared, const uint64_t* keys, int32_t count, uint64_t floor,
                                               int32_t upper, int32_t shift, RankLane lane) {
  uint32_t* now = shared->bins[0];
  uint32_t* next = shared->bins[1];
  for (int32_t bin = lane.index; bin < kRankBins; bin += lane.count) now[bin] = 0;
  __syncthreads();
  const uint64_t digits = (uint64_t{1} << (upper - shift)) - 1;
  for (int32_t i = lane.index; i < count; i += lane.count) {
    const uint64_t key = __ldg(keys + i);
    if (upper > 63 || ((key ^ floor) >> upper) == 0) atomicAdd(&now[(key >> shift) & digits], 1u);
  }
  __syncthreads();
  for (int32_t reach = 1; reach < kRankBins; reach *= 2) {
    for (int32_t bin = lane.index; bin < kRankBins; bin += lane.count) {
      next[bin] = now[bin] + (bin + reach < kRankBins ? now[bin + reach] : 0u);
    }
    __syncthreads();
    uint32_t* const swapped = now;
    now = next;
    next = swapped;
  }
  return now;
}

// A bound that at least `keep` and at most kRankSortCapacity keys reach, for more keys than can be sorted: a radix
// select from the first bit in which keys differ, until what is left fits. Ends at the latest when all bits are used,
// for then exactly `keep` keys are left.
__device__ uint64_t rank_floor(RankShared* shared, const uint64_t* keys, int32_t count, int32_t keep, RankLane lane) {
  int32_t shift = 64 - __clzll(static_cast<int64_t>(rank_differing_bits(shared, keys, count, lane)));
  uint64_t floor = shift > 63 ? 0 : (__ldg(keys) >> shift) << shift;
  uint32_t above = 0;  // Keys beyond the range that agrees with `floor`.
  uint32_t reaching = static_cast<uint32_t>(count);
  const uint32_t wanted = static_cast<uint32_t>(keep);
  while (reaching > kRankSortCapacity) {
    const int32_t upper = shift;
    shift = max(shift - kRankDigitBits, 0);
    const uint32_t* at_least = rank_count_at_least(shared, keys, count, floor, upper, shift, lane);
    for (int32_t bin = lane.index; bin < kRankBins; bin += lane.count) {
      const uint32_t beyond = bin + 1 < kRankBins ? at_least[bin + 1] : 0u;
      if (above + at_least[bin] >= wanted && above + beyond < wanted) {  // True for exactly one bin.
        shared->digit = static_cast<uint32_t>(bin);
        shared->at_least = at_least[bin];
        shared->above = beyond;
      }
    }
    __syncthreads();
    floor |= static_cast<uint64_t>(shared->digit) << shift;
    reaching = above + shared->at_least;
    above += shared->above;
    __syncthreads();
  }
  return floor;
}

// A bitonic network: descending. `size` is a power of two.
__device__ void rank_sort(uint64_t* keys, int32_t size, RankLane lane) {
  for (int32_t span = 2; span <= size; span *= 2) {
    for (int32_t step = span / 2; step > 0; step /= 2) {
      for (int32_t pair = lane.index; pair < size / 2; pair += lane.count) {
        const int32_t low = 2 * pair - (pair & (step - 1));
        const uint64_t a = keys[low];
        const uint64_t b = keys[low + step];
        const bool descending = (low & span) == 0;
        if ((a < b) == descending) {
          keys[low] = b;
          keys[low + step] = a;
        }
      }
      __syncthreads();
    }
  }
}

// `keys` holds `*key_count` distinct keys, or `capacity` if there are more. The `keep` greatest (at most
// kRankSortCapacity / 2) go to `ranked`, in descending order; `ranked_count` receives how many those are.
extern "C" __global__ void __launch_bounds__(1024)
    rank_candidates(const uint64_t* __restrict__ keys, const int32_t* __restrict__ key_count, int32_t capacity,
                    int32_t keep, uint64_t* __restrict__ ranked, int32_t* __restrict__ ranked_count) {
  VRT_DYNAMIC_SHARED(RankShared, shared);
  const RankLane lane = {static_cast<int32_t>(threadIdx.x), static_cast<int32_t>(blockDim.x)};
  const int32_t count = min(__ldg(key_count), capacity);
  const uint64_t floor = count > kRankSortCapacity ? rank_floor(shared, keys, count, keep, lane) : 0;
  if (lane.index == 0) shared->collected = 0;
  __syncthreads();
  for (int32_t i = lane.index; i < count; i += lane.count) {
    const uint64_t key = __ldg(keys + i);
    if (key >= floor) shared->sorted[atomicAdd(&shared->collected, 1)] = key;
  }
  __syncthreads();
  const int32_t collected = shared->collected;
  int32_t size = 2;
  while (size < collected) size *= 2;
  for (int32_t i = collected + lane.index; i < size; i += lane.count) shared->sorted[i] = 0;  // Below every key.
  __syncthreads();
  rank_sort(shared->sorted, size, lane);
  const int32_t kept = min(collected, keep);
  for (int32_t i = lane.index; i < kept; i += lane.count) ranked[i] = shared->sorted[i];
  if (lane.index == 0) *ranked_count = kept;
}
