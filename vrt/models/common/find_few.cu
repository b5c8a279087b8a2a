// The best of not too many pairs of a box and a class, in order, as objects. One block, whose threads keep all scores in registers: what a
// second kernel costs to start is more than many blocks could save.
VRT_SHARED_TYPES_BEGIN
constexpr int32_t kFewThreads = 1024;
constexpr int32_t kFewShare = 28;                          // Scores of a thread.
constexpr int32_t kMaxFewPairs = kFewThreads * kFewShare;  // There may be so many, ...
constexpr int32_t kMaxFewObjects = 512;                    // ... of which so many become objects.

/// The pairs, and which of them count.
struct FewPairs {
  int32_t count;       // Pair i, whose logit is at index i, is of ...
  int32_t columns;     // ... box i / columns and class i % columns.
  float above;         // Logits that are not above it do not count, nor does NaN.
  int32_t background;  // 1: column 0 does not count.
  int32_t limit;       // How many become objects at most.
};

/// The way from the network's boxes to source pixels.
struct FewToSource {
  float scale_x;  // source = box * scale + shift, per axis, ...
  float scale_y;
  float shift_x;
  float shift_y;
  float source_width;  // ... clipped to [0, source_width] and [0, source_height].
  float source_height;
};
VRT_SHARED_TYPES_END

constexpr int32_t kFewCapacity = kFewThreads;  // Keys that are sorted at once; a thread each.
constexpr uint32_t kFewLanes = 0xffffffffu;

