// Greedy non-maximum suppression of any number of ranked boxes, of which few are kept. One block.
VRT_SHARED_TYPES_BEGIN
constexpr int32_t kMaxKeptBoxes = 1024;
constexpr int32_t kSuppressTile = 128;  // Boxes that are tested at once; the block has at least as many threads.

/// Where the boxes of a network's items are, and the way from its input to source pixels.
struct BoxLayout {
  int32_t pairs;         // Items of a box: 1, or its classes where each pair of box and class is an item.
  int32_t box_stride;    // From a box's first number to that of the next one, in floats.
  int32_t value_stride;  // From a box's number to its next one.
  int32_t corners;       // 1: x1, y1, x2, y2; 0: centre x, centre y, width, height.
  float scale_x;         // source = box * scale + shift, per axis, ...
  float scale_y;
  float shift_x;
  float shift_y;
  float source_width;  // ... clipped to [0, source_width] and [0, source_height].
  float source_height;
};

/// Which boxes suppress which.
struct SuppressionRule {
  float threshold;      // Intersection over union above it; 1: none suppresses any.
  int32_t max_kept;     // At most kMaxKeptBoxes.
  int32_t class_aware;  // 1: boxes of different classes do not suppress each other.
  int32_t logits;       // 1: ranked scores are logits, found ones their sigmoid.
};
VRT_SHARED_TYPES_END

constexpr uint32_t kAllLanes = 0xffffffffu;
constexpr int32_t kTileWords = kSuppressTile / 32;

// A ranked box in the network's pixels.
struct RankedBox {
  float4 box;
  float score;
  int32_t index;
  int32_t object_class;
  int32_t valid;
};

// Of one tile, and of all that is kept.
struct SuppressShared {
  float4 kept_boxes[kMaxKeptBoxes];
  int32_t kept_classes[kMaxKeptBoxes];
  RankedBox tiles[2][kSuppressTile];
  uint32_t suppressors[kSuppressTile]
                      [kTileWords];  // Bit b of word w: box 32 * w + b of the tile, better and overlapping.
  int32_t alive[kSuppressTile];
  int32_t kept;
};

__device__ inline float4 suppress_box_of(const float* boxes, const BoxLayout& layout, int32_t index) {
  const float* at = boxes + static_cast<int64_t>(index) * layout.box_stride;
  const float a = __ldg(at);
  const float b = __ldg(at + layout.value_stride);
  const float c = __ldg(at + 2 * layout.value_stride);
  const float d = __ldg(at + 3 * layout.value_stride);
  if (layout.corners != 0) return make_float4(a, b, c, d);
  return make_float4(a - c * 0.5f, b - d * 0.5f, a + c * 0.5f, b + d * 0.5f);
}

// Inverted and non-finite boxes are dropped and suppress nothing. Not written as "is inverted", so that NaN counts.
__device__ inline bool suppress_is_valid(const float4& box) {
  const float area = (box.z - box.x) * (box.w - box.y);
  return box.z >= box.x && box.w >= box.y && area - area == 0.0f;
}

__device__ inline bool suppress_overlaps(const float4& a, const float4& b, float threshold) {
  const float width = fminf(a.z, b.z) - fmaxf(a.x, b.x);
  const float height = fminf(a.w, b.w) - fmaxf(a.y, b.y);
  const float shared = width > 0.0f && height > 0.0f ? width * height : 0.0f;
  const float united = (a.z - a.x) * (a.w - a.y) + (b.z - b.x) * (b.w - b.y) - shared;
  return shared > threshold * united;
}

// The score whose key has these upper bits.
__device__ inline float suppress_score_of(uint64_t key) {
  const uint32_t ordered = static_cast<uint32_t>(key >> 32);
  return __uint_as_float((ordered >> 31) != 0 ? ordered & 0x7FFFFFFFu : ~ordered);
}

__device__ inline RankedBox suppress_load(const uint64_t* ranked, int32_t rank, int32_t total, const float* boxes,
                                          const BoxLayout& layout, const int32_t* classes) {
  RankedBox loaded = {};
  if (rank >= total) return loaded;
  const uint64_t key = __ldg(ranked + rank);
  const int32_t item = static_cast<int32_t>(~static_cast<uint32_t>(key));
  loaded.index = item / layout.pairs;
  loaded.score = suppress_score_of(key);
  loaded.box = suppress_box_of(boxes, layout, loaded.index);
  loaded.object_class = classes == nullptr ? item % layout.pairs : __ldg(classes + item);
  loaded.valid = suppress_is_valid(loaded.box) ? 1 : 0;
  return loaded;
}

