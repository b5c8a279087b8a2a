// The greatest of very many distinct 64-bit keys: a radix select, one launch a digit, that ends as soon as those that are left can be
// ranked. A launch reads what the ones before it wrote, and every block works out the same state from it: no block waits for another.
VRT_SHARED_TYPES_BEGIN
constexpr int32_t kSelectDigitBits = 11;
constexpr int32_t kSelectBins = 1 << kSelectDigitBits;
constexpr int32_t kSelectSurvivors = 8192;  // Room for those that are ranked.

/// What is known before a pass: the wanted keys agree with `floor` from bit `shift` on, or are greater.
struct SelectState {
  uint64_t floor;
  int32_t shift;
  int32_t above;     // Keys that are greater in those bits.
  int32_t reaching;  // Keys that agree or are greater.
  int32_t unused;
};
VRT_SHARED_TYPES_END

constexpr int32_t kSelectThreads = 256;
constexpr uint32_t kSelectLanes = 0xffffffffu;

struct SelectShared {
  int32_t bins[kSelectBins];
  int32_t sums[2][kSelectThreads];
  SelectState state;
};

__device__ int32_t select_next_shift(int32_t shift) { return shift > kSelectDigitBits ? shift - kSelectDigitBits : 0; }

// Keys of the bins from `thread`'s own on: each thread has kSelectBins / kSelectThreads bins that lie side by side.
__device__ int32_t select_sum_from(SelectShared* shared, const int32_t* bins, int32_t thread) {
  constexpr int32_t kEach = kSelectBins / kSelectThreads;
  int32_t own = 0;
  for (int32_t i = 0; i < kEach; ++i) own += __ldg(bins + thread * kEach + i);
  int32_t now = 0;
  shared->sums[now][thread] = own;
  __syncthreads();
  for (int32_t reach = 1; reach < kSelectThreads; reach *= 2) {
    const int32_t beyond = thread + reach < kSelectThreads ? shared->sums[now][thread + reach] : 0;
    shared->sums[1 - now][thread] = shared->sums[now][thread] + beyond;
    now = 1 - now;
    __syncthreads();
  }
  return shared->sums[now][thread];
}

// The state behind a pass, from the state before it and the counts of its digit. All threads of the block call it.
__device__ void select_resolve(SelectShared* shared, const SelectState* before, const int32_t* bins, int32_t keep,
                               int32_t thread) {
  constexpr int32_t kEach = kSelectBins / kSelectThreads;
  const SelectState state = *before;
  if (thread == 0) shared->state = state;
  const int32_t sum = select_sum_from(shared, bins, thread);
  int32_t from = state.above + sum;  // Keys from this thread's first bin on.
  if (state.reaching > kSelectSurvivors && from >= keep) {
    for (int32_t i = 0; i < kEach; ++i) {  // Bins upwards: the last one from which on there are enough.
      const int32_t bin = thread * kEach + i;
      const int32_t beyond = from - __ldg(bins + bin);
      if (from >= keep && beyond < keep) {  // True for exactly one bin of all threads.
        const int32_t shift = select_next_shift(state.shift);
        shared->state = {state.floor | (static_cast<uint64_t>(bin) << shift), shift, beyond, from, 0};
      }
      from = beyond;
    }
  }
  __syncthreads();
}

__device__ SelectState select_begin(int32_t count) { return {0, 64, 0, count, 0}; }

// Leaves the state before this pass in shared memory. `before` and `before_bins` are of the pass before; null for the first.
__device__ void select_enter(SelectShared* shared, int32_t count, int32_t keep, const SelectState* before,
                             const int32_t* before_bins, int32_t thread) {
  if (before != nullptr) {
    select_resolve(shared, before, before_bins, keep, thread);
  } else {
    if (thread == 0) shared->state = select_begin(count);
    __syncthreads();
  }
}

// One pass over `*key_count` keys, or `capacity` if that is less. Writes the state before it, and counts the next digit of the keys that
// agree with it, if more than kSelectSurvivors are left. `bins` are zeros before. kSelectThreads threads a block, any number of blocks.
extern "C" __global__ void __launch_bounds__(256)
    xfeat_select(const uint64_t* __restrict__ keys, const int32_t* __restrict__ key_count, int32_t capacity,
                 int32_t keep, const SelectState* __restrict__ before, const int32_t* __restrict__ before_bins,
                 SelectState* __restrict__ state, int32_t* __restrict__ bins) {
  __shared__ SelectShared shared;
  const int32_t thread = static_cast<int32_t>(threadIdx.x);
  const int32_t count = min(__ldg(key_count), capacity);
  select_enter(&shared, count, keep, before, before_bins, thread);
  const SelectState now = shared.state;
  if (blockIdx.x == 0 && thread == 0) *state = now;
  if (now.reaching <= kSelectSurvivors) return;  // All threads.
  const int32_t shift = select_next_shift(now.shift);
  const uint64_t digits = (uint64_t{1} << (now.shift - shift)) - 1;
  for (int32_t bin = thread; bin < kSelectBins; bin += kSelectThreads) shared.bins[bin] = 0;
  __syncthreads();
  const int32_t step = static_cast<int32_t>(gridDim.x) * kSelectThreads;
  for (int32_t i = static_cast<int32_t>(blockIdx.x) * kSelectThreads + thread; i < count; i += step) {
    const uint64_t key = __ldg(keys + i);
    if (now.shift > 63 || ((key ^ now.floor) >> now.shift) == 0) {
      atomicAdd(&shared.bins[static_cast<int32_t>((key >> shift) & digits)], 1);
    }
  }
  __syncthreads();
  for (int32_t bin = thread; bin < kSelectBins; bin += kSelectThreads) {
    if (shared.bins[bin] != 0) atomicAdd(bins + bin, shared.bins[bin]);
  }
}

// Copies the keys that are left, in any order: between `keep` and kSelectSurvivors, or all if there are fewer; never more than
// kSelectSurvivors are written. `survivor_count` is 0 before.
extern "C" __global__ void __launch_bounds__(256)
    xfeat_survivors(const uint64_t* __restrict__ keys, const int32_t* __restrict__ key_count, int32_t capacity,
                    int32_t keep, const SelectState* __restrict__ before, const int32_t* __restrict__ before_bins,
                    uint64_t* __restrict__ survivors, int32_t* __restrict__ survivor_count) {
  __shared__ SelectShared shared;
  const int32_t thread = static_cast<int32_t>(threadIdx.x);
  const int32_t count = min(__ldg(key_count), capacity);
  select_enter(&shared, count, keep, before, before_bins, thread);
  const uint64_t floor = shared.state.floor;
  const int32_t step = static_cast<int32_t>(gridDim.x) * kSelectThreads;
  const uint32_t before_lane = (1u << (thread % 32)) - 1u;
  for (int32_t begin = static_cast<int32_t>(blockIdx.x) * kSelectThreads; begin < count; begin += step) {
    const uint64_t key = begin + thread < count ? __ldg(keys + begin + thread) : 0;  // No key is 0.
    const bool stays = key != 0 && key >= floor;
    const uint32_t staying = __ballot_sync(kSelectLanes, stays);
    int32_t first = 0;
    if (thread % 32 == 0 && staying != 0) first = atomicAdd(survivor_count, __popc(staying));  // Once for the warp.
    first = __shfl_sync(kSelectLanes, first, 0);
    const int32_t at = first + __popc(staying & before_lane);
    if (stays && at < kSelectSurvivors) survivors[at] = key;
  }
}