struct FewShared {
  alignas(16) uint64_t keys[kFewCapacity];  // What is collected, in any order.
  uint32_t scores[kFewCapacity / 32][32];   // Of 32 neighbours each, their upper halves, descending.
  uint64_t sorted[kFewCapacity];            // By their upper halves.
  int32_t equals[kFewCapacity];             // How many keys from here on in `sorted` have one upper half.
  uint32_t valid[kMaxFewObjects / 32];      // Bit b of word w: the pair of rank 32 * w + b has a valid box.
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

__device__ inline void few_load(FewLane* lane, const float* scores, const FewPairs& which) {
  const int32_t items = min(which.count, kMaxFewPairs);
#pragma unroll
  for (int32_t i = 0; i < kFewShare; ++i) {
    const int32_t item = few_item(lane->thread, i);
    lane->score[i] = item < items ? __ldg(scores + item) : -INFINITY;
  }
#pragma unroll
  for (int32_t i = 0; i < kFewShare; ++i) {
    lane->score[i] = lane->score[i] > which.above ? lane->score[i] : -INFINITY;  // Also NaN.
  }
  if (which.background == 0) return;
  const int32_t step = kFewThreads % which.columns;
  int32_t column = lane->thread % which.columns;
#pragma unroll
  for (int32_t i = 0; i < kFewShare; ++i) {
    if (column == 0) lane->score[i] = -INFINITY;
    column += step;  // A division for each would take longer than all else here.
    column -= column >= which.columns ? which.columns : 0;
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
__device__ inline uint64_t few_exact_floor(FewShared* shared, const float* scores, const FewPairs& which,
                                           int32_t thread) {
  uint64_t floor = 0;
#pragma unroll 1
  for (int32_t bit = 63; bit >= 0; --bit) {
    const uint64_t higher = floor | (uint64_t{1} << bit);
    int32_t reaching = 0;
#pragma unroll 1
    for (int32_t item = thread; item < which.count; item += kFewThreads) {
      const float score = __ldg(scores + item);
      const bool counts = score > which.above && (which.background == 0 || item % which.columns != 0);
      reaching += counts && few_key(score, item) >= higher ? 1 : 0;
    }
    if (thread == 0) shared->total = 0;
    __syncthreads();
    floor = few_sum(&shared->total, reaching, thread) >= which.limit ? higher : floor;
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
    if (at < kFewCapacity) shared->keys[at] = few_key(__ldg(scores + item), item);
    ++at;
  }
  __syncthreads();
  return shared->collected;
}

// How many keys of the thread's run are greater than its own. A run's keys are 32 neighbours; a warp reads each of them at once.
__device__ inline int32_t few_rank_in_run(const uint64_t* run, uint64_t key) {
  const uint4* const pairs = reinterpret_cast<const uint4*>(run);
  int32_t greater = 0;
#pragma unroll
  for (int32_t i = 0; i < 16; ++i) {
    const uint4 two = pairs[i];
    greater += ((static_cast<uint64_t>(two.y) << 32) | two.x) > key ? 1 : 0;
    greater += ((static_cast<uint64_t>(two.w) << 32) | two.z) > key ? 1 : 0;
  }
  return greater;
}

// How many scores of a run, which descend, are above `score`. 32 of them lie in different banks, whoever looks at which.
__device__ inline int32_t few_count_above(const uint32_t (&run)[32], uint32_t score) {
  int32_t above = 0;
#pragma unroll
  for (int32_t step = 16; step > 0; step /= 2) above += run[above + step - 1] > score ? step : 0;
  return above + (run[above] > score ? 1 : 0);
}

// How many of the collected keys are greater than the thread's own, of those threads that have one. Runs are sorted on their own, and a
// key's place in each of them is searched: a sort of all would take more steps, one after the other and most of them with a barrier.
__device__ inline int32_t few_rank(FewShared* shared, int32_t collected, int32_t thread) {
  const int32_t own = thread / 32;
  const int32_t runs = own * 32 < collected ? (collected + 31) / 32 : 0;  // None for threads without a key.
  if (thread >= collected) shared->keys[thread] = static_cast<uint64_t>(kFewCapacity - thread);  // Below every key.
  shared->equals[thread] = 0;
  __syncwarp(kFewLanes);
  const uint64_t key = shared->keys[thread];
  const uint32_t score = static_cast<uint32_t>(key >> 32);
  if (runs != 0) shared->scores[own][few_rank_in_run(shared->keys + own * 32, key)] = score;
  __syncthreads();
  int32_t above = 0;
#pragma unroll 4
  for (int32_t run = 0; run < runs; ++run) above += few_count_above(shared->scores[run], score);
  if (thread < collected) shared->sorted[above + atomicAdd(&shared->equals[above], 1)] = key;
  __syncthreads();
  if (thread >= collected) return collected;
  int32_t rank = above;  // Keys of equal scores are side by side from there on, in any order.
  const int32_t equals = shared->equals[above];
  for (int32_t i = 0; i < equals; ++i) rank += shared->sorted[above + i] > key ? 1 : 0;
  return rank;
}

// Finds the pairs of which the best are: their keys to shared memory. Returns how many those are; *total becomes how many pairs count.
__device__ inline int32_t few_find(FewShared* shared, const float* scores, const FewPairs& which, int32_t thread,
                                   int32_t* total) {
  FewLane lane;
  lane.thread = thread;
  few_load(&lane, scores, which);
  *total = few_total(shared, lane);
  const bool are_few = *total <= which.limit + which.limit / 8;
  const int32_t collected = few_collect(shared, lane, scores, are_few ? 0 : few_likely_floor(lane, which.limit));
  if (collected <= kFewCapacity) return collected;
  return few_collect(shared, lane, scores, few_exact_floor(shared, scores, which, thread));
}

__device__ inline float4 few_corners(const float4& box) {
  return make_float4(box.x - box.z * 0.5f, box.y - box.w * 0.5f, box.x + box.z * 0.5f, box.y + box.w * 0.5f);
}

// As suppress_is_valid of suppress_ranked.cu.
__device__ inline bool few_is_valid(const float4& box) {
  const float area = (box.z - box.x) * (box.w - box.y);
  return box.z >= box.x && box.w >= box.y && area - area == 0.0f;
}

// Written so that NaN stays NaN.
__device__ inline float few_clip(float value, float limit) {
  return value < 0.0f ? 0.0f : (value > limit ? limit : value);
}

__device__ inline float4 few_to_source(const float4& box, const FewToSource& way) {
  return make_float4(few_clip(box.x * way.scale_x + way.shift_x, way.source_width),
                     few_clip(box.y * way.scale_y + way.shift_y, way.source_height),
                     few_clip(box.z * way.scale_x + way.shift_x, way.source_width),
                     few_clip(box.w * way.scale_y + way.shift_y, way.source_height));
}

__device__ inline float few_logit_of(uint64_t key) {
  const uint32_t ordered = static_cast<uint32_t>(key >> 32);
  return __uint_as_float((ordered >> 31) != 0 ? ordered & 0x7FFFFFFFu : ~ordered);
}

// How many valid pairs are better than that of rank `rank`; all for kMaxFewObjects.
__device__ inline int32_t few_valid_before(const FewShared& shared, int32_t rank) {
  int32_t before = 0;
#pragma unroll
  for (int32_t word = 0; word < kMaxFewObjects / 32; ++word) {
    const int32_t bits = min(max(rank - word * 32, 0), 32);
    before += bits == 0 ? 0 : __popc(shared.valid[word] << (32 - bits));
  }
  return before;
}

// Of the pairs that count, the best `limit` (at most kMaxFewObjects; of equal logits the lowest pair first), without those whose boxes
// (centre and size) are inverted or not finite, become objects, best first: boxes in source pixels, scores (the logits' sigmoid), classes
// and boxes' indices, and how many. counts[0] receives how many pairs count, counts[1] how many of them are among the best. One block of
// kFewThreads threads.
extern "C" __global__ void __launch_bounds__(1024)
    find_few(const float* __restrict__ logits, FewPairs which, const float4* __restrict__ boxes, FewToSource way,
             int32_t* __restrict__ counts, float4* __restrict__ found_boxes, float* __restrict__ found_scores,
             int32_t* __restrict__ found_classes, int32_t* __restrict__ found_indices,
             int32_t* __restrict__ found_count) {
  __shared__ FewShared block;
  FewShared* const shared = &block;
  const int32_t thread = static_cast<int32_t>(threadIdx.x);
  if (thread < kMaxFewObjects / 32) shared->valid[thread] = 0;
  if (thread == 0) shared->total = 0;
  __syncthreads();
  int32_t total = 0;
  const int32_t collected = few_find(shared, logits, which, thread, &total);
  const int32_t kept = min(total, which.limit);
  const uint64_t key = thread < collected ? shared->keys[thread] : 0;
  const int32_t pair = thread < collected ? static_cast<int32_t>(~static_cast<uint32_t>(key)) : 0;
  const float4 box = few_corners(__ldg(boxes + pair / which.columns));  // On its way while keys are ranked.
  const int32_t rank = few_rank(shared, collected, thread);
  const bool stays = rank < kept && few_is_valid(box);
  if (stays) atomicOr(&shared->valid[rank / 32], 1u << (rank % 32));
  __syncthreads();
  if (stays) {
    const int32_t at = few_valid_before(*shared, rank);
    found_boxes[at] = few_to_source(box, way);
    found_scores[at] = 1.0f / (1.0f + expf(-few_logit_of(key)));
    found_classes[at] = pair % which.columns;
    found_indices[at] = pair / which.columns;
  }
  if (thread == 0) {
    counts[0] = total;
    counts[1] = kept;
    *found_count = few_valid_before(*shared, kMaxFewObjects);
  }
}
