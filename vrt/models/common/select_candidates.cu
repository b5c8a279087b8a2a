// From scores to sorted tiles of keys: the first half of selecting the best of many. One block a tile.
VRT_SHARED_TYPES_BEGIN
constexpr int32_t kMaxSelectTile = 256;  // Items of a tile.
constexpr int32_t kMaxSelectThreads = 1024;

/// Where the scores of an item's classes are, and which of them count.
struct ScoreLayout {
  int32_t items;
  int32_t classes;       // Of each item; the best one counts.
  int32_t item_stride;   // From an item's score to that of the next one, in floats.
  int32_t class_stride;  // From a class to the next one.
  float above;           // Scores that are not above it do not count, ...
  float most;            // ... nor those above this one, nor NaN.
  int32_t period;        // Every item whose index is a multiple of it does not count; 0: all count.
};
VRT_SHARED_TYPES_END

// A key orders like the score; equal scores (-0 equals +0) by the lower index first. No key is 0.
__device__ inline uint64_t select_key(float score, int32_t index) {
  const uint32_t bits = __float_as_uint(score + 0.0f);
  const uint32_t ordered = (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
  return (static_cast<uint64_t>(ordered) << 32) | ~static_cast<uint32_t>(index);
}

// The best of the classes [first, last) of an item as a key whose index is the class; 0 if none counts.
__device__ inline uint64_t select_best_class(const float* item, const ScoreLayout& layout, int32_t first,
                                             int32_t last) {
  float best = layout.above;
  int32_t best_class = -1;
#pragma unroll 8
  for (int32_t c = first; c < last; ++c) {
    const float score = __ldg(item + static_cast<int64_t>(c) * layout.class_stride);
    const bool better = score > best && score <= layout.most;  // False for NaN.
    best = better ? score : best;
    best_class = better ? c : best_class;
  }
  return best_class < 0 ? 0 : select_key(best, best_class);
}

constexpr uint32_t kAllLanes = 0xffffffffu;

// A bitonic network over the keys of the first `size` threads (a power of two): returns the thread's own in descending order. `keys`
// has room for all of them. Neighbours within a warp exchange theirs in registers, without a barrier.
__device__ uint64_t select_sort(uint64_t* keys, int32_t size, int32_t lane) {
  const bool takes_part = lane < max(size, 32);  // Whole warps.
  uint64_t mine = takes_part ? keys[lane] : 0;
  for (int32_t span = 2; span <= size; span *= 2) {
    for (int32_t step = span / 2; step > 0; step /= 2) {
      uint64_t other = 0;
      if (step < 32) {
        if (takes_part) other = __shfl_xor_sync(kAllLanes, mine, step);
      } else {
        if (takes_part) keys[lane] = mine;
        __syncthreads();
        if (takes_part) other = keys[lane ^ step];
        __syncthreads();
      }
      const bool wants_greater = ((lane & step) == 0) == ((lane & span) == 0);
      mine = (mine > other) == wants_greater ? mine : other;
    }
  }
  return mine;
}

// Block b has the items [b * blockDim.x, (b + 1) * blockDim.x); blockDim.x is a power of two, at most kMaxSelectTile. The
// blockDim.y threads of an item share its classes. The keys of the items that count (score and the item's index) go to
// tiles[b * blockDim.x] and following, in descending order, and their number to tile_counts[2 * b] and, as none is left out,
// to tile_counts[2 * b + 1]. `best_classes`, null where items have one class, receives each counting item's best class, of
// equal ones the lowest.
extern "C" __global__ void __launch_bounds__(1024)
    select_candidates(const float* __restrict__ scores, ScoreLayout layout, uint64_t* __restrict__ tiles,
                      int32_t* __restrict__ tile_counts, int32_t* __restrict__ best_classes) {
  __shared__ uint64_t best[kMaxSelectThreads];
  __shared__ uint64_t keys[kMaxSelectTile];
  __shared__ int32_t count;
  const int32_t column = static_cast<int32_t>(threadIdx.x);
  const int32_t tile = static_cast<int32_t>(blockDim.x);
  const int32_t lane = static_cast<int32_t>(threadIdx.y) * tile + column;
  const int32_t item = static_cast<int32_t>(blockIdx.x) * tile + column;
  const int32_t share = (layout.classes + static_cast<int32_t>(blockDim.y) - 1) / static_cast<int32_t>(blockDim.y);
  const int32_t first = static_cast<int32_t>(threadIdx.y) * share;
  const bool counts = item < layout.items && (layout.period == 0 || item % layout.period != 0);
  const int32_t last = counts ? min(first + share, layout.classes) : first;
  best[lane] = select_best_class(scores + static_cast<int64_t>(item) * layout.item_stride, layout, first, last);
  if (lane == 0) count = 0;
  __syncthreads();
  if (lane == column) {
    uint64_t found = best[column];
    for (int32_t part = 1; part < static_cast<int32_t>(blockDim.y); ++part) {
      const uint64_t other = best[part * tile + column];
      found = other > found ? other : found;
    }
    if (found != 0) {
      keys[atomicAdd(&count, 1)] = (found & 0xFFFFFFFF00000000u) | ~static_cast<uint32_t>(item);
      if (best_classes != nullptr) best_classes[item] = static_cast<int32_t>(~static_cast<uint32_t>(found));
    }
  }
  __syncthreads();
  const int32_t total = count;
  int32_t size = 2;
  while (size < total) size *= 2;
  if (lane >= total && lane < max(size, 32)) keys[lane] = 0;  // Below every key.
  __syncthreads();
  const uint64_t key = select_sort(keys, size, lane);
  if (lane < total) tiles[blockIdx.x * blockDim.x + lane] = key;
  if (lane < 2) tile_counts[2 * blockIdx.x + lane] = total;
}
