// The most similar descriptor of another set, for each of two sets at once: a tile of the similarity matrix a block, which stays
// in registers. Float32, portable; match_best_half.cu is its sibling for tensor cores.

constexpr int32_t kMatchChannels = 64;
constexpr int32_t kMatchTile = 128;              // Rows and columns of a block.
constexpr int32_t kMatchSlice = 32;              // Channels in shared memory at once.
constexpr int32_t kMatchPitch = kMatchTile + 4;  // Keeps a row's float4 aligned, and stores to few banks apart.
constexpr int32_t kMatchThreads = 256;           // 16 × 16, each with 8 rows and 8 columns of the tile.
constexpr uint32_t kMatchLanes = 0xffffffffu;

struct MatchShared {
  alignas(16) float a[kMatchSlice][kMatchPitch];
  alignas(16) float b[kMatchSlice][kMatchPitch];
  uint64_t columns[kMatchThreads / 32][kMatchTile];
};

// The part of the tile that a thread has: row i of it is row(i) of the tile, and so are columns.
struct MatchPart {
  float value[8][8];
};

__device__ int32_t match_place(int32_t thread, int32_t i) { return thread * 4 + (i & 3) + (i >> 2) * (kMatchTile / 2); }

// A greater key is a greater similarity, or an equal one of a lower index. -0 counts as 0. No similarity is 0, below all.
__device__ uint64_t match_key(float similarity, int32_t index) {
  const uint32_t bits = __float_as_uint(similarity + 0.0f);
  const uint32_t ordered = (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
  return index < 0 ? 0 : (static_cast<uint64_t>(ordered) << 32) | ~static_cast<uint32_t>(index);
}

__device__ uint64_t match_greater(uint64_t a, uint64_t b) { return a > b ? a : b; }

__device__ void match_record(uint64_t* best, uint64_t key) {
  if (key == 0) return;
#ifdef VRT_ON_GPU
  atomicMax(reinterpret_cast<unsigned long long*>(best), static_cast<unsigned long long>(key));
#else
  atomicMax(best, key);
#endif
}

// A slice of the channels of kMatchTile descriptors from `first` on, channel by channel; zeros beyond `count`.
__device__ void match_load(float (*slice)[kMatchPitch], const float* set, int32_t first, int32_t count, int32_t channel,
                           int32_t thread) {
  constexpr int32_t kQuads = kMatchSlice / 4;
#pragma unroll
  for (int32_t i = 0; i < kMatchTile * kQuads / kMatchThreads; ++i) {
    const int32_t quad = thread % kQuads;
    const int32_t row = thread / kQuads + i * (kMatchThreads / kQuads);
    float4 four = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (first + row < count) {
      four = __ldg(reinterpret_cast<const float4*>(set + (first + row) * kMatchChannels + channel) + quad);
    }
    slice[quad * 4][row] = four.x;
    slice[quad * 4 + 1][row] = four.y;
    slice[quad * 4 + 2][row] = four.z;
    slice[quad * 4 + 3][row] = four.w;
  }
}

// Adds the products of a slice: in the order of the channels, each fused.
__device__ void match_multiply(const MatchShared* shared, int32_t row_thread, int32_t column_thread, MatchPart* part) {
  for (int32_t channel = 0; channel < kMatchSlice; ++channel) {
    float a[8];
    float b[8];
#pragma unroll
    for (int32_t i = 0; i < 8; ++i) a[i] = shared->a[channel][match_place(row_thread, i)];
#pragma unroll
    for (int32_t i = 0; i < 8; ++i) b[i] = shared->b[channel][match_place(column_thread, i)];
#pragma unroll
    for (int32_t i = 0; i < 8; ++i) {
#pragma unroll
      for (int32_t j = 0; j < 8; ++j) part->value[i][j] = fmaf(a[i], b[j], part->value[i][j]);
    }
  }
}

// The best columns of the part's rows: of 16 neighbouring threads, which have the same rows; one of them records.
__device__ void match_rows(const MatchPart* part, int32_t row, int32_t rows, int32_t column, int32_t columns,
                           int32_t row_thread, int32_t column_thread, uint64_t* best_of_a) {
#pragma unroll
  for (int32_t i = 0; i < 8; ++i) {
    float best = -INFINITY;
    int32_t index = -1;
#pragma unroll
    for (int32_t j = 0; j < 8; ++j) {
      const int32_t candidate = column + match_place(column_thread, j);
      const bool better = candidate < columns && part->value[i][j] > best;
      best = better ? part->value[i][j] : best;
      index = better ? candidate : index;
    }
    uint64_t key = match_key(best, index);
#pragma unroll
    for (int32_t reach = 1; reach < 16; reach *= 2) key = match_greater(key, __shfl_xor_sync(kMatchLanes, key, reach));
    const int32_t own = row + match_place(row_thread, i);
    if (column_thread == 0 && own < rows) match_record(best_of_a + own, key);
  }
}

// The best rows of the part's columns, of the warp's two rows of threads.
__device__ void match_columns(const MatchPart* part, int32_t row, int32_t rows, int32_t row_thread,
                              int32_t column_thread, uint64_t* warp_columns) {
#pragma unroll
  for (int32_t j = 0; j < 8; ++j) {
    float best = -INFINITY;
    int32_t index = -1;
#pragma unroll
    for (int32_t i = 0; i < 8; ++i) {
      const int32_t candidate = row + match_place(row_thread, i);
      const bool better = candidate < rows && part->value[i][j] > best;
      best = better ? part->value[i][j] : best;
      index = better ? candidate : index;
    }
    uint64_t key = match_key(best, index);
    key = match_greater(key, __shfl_xor_sync(kMatchLanes, key, 16));
    if ((row_thread & 1) == 0) warp_columns[match_place(column_thread, j)] = key;
  }
}

// `a` holds `*a_count` descriptors of 64 channels (at most `a_capacity`), `b` likewise, both aligned to 16 bytes. The two arrays of keys
// are zeros before; each gets, by atomicMax, the key of the most similar descriptor of the other set (match_key). A block is
// row tile blockIdx.x, column tile blockIdx.y. A similarity is the fused sum over the channels in their order, so that it has the
// same bits everywhere; NaN is never the best.
extern "C" __global__ void __launch_bounds__(256)
    match_best(const float* __restrict__ a, const int32_t* __restrict__ a_count, int32_t a_capacity,
               const float* __restrict__ b, const int32_t* __restrict__ b_count, int32_t b_capacity,
               uint64_t* __restrict__ best_of_a, uint64_t* __restrict__ best_of_b) {
  __shared__ MatchShared shared;
  const int32_t rows = min(__ldg(a_count), a_capacity);
  const int32_t columns = min(__ldg(b_count), b_capacity);
  const int32_t row = static_cast<int32_t>(blockIdx.x) * kMatchTile;
  const int32_t column = static_cast<int32_t>(blockIdx.y) * kMatchTile;
  if (row >= rows || column >= columns) return;  // The whole block.
  const int32_t thread = static_cast<int32_t>(threadIdx.x);
  const int32_t row_thread = thread / 16;
  const int32_t column_thread = thread % 16;
  MatchPart part = {};
#pragma unroll 1
  for (int32_t channel = 0; channel < kMatchChannels; channel += kMatchSlice) {
    match_load(shared.a, a, row, rows, channel, thread);
    match_load(shared.b, b, column, columns, channel, thread);
    __syncthreads();
    match_multiply(&shared, row_thread, column_thread, &part);
    __syncthreads();
  }
  match_rows(&part, row, rows, column, columns, row_thread, column_thread, best_of_a);
  match_columns(&part, row, rows, row_thread, column_thread, shared.columns[thread / 32]);
  __syncthreads();
  if (thread < kMatchTile && column + thread < columns) {
    uint64_t key = 0;
    for (int32_t warp = 0; warp < kMatchThreads / 32; ++warp) key = match_greater(key, shared.columns[warp][thread]);
    match_record(best_of_b + column + thread, key);
  }
}