// Which boxes of the tile no kept box suppresses. `sharers` threads share the kept boxes of one box of the tile.
__device__ void suppress_by_kept(SuppressShared* shared, const RankedBox* tile, const SuppressionRule& rule,
                                 int32_t kept, int32_t lane, int32_t sharers) {
  const RankedBox& mine = tile[lane / sharers];
  bool hit = false;
  const int32_t rivals = mine.valid != 0 ? kept : 0;
  for (int32_t k = lane % sharers; k < rivals && !hit; k += sharers) {
    if (rule.class_aware != 0 && shared->kept_classes[k] != mine.object_class) continue;
    hit = suppress_overlaps(shared->kept_boxes[k], mine.box, rule.threshold);
  }
  const uint32_t hits = __ballot_sync(kAllLanes, hit) >> (lane % 32 / sharers * sharers);
  const uint32_t own = sharers == 32 ? kAllLanes : (1u << sharers) - 1u;
  if (lane % sharers == 0) shared->alive[lane / sharers] = mine.valid != 0 && (hits & own) == 0 ? 1 : 0;
}

// For each box of the tile: the better ones of the tile that overlap it. A warp a box.
__device__ void suppress_within_tile(SuppressShared* shared, const RankedBox* tile, const SuppressionRule& rule,
                                     int32_t thread, int32_t threads) {
  const int32_t lane = thread % 32;
  for (int32_t weaker = thread / 32; weaker < kSuppressTile; weaker += threads / 32) {
    const RankedBox& mine = tile[weaker];
    for (int32_t word = 0; word < kTileWords; ++word) {
      const int32_t better = word * 32 + lane;
      const RankedBox& other = tile[better];
      const bool meets = better < weaker && shared->alive[weaker] != 0 && shared->alive[better] != 0 &&
                         (rule.class_aware == 0 || other.object_class == mine.object_class) &&
                         suppress_overlaps(other.box, mine.box, rule.threshold);
      const uint32_t bits = __ballot_sync(kAllLanes, meets);
      if (lane == 0) shared->suppressors[weaker][word] = bits;
    }
  }
}

// Which boxes of the tile stay, as bits: a box stays if none that stays suppresses it. Every round decides those whose
// suppressors are decided, the best undecided one at least. One warp.
__device__ void suppress_resolve(const SuppressShared* shared, int32_t lane, uint32_t (&stays)[kTileWords]) {
  uint32_t open[kTileWords];
#pragma unroll
  for (int32_t word = 0; word < kTileWords; ++word) {
    stays[word] = 0;
    open[word] = __ballot_sync(kAllLanes, shared->alive[word * 32 + lane] != 0);
  }
  while ((open[0] | open[1] | open[2] | open[3]) != 0) {
    uint32_t decided[kTileWords];
    uint32_t staying[kTileWords];
#pragma unroll
    for (int32_t word = 0; word < kTileWords; ++word) {
      uint32_t by_kept = 0;
      uint32_t by_open = 0;
#pragma unroll
      for (int32_t other = 0; other <= word; ++other) {
        const uint32_t suppressors = shared->suppressors[word * 32 + lane][other];
        by_kept |= suppressors & stays[other];
        by_open |= suppressors & open[other];
      }
      const bool is_open = ((open[word] >> lane) & 1u) != 0;
      decided[word] = __ballot_sync(kAllLanes, is_open && (by_kept != 0 || by_open == 0));
      staying[word] = __ballot_sync(kAllLanes, is_open && by_kept == 0 && by_open == 0);
    }
#pragma unroll
    for (int32_t word = 0; word < kTileWords; ++word) {
      open[word] &= ~decided[word];
      stays[word] |= staying[word];
    }
  }
}

// Written so that NaN stays NaN.
__device__ inline float suppress_clip(float value, float limit) {
  return value < 0.0f ? 0.0f : (value > limit ? limit : value);
}

__device__ inline float4 suppress_to_source(const float4& box, const BoxLayout& layout) {
  return make_float4(suppress_clip(box.x * layout.scale_x + layout.shift_x, layout.source_width),
                     suppress_clip(box.y * layout.scale_y + layout.shift_y, layout.source_height),
                     suppress_clip(box.z * layout.scale_x + layout.shift_x, layout.source_width),
                     suppress_clip(box.w * layout.scale_y + layout.shift_y, layout.source_height));
}

// Where what stays goes, best first.
struct FoundObjects {
  float4* boxes;
  float* scores;
  int32_t* classes;
  int32_t* indices;
};

__device__ inline void suppress_write(const RankedBox& box, const BoxLayout& layout, const SuppressionRule& rule,
                                      const FoundObjects& found, int32_t at) {
  found.boxes[at] = suppress_to_source(box.box, layout);
  found.scores[at] = rule.logits != 0 ? 1.0f / (1.0f + expf(-box.score)) : box.score;
  found.classes[at] = box.object_class;
  found.indices[at] = box.index;
}

