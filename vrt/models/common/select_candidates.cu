// From scores to sorted tiles of keys, and from those to the few best of all.
VRT_SHARED_TYPES_BEGIN
constexpr int32_t kMaxSelectTile = 256;  // Items of a tile.
constexpr int32_t kMaxSelectThreads = 1024;

// rank_tiles takes so many tiles at most, and ranks so many keys.
constexpr int32_t kMaxRankTiles = 256;
constexpr int32_t kMaxRankKeys = 512;

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
#pragma unroll 10  // A slice of 80 classes, waited for once.
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
#pragma unroll 1
  for (int32_t span = 2; span <= size; span *= 2) {
#pragma unroll 1
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

constexpr int32_t kRankCapacity = 1024;  // Keys that are sorted at once; a thread each.

struct RankTilesShared {
  uint64_t keys[kRankCapacity];
  uint64_t heads[kMaxRankTiles];
  uint64_t floor;
  int32_t total;
  int32_t collected;
};

// Sorted tiles of keys.
struct SortedTiles {
  const uint64_t* keys;
  const int32_t* counts;
  int32_t size;  // Keys from one tile to the next; a power of two.
  int32_t count;
};

__device__ inline int32_t rank_keys_of(const SortedTiles& tiles, int32_t tile) {
  return tile < tiles.count ? __ldg(tiles.counts + 2 * tile + 1) : 0;
}

// A bound that at least `limit` keys reach, and as a rule not many more: where m tiles have q keys above it, m * q keys are. q is
// such that a quarter of the tiles need not have them. 0 where that many tiles have not got q keys.
__device__ uint64_t rank_likely_floor(RankTilesShared* shared, const SortedTiles& tiles, int32_t limit,
                                      int32_t thread) {
  int32_t depth = 1;
  while (4 * limit > 3 * depth * tiles.count && depth < tiles.size) depth *= 2;
  const int32_t wanted = (limit + depth - 1) / depth;
  if (thread < kMaxRankTiles) {
    shared->heads[thread] =
        rank_keys_of(tiles, thread) >= depth ? __ldg(tiles.keys + thread * tiles.size + depth - 1) : 0;
  }
  if (thread == 0) shared->floor = 0;
  __syncthreads();
  if (thread < tiles.count) {
    const uint64_t mine = shared->heads[thread];
    int32_t greater = 0;
#pragma unroll 4
    for (int32_t tile = 0; tile < tiles.count; ++tile) greater += shared->heads[tile] > mine ? 1 : 0;
    if (greater == wanted - 1 && mine != 0) shared->floor = mine;
  }
  __syncthreads();
  return shared->floor;
}

// How many keys of a tile are at least `floor`.
__device__ inline int32_t rank_count_from(const SortedTiles& tiles, int32_t tile, uint64_t floor) {
  const int32_t total = rank_keys_of(tiles, tile);
  int32_t reaching = 0;
#pragma unroll 1
  for (int32_t step = tiles.size; step > 0; step /= 2) {
    const int32_t reached = reaching + step;
    if (reached <= total && __ldg(tiles.keys + tile * tiles.size + reached - 1) >= floor) reaching = reached;
  }
  return reaching;
}

// The greatest bound that `limit` keys reach, bit by bit: then exactly so many do. For tiles that rank_likely_floor is wrong about.
// The first warp finds it.
__device__ uint64_t rank_exact_floor(RankTilesShared* shared, const SortedTiles& tiles, int32_t limit, int32_t thread) {
  uint64_t floor = 0;
#pragma unroll 1
  for (int32_t bit = 63; bit >= 0 && thread < 32; --bit) {
    const uint64_t higher = floor | (uint64_t{1} << bit);
    int32_t reaching = 0;
#pragma unroll 1
    for (int32_t tile = thread; tile < tiles.count; tile += 32) reaching += rank_count_from(tiles, tile, higher);
    for (int32_t reach = 16; reach > 0; reach /= 2) reaching += __shfl_xor_sync(kAllLanes, reaching, reach);
    floor = reaching >= limit ? higher : floor;
  }
  if (thread == 0) shared->floor = floor;
  __syncthreads();
  return shared->floor;
}

constexpr int32_t kRankLanes = 8;  // Neighbouring threads of a tile.

// The keys from `floor` on to shared memory, in any order. Returns how many there are, also beyond its capacity.
__device__ int32_t rank_collect(RankTilesShared* shared, const SortedTiles& tiles, uint64_t floor, int32_t thread,
                                int32_t threads) {
  if (thread == 0) shared->collected = 0;
  __syncthreads();
  const int32_t lane = thread % 32;
#pragma unroll 1
  for (int32_t first_tile = 0; first_tile < tiles.count; first_tile += threads / kRankLanes) {
    const int32_t tile = first_tile + thread / kRankLanes;
    const int32_t total = rank_keys_of(tiles, tile);
    uint32_t found = kAllLanes;
#pragma unroll 1
    for (int32_t at = lane % kRankLanes; found != 0; at += kRankLanes) {
      const uint64_t key = at < total ? __ldg(tiles.keys + tile * tiles.size + at) : 0;
      found = __ballot_sync(kAllLanes, key != 0 && key >= floor);
      int32_t to = 0;
      if (lane == 0) to = atomicAdd(&shared->collected, __popc(found));
      to = __shfl_sync(kAllLanes, to, 0) + __popc(found & ((1u << lane) - 1u));
      if (((found >> lane) & 1u) != 0 && to < kRankCapacity) shared->keys[to] = key;
    }
  }
  __syncthreads();
  return shared->collected;
}

// The `limit` (at most kMaxRankKeys) greatest keys of tiles as select_candidates writes them go to `ranked`, in descending order;
// counts[0] receives how many keys there are in all, counts[1] how many of them are ranked. One block of kRankCapacity threads.
extern "C" __global__ void __launch_bounds__(1024)
    rank_tiles(const uint64_t* __restrict__ keys, const int32_t* __restrict__ tile_counts, int32_t tile_size,
               int32_t tile_count, int32_t limit, uint64_t* __restrict__ ranked, int32_t* __restrict__ counts) {
  __shared__ RankTilesShared block;
  RankTilesShared* const shared = &block;
  const SortedTiles tiles = {keys, tile_counts, tile_size, tile_count};
  const int32_t thread = static_cast<int32_t>(threadIdx.x);
  const int32_t threads = static_cast<int32_t>(blockDim.x);
  if (thread == 0) shared->total = 0;
  __syncthreads();
  if (thread < tiles.count) atomicAdd(&shared->total, rank_keys_of(tiles, thread));
  __syncthreads();
  const int32_t total = shared->total;
  uint64_t floor = total > kRankCapacity ? rank_likely_floor(shared, tiles, limit, thread) : 0;
  int32_t collected = rank_collect(shared, tiles, floor, thread, threads);
  if (collected > kRankCapacity) {
    __syncthreads();  // All have seen the count.
    floor = rank_exact_floor(shared, tiles, limit, thread);
    collected = rank_collect(shared, tiles, floor, thread, threads);
  }
  int32_t size = 2;
  while (size < collected) size *= 2;
  if (thread >= collected && thread < max(size, 32)) shared->keys[thread] = 0;  // Below every key.
  __syncthreads();
  const uint64_t key = select_sort(shared->keys, size, thread);
  const int32_t kept = min(min(total, limit), kMaxRankKeys);
  if (thread < kept) ranked[thread] = key;
  if (thread == 0) {
    counts[0] = total;
    counts[1] = kept;
  }
}
