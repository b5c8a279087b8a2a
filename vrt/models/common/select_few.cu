// The few best of not too many scores, in order. One block, whose threads keep all scores in registers: what a second kernel costs to
// start is more than many blocks could save.
VRT_SHARED_TYPES_BEGIN
constexpr int32_t kFewThreads = 1024;
constexpr int32_t kFewShare = 28;                           // Scores of a thread.
constexpr int32_t kMaxFewScores = kFewThreads * kFewShare;  // There may be so many, ...
constexpr int32_t kMaxFewRanked = 512;                      // ... of which so many are ranked.

/// Which scores count.
struct FewScores {
  int32_t items;   // Item i has the score at index i.
  float above;     // Scores that are not above it do not count, ...
  float most;      // ... nor those above this one, nor NaN.
  int32_t period;  // Every item whose index is a multiple of it does not count; 0: all count.
};
VRT_SHARED_TYPES_END

constexpr int32_t kFewCapacity = kFewThreads;  // Keys that are sorted at once; a thread each.
constexpr uint32_t kFewLanes = 0xffffffffu;

struct FewShared {
  uint64_t keys[2][kFewCapacity];  // Two, for the sort to go from one to the other.
  int32_t total;
  int32_t collected;
};

// A thread's scores, of items that lie a block's width apart. Those that do not count are -infinity, which none that counts is.
struct FewLane {
  int32_t thread;
  float score[kFewShare];
};

__device__ inline int32_t few_item(int32_t thread, int32_t i) { return i * kFewThreads + thread; }

// Orders like the score, and -0 like +0; no score's is 0.
__device__ inline uint32_t few_ordered(float score) {
  const uint32_t bits = __float_as_uint(score + 0.0f);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}

// As select_key of select_candidates.cu.
__device__ inline uint64_t few_key(float score, int32_t item) {
  return (static_cast<uint64_t>(few_ordered(score)) << 32) | ~static_cast<uint32_t>(item);
}

__device__ inline void few_load(FewLane* lane, const float* scores, const FewScores& which) {
  const int32_t items = min(which.items, kMaxFewScores);
#pragma unroll
  for (int32_t i = 0; i < kFewShare; ++i) {
    const int32_t item = few_item(lane->thread, i);
    lane->score[i] = item < items ? __ldg(scores + item) : -INFINITY;
  }
#pragma unroll
  for (int32_t i = 0; i < kFewShare; ++i) {
    const bool counts = lane->score[i] > which.above && lane->score[i] <= which.most;  // False for NaN.
    lane->score[i] = counts ? lane->score[i] : -INFINITY;
  }
  if (which.period == 0) return;
#pragma unroll
  for (int32_t i = 0; i < kFewShare; ++i) {
    if (few_item(lane->thread, i) % which.period == 0) lane->score[i] = -INFINITY;
  }
}

// What all threads have together, to *total, which is 0 before.
__device__ inline int32_t few_sum(int32_t* total, int32_t own, int32_t thread) {
  for (int32_t reach = 16; reach > 0; reach /= 2) own += __shfl_xor_sync(kFewLanes, own, reach);
  if (thread % 32 == 0) atomicAdd(total, own);
  __syncthreads();
  return *total;
}

__device__ inline int32_t few_total(FewShared* shared, const FewLane& lane) {
  int32_t counting = 0;
#pragma unroll
  for (int32_t i = 0; i < kFewShare; ++i) counting += lane.score[i] > -INFINITY ? 1 : 0;
  return few_sum(&shared->total, counting, lane.thread);
}

// A bound that at least `limit` keys reach, and as a rule not many more: one that `limit` to an eighth more of the threads' best scores
// reach. Found bit by bit; 0 where too few threads have a score that counts.
__device__ inline uint64_t few_likely_floor(const FewLane& lane, int32_t limit) {
  float best = -INFINITY;
#pragma unroll
  for (int32_t i = 0; i < kFewShare; ++i) best = fmaxf(best, lane.score[i]);
  const uint32_t own = best > -INFINITY ? few_ordered(best) : 0u;
  uint32_t floor = 0;
#pragma unroll 1
  for (uint32_t bit = 0x80000000u; bit != 0; bit >>= 1) {
    const int32_t reaching = __syncthreads_count(own >= (floor | bit));
    if (reaching < limit) continue;
    floor |= bit;
    if (reaching <= limit + limit / 8) break;
  }
  return static_cast<uint64_t>(floor) << 32;
}

// The greatest bound that `limit` keys reach, bit by bit: then exactly so many do. For scores that few_likely_floor is wrong about.
__device__ inline uint64_t few_exact_floor(FewShared* shared, const float* scores, const FewScores& which,
                                           int32_t limit, int32_t thread) {
  uint64_t floor = 0;
#pragma unroll 1
  for (int32_t bit = 63; bit >= 0; --bit) {
    const uint64_t higher = floor | (uint64_t{1} << bit);
    int32_t reaching = 0;
#pragma unroll 1
    for (int32_t item = thread; item < which.items; item += kFewThreads) {
      const float score = __ldg(scores + item);
      const bool counts = score > which.above && score <= which.most && (which.period == 0 || item % which.period != 0);
      reaching += counts && few_key(score, item) >= higher ? 1 : 0;
    }
    if (thread == 0) shared->total = 0;
    __syncthreads();
    floor = few_sum(&shared->total, reaching, thread) >= limit ? higher : floor;
    __syncthreads();
  }
  return floor;
}