// Where no box suppresses any: all valid ones stay, a box a thread. Returns how many.
__device__ int32_t suppress_none(int32_t* warp_counts, const uint64_t* ranked, int32_t total, const float* boxes,
                                 const int32_t* classes, const BoxLayout& layout, const SuppressionRule& rule,
                                 const FoundObjects& found, int32_t thread, int32_t threads) {
  int32_t kept = 0;
  for (int32_t first = 0; first < total && kept < rule.max_kept; first += threads) {
    const RankedBox box = suppress_load(ranked, first + thread, total, boxes, layout, classes);
    const uint32_t valid = __ballot_sync(kAllLanes, box.valid != 0);
    if (thread % 32 == 0) warp_counts[thread / 32] = __popc(valid);
    __syncthreads();
    int32_t at = kept + __popc(valid & ((1u << (thread % 32)) - 1u));
    for (int32_t warp = 0; warp < threads / 32; ++warp) {
      const int32_t count = warp_counts[warp];
      at += warp < thread / 32 ? count : 0;
      kept += count;
    }
    if (box.valid != 0 && at < rule.max_kept) suppress_write(box, layout, rule, found, at);
    __syncthreads();
  }
  return min(kept, rule.max_kept);
}

// `ranked` has counts[1] keys in descending order, as merge_candidates writes them; `boxes` has the box of item i at index
// i / pairs, `classes` its class (null: it is i % pairs). What stays goes, best first, to found_boxes (source pixels), found_scores,
// found_classes and found_indices, and how many those are to `found_count`.
extern "C" __global__ void __launch_bounds__(1024, 1)
    suppress_ranked(const uint64_t* __restrict__ ranked, const int32_t* __restrict__ counts,
                    const float* __restrict__ boxes, const int32_t* __restrict__ classes, BoxLayout layout,
                    SuppressionRule rule, float4* __restrict__ found_boxes, float* __restrict__ found_scores,
                    int32_t* __restrict__ found_classes, int32_t* __restrict__ found_indices,
                    int32_t* __restrict__ found_count) {
  __shared__ SuppressShared block;
  SuppressShared* const shared = &block;
  const int32_t thread = static_cast<int32_t>(threadIdx.x);
  const int32_t threads = static_cast<int32_t>(blockDim.x);
  const int32_t total = __ldg(counts + 1);
  const FoundObjects found = {found_boxes, found_scores, found_classes, found_indices};
  if (rule.threshold >= 1.0f) {
    const int32_t kept =
        suppress_none(shared->alive, ranked, total, boxes, classes, layout, rule, found, thread, threads);
    if (thread == 0) *found_count = kept;
    return;
  }
  if (thread == 0) shared->kept = 0;
  if (thread < kSuppressTile) shared->tiles[0][thread] = suppress_load(ranked, thread, total, boxes, layout, classes);
  __syncthreads();
  int32_t kept = 0;
  for (int32_t first = 0; first < total && kept < rule.max_kept; first += kSuppressTile) {
    const RankedBox* tile = shared->tiles[first / kSuppressTile % 2];
    RankedBox* next = shared->tiles[(first / kSuppressTile + 1) % 2];
    RankedBox loaded;  // Of the next tile: on its way while this one is worked on.
    if (thread < kSuppressTile) {
      loaded = suppress_load(ranked, first + kSuppressTile + thread, total, boxes, layout, classes);
    }
    suppress_by_kept(shared, tile, rule, kept, thread, threads / kSuppressTile);
    __syncthreads();
    suppress_within_tile(shared, tile, rule, thread, threads);
    if (thread < kSuppressTile) next[thread] = loaded;
    __syncthreads();
    if (thread < 32) {
      uint32_t stays[kTileWords];
      suppress_resolve(shared, thread, stays);
      int32_t position = kept;
#pragma unroll
      for (int32_t word = 0; word < kTileWords; ++word) {
        const int32_t at = position + __popc(stays[word] & ((1u << thread) - 1u));
        if (((stays[word] >> thread) & 1u) != 0 && at < rule.max_kept) {
          const RankedBox& box = tile[word * 32 + thread];
          shared->kept_boxes[at] = box.box;
          shared->kept_classes[at] = box.object_class;
          suppress_write(box, layout, rule, found, at);
        }
        position += __popc(stays[word]);
      }
      if (thread == 0) shared->kept = min(position, rule.max_kept);
    }
    __syncthreads();
    kept = shared->kept;
  }
  if (thread == 0) *found_count = kept;
}