// Bit i: the key of the thread's score i reaches `floor`.
__device__ inline uint32_t few_reaching(const FewLane& lane, uint64_t floor) {
  const uint32_t ordered = static_cast<uint32_t>(floor >> 32);
  const float least = (ordered >> 31) != 0 ? __uint_as_float(ordered & 0x7FFFFFFFu) : __uint_as_float(~ordered);
  const float bound = ordered == 0 ? -FLT_MAX : least;  // A bound that is not 0 is a score's, or between two scores'.
  uint32_t reaching = 0;
#pragma unroll
  for (int32_t i = 0; i < kFewShare; ++i) reaching |= lane.score[i] >= bound ? 1u << i : 0u;
  if (static_cast<uint32_t>(floor) == 0) return reaching;
#pragma unroll
  for (int32_t i = 0; i < kFewShare; ++i) {  // Among equals the lowest items.
    if (few_key(lane.score[i], few_item(lane.thread, i)) < floor) reaching &= ~(1u << i);
  }
  return reaching;
}

// The keys from `floor` on to shared memory, in any order. Returns how many there are, also beyond its capacity.
__device__ inline int32_t few_collect(FewShared* shared, const FewLane& lane, const float* scores, uint64_t floor) {
  if (lane.thread == 0) shared->collected = 0;
  __syncthreads();
  uint32_t reaching = few_reaching(lane, floor);
  const int32_t own = __popc(reaching);
  int32_t sum = own;  // Of the warp's threads up to this one.
#pragma unroll
  for (int32_t reach = 1; reach < 32; reach *= 2) {
    const int32_t before = __shfl_up_sync(kFewLanes, sum, static_cast<uint32_t>(reach));
    sum += lane.thread % 32 >= reach ? before : 0;
  }
  int32_t at = lane.thread % 32 == 31 ? atomicAdd(&shared->collected, sum) : 0;
  at = __shfl_sync(kFewLanes, at, 31) + sum - own;
#pragma unroll 1
  for (; reaching != 0; reaching &= reaching - 1) {  // Read again: registers have no index that changes.
    const int32_t item = few_item(lane.thread, __ffs(static_cast<int32_t>(reaching)) - 1);
    if (at < kFewCapacity) shared->keys[0][at] = few_key(__ldg(scores + item), item);
    ++at;
  }
  __syncthreads();
  return shared->collected;
}

__device__ inline uint64_t few_exchanged(uint64_t mine, uint64_t other, int32_t thread, int32_t span, int32_t step) {
  const bool wants_greater = ((thread & step) == 0) == ((thread & span) == 0);
  return (mine > other) == wants_greater ? mine : other;
}

// A bitonic network over the first `size` keys (a power of two, at least 32): returns the thread's own in descending order. Neighbours
// within a warp exchange theirs in registers; others through two arrays in turn, which saves a barrier of two.
__device__ inline uint64_t few_sort(FewShared* shared, int32_t size, int32_t thread) {
  const bool takes_part = thread < size;  // Whole warps.
  uint64_t mine = takes_part ? shared->keys[0][thread] : 0;
  int32_t turn = 1;
#pragma unroll 1
  for (int32_t span = 2; span <= size; span *= 2) {
#pragma unroll 1
    for (int32_t step = span / 2; step >= 32; step /= 2, turn ^= 1) {
      if (takes_part) shared->keys[turn][thread] = mine;
      __syncthreads();
      if (takes_part) mine = few_exchanged(mine, shared->keys[turn][thread ^ step], thread, span, step);
    }
    if (!takes_part) continue;
#pragma unroll
    for (int32_t step = 16; step > 0; step /= 2) {
      if (step < span) mine = few_exchanged(mine, __shfl_xor_sync(kFewLanes, mine, step), thread, span, step);
    }
  }
  return mine;
}

// The `limit` (at most kMaxFewRanked) greatest keys (score and item, as select_candidates makes them) of at most kMaxFewScores scores go
// to `ranked`, in descending order; counts[0] receives how many scores count, counts[1] how many of them are ranked. One block of
// kFewThreads threads.
extern "C" __global__ void __launch_bounds__(1024)
    select_few(const float* __restrict__ scores, FewScores which, int32_t limit, uint64_t* __restrict__ ranked,
               int32_t* __restrict__ counts) {
  __shared__ FewShared block;
  FewShared* const shared = &block;
  FewLane lane;
  lane.thread = static_cast<int32_t>(threadIdx.x);
  if (lane.thread == 0) shared->total = 0;
  few_load(&lane, scores, which);
  __syncthreads();
  const int32_t total = few_total(shared, lane);
  uint64_t floor = total > limit + limit / 8 ? few_likely_floor(lane, limit) : 0;
  int32_t collected = few_collect(shared, lane, scores, floor);
  if (collected > kFewCapacity) {
    floor = few_exact_floor(shared, scores, which, limit, lane.thread);
    collected = few_collect(shared, lane, scores, floor);
  }
  int32_t size = 32;
  while (size < collected) size *= 2;
  if (lane.thread >= collected && lane.thread < size) shared->keys[0][lane.thread] = 0;  // Below every key.
  __syncthreads();
  const uint64_t key = few_sort(shared, size, lane.thread);
  const int32_t kept = min(min(total, limit), kMaxFewRanked);
  if (lane.thread < kept) ranked[lane.thread] = key;
  if (lane.thread == 0) {
    counts[0] = total;
    counts[1] = kept;
  }
}
