// match_best.cu for tensor cores: descriptors in float16, sums in float32 (mma.m16n8k16, sm_80 and newer; elsewhere the same sums by
// shuffles, so that the arrangement can be tested without a GPU).
//
// A sum does not depend on which channel is called which, as long as both sides agree. So a lane takes 16 channels that lie side by
// side, two words of 16 bytes, instead of the eight pairs that the instruction's numbering of channels suggests.
//
// Tensor cores multiply faster than other units could look for the best of every row and column. But a similarity below the least that is
// asked for is nobody's match, and all but few are: a maximum says so of many at once, and only the others are looked at.

constexpr int32_t kHalfChannels = 64;
constexpr int32_t kHalfTile = 128;                     // Rows of a block, and columns in shared memory at once.
constexpr int32_t kHalfWarpRows = 32;                  // Four groups of rows, by
constexpr int32_t kHalfWarpColumns = 64;               // two halves of the columns: eight warps.
constexpr int32_t kHalfRowTiles = kHalfWarpRows / 16;  // The instruction's tiles of rows of a warp, ...
constexpr int32_t kHalfLaneRows = 2 * kHalfRowTiles;   // ... with two rows of a lane each.
constexpr int32_t kHalfGroup = 2;  // The instruction's tiles of 8 columns that are looked at together.
constexpr int32_t kHalfThreads = 256;
constexpr int32_t kHalfChunks = 8;  // Of 16 bytes, in a descriptor.
constexpr uint32_t kHalfLanes = 0xffffffffu;

using HalfColumns = uint4[kHalfTile][kHalfChunks];
using HalfColumnKeys = uint64_t[kHalfTile / kHalfWarpRows][kHalfTile];

// Tiles of columns in turn: while one is worked on, the next one is stored, and the keys of the one before are recorded.
struct HalfShared {
  alignas(16) HalfColumns columns[2];
  HalfColumnKeys best[2];
};

// A thread of the block: its warp's rows and columns of the tile, and its place in the instruction's fragments.
struct HalfLane {
  int32_t thread, warp_row, warp_column, group, member;
};

// 16 channels of one descriptor.
struct HalfChannels {
  uint32_t word[8];
};

// The best so far and who has it; before, -infinity and an index beyond all.
struct HalfBest {
  float value;
  uint32_t index;
};
constexpr uint32_t kHalfNobody = 0xffffffffu;

struct HalfCounts {
  int32_t rows, columns;
};

// As match_key in match_best.cu.
__device__ uint64_t half_key(HalfBest best) {
  const uint32_t bits = __float_as_uint(best.value + 0.0f);
  const uint32_t ordered = (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
  return best.index == kHalfNobody ? 0 : (static_cast<uint64_t>(ordered) << 32) | ~best.index;
}

__device__ void half_record(uint64_t* best, uint64_t key) {
  if (key == 0) return;
#ifdef VRT_ON_GPU
  atomicMax(reinterpret_cast<unsigned long long*>(best), static_cast<unsigned long long>(key));
#else
  atomicMax(best, key);
#endif
}

// Takes a candidate that comes later than the best so far: it has to be greater.
__device__ void half_improve(HalfBest* best, float value, int32_t index, bool exists) {
  const bool better = exists && value > best->value;
  best->value = better ? value : best->value;
  best->index = better ? static_cast<uint32_t>(index) : best->index;
}

// Takes another lane's best: of equal ones the lower index stays. Without branches, which the lanes would go through one after the other.
__device__ void half_merge(HalfBest* best, HalfBest other) {
  const bool greater = other.value > best->value;
  const bool earlier = (other.value == best->value) & (other.index < best->index);
  const bool better = greater | earlier;
  best->value = better ? other.value : best->value;
  best->index = better ? other.index : best->index;
}

__device__ HalfBest half_exchanged(HalfBest best, int32_t lane_mask) {
  best.value = __shfl_xor_sync(kHalfLanes, best.value, lane_mask);
  best.index = __shfl_xor_sync(kHalfLanes, best.index, lane_mask);
  return best;
}

__device__ float half_widened(uint32_t half) {
  const uint32_t sign = (half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1Fu;
  const uint32_t mantissa = half & 0x3FFu;
  if (exponent == 0) {  // Zero and subnormals: the mantissa counts steps of 2^-24.
    const float magnitude = static_cast<float>(mantissa) * 5.9604644775390625e-8f;
    return sign != 0 ? -magnitude : magnitude;
  }
  return __uint_as_float(sign | ((exponent == 31 ? 255u : exponent + 112u) << 23) | (mantissa << 13));
}

__device__ float half_products(uint32_t a, uint32_t b, float sum) {
  sum = fmaf(half_widened(a & 0xFFFFu), half_widened(b & 0xFFFFu), sum);
  return fmaf(half_widened(a >> 16), half_widened(b >> 16), sum);
}

// Adds 16 channels' products to 16 rows × 8 columns of sums. `low` are this lane's channels of row `group`, `high` those of row
// group + 8, `column` those of column `group`; step s uses words 2 s and 2 s + 1 of each. A lane has the sums of columns
// 2 * member and + 1: of row group in sums[0] and [1], of row group + 8 in [2] and [3].
__device__ void half_multiply(float* sums, const HalfChannels* low, const HalfChannels* high,
                              const HalfChannels* column, int32_t step, HalfLane lane) {
#if defined(VRT_ON_GPU) && __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
               : "r"(low->word[2 * step]), "r"(high->word[2 * step]), "r"(low->word[2 * step + 1]),
                 "r"(high->word[2 * step + 1]), "r"(column->word[2 * step]), "r"(column->word[2 * step + 1]));
#else
  for (int32_t member = 0; member < 4; ++member) {
    for (int32_t word = 2 * step; word < 2 * step + 2; ++word) {
      const uint32_t upper = __shfl_sync(kHalfLanes, low->word[word], lane.group * 4 + member);
      const uint32_t lower = __shfl_sync(kHalfLanes, high->word[word], lane.group * 4 + member);
      const uint32_t left = __shfl_sync(kHalfLanes, column->word[word], lane.member * 8 + member);
      const uint32_t right = __shfl_sync(kHalfLanes, column->word[word], lane.member * 8 + 4 + member);
      sums[0] = half_products(upper, left, sums[0]);
      sums[1] = half_products(upper, right, sums[1]);
      sums[2] = half_products(lower, left, sums[2]);
      sums[3] = half_products(lower, right, sums[3]);
    }
  }
#endif
}

__device__ uint4 half_chunk(const uint16_t* set, int32_t descriptor, int32_t count, int32_t chunk) {
  if (descriptor >= count) return make_uint4(0, 0, 0, 0);
  return __ldg(reinterpret_cast<const uint4*>(set + descriptor * kHalfChannels) + chunk);
}

__device__ HalfChannels half_channels(uint4 first, uint4 second) {
  return {{first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w}};
}

// A row from memory; the warp reads each of its rows once.
__device__ HalfChannels half_row(const uint16_t* a, int32_t row, int32_t rows, int32_t member) {
  return half_channels(half_chunk(a, row, rows, 2 * member), half_chunk(a, row, rows, 2 * member + 1));
}

// A column from shared memory. Chunks of odd columns stand in pairs the other way round: so eight lanes that read at once, of two
// columns, meet eight different banks of 16 bytes.
__device__ HalfChannels half_column(const HalfColumns& columns, int32_t column, int32_t member) {
  const int32_t odd = column & 1;
  return half_channels(columns[column][(2 * member) ^ odd], columns[column][(2 * member + 1) ^ odd]);
}

// A thread's share of a tile of columns: four chunks, 32 descriptors apart.
struct HalfShare {
  uint4 chunk[kHalfTile * kHalfChunks / kHalfThreads];
};

__device__ HalfShare half_fetch(const uint16_t* b, int32_t column, int32_t columns, int32_t thread) {
  HalfShare share;
#pragma unroll
  for (int32_t i = 0; i < 4; ++i) {
    share.chunk[i] = half_chunk(b, column + thread / kHalfChunks + i * 32, columns, thread % kHalfChunks);
  }
  return share;
}

__device__ void half_store(HalfColumns& columns, const HalfShare* share, int32_t thread) {
#pragma unroll
  for (int32_t i = 0; i < 4; ++i) {
    const int32_t column = thread / kHalfChunks + i * 32;
    columns[column][(thread % kHalfChunks) ^ (column & 1)] = share->chunk[i];
  }
}

// The best rows of 8 columns of this lane's group of four n-tiles, among the warp's 32 rows: halves of the columns change lanes, so
// that each lane ends with one. Returns which of the 8.
__device__ int32_t half_reduce_columns(HalfBest* best, HalfLane lane) {
  int32_t own = 0;
#pragma unroll
  for (int32_t half = 4; half > 0; half /= 2) {  // Lanes 16, 8, 4 apart have other rows of the same columns.
    const bool upper = (lane.group & half) != 0;
    own += upper ? half : 0;
#pragma unroll
    for (int32_t i = 0; i < half; ++i) {
      const HalfBest given = upper ? best[i] : best[i + half];
      best[i] = upper ? best[i + half] : best[i];
      half_merge(&best[i], half_exchanged(given, half * 4));
    }
  }
  return own;
}

// Where a warp is in the matrix: its rows and 32 columns, the latter also in the tile.
struct HalfPlace {
  int32_t row, column, tile_column;
};

// Similarities of the warp's rows with kHalfGroup times 8 columns, as half_multiply lays them out.
struct HalfSums {
  float value[kHalfGroup][kHalfRowTiles][4];
};

// `rows` has the warp's rows group, group + 8, + 16, …
__device__ HalfSums half_sums(const HalfColumns& columns, const HalfChannels* rows, int32_t tile_column,
                              HalfLane lane) {
  HalfSums sums = {};
#pragma unroll
  for (int32_t n = 0; n < kHalfGroup; ++n) {
    const HalfChannels column = half_column(columns, tile_column + n * 8 + lane.group, lane.member);
#pragma unroll
    for (int32_t step = 0; step < 4; ++step) {
#pragma unroll
      for (int32_t tile = 0; tile < kHalfRowTiles; ++tile) {
        half_multiply(sums.value[n][tile], &rows[2 * tile], &rows[2 * tile + 1], &column, step, lane);
      }
    }
  }
  return sums;
}

// Whether any lane of the warp has a sum of at least `least`; NaN is none.
__device__ bool half_any_counts(const HalfSums& sums, float least) {
  float greatest = -INFINITY;
#pragma unroll
  for (int32_t n = 0; n < kHalfGroup; ++n) {
#pragma unroll
    for (int32_t tile = 0; tile < kHalfRowTiles; ++tile) {
      const float* const four = sums.value[n][tile];
      greatest = fmaxf(greatest, fmaxf(fmaxf(four[0], four[1]), fmaxf(four[2], four[3])));
    }
  }
  return __any_sync(kHalfLanes, greatest >= least) != 0;
}

// Takes the sums into account whose first column is `column`.
__device__ void half_improve_all(const HalfSums& sums, HalfPlace place, int32_t column, HalfCounts counts,
                                 HalfLane lane, HalfBest* best_of_rows, HalfBest* best_of_columns) {
#pragma unroll
  for (int32_t n = 0; n < kHalfGroup; ++n) {
#pragma unroll
    for (int32_t r = 0; r < kHalfLaneRows; ++r) {
      const int32_t own_row = place.row + lane.group + r * 8;
#pragma unroll
      for (int32_t c = 0; c < 2; ++c) {
        const int32_t own_column = column + n * 8 + lane.member * 2 + c;
        const bool exists = own_row < counts.rows && own_column < counts.columns;
        const float value = sums.value[n][r / 2][(r & 1) * 2 + c];
        half_improve(&best_of_rows[r], value, own_column, exists);
        half_improve(&best_of_columns[n * 2 + c], value, own_row, exists);
      }
    }
  }
}

// The warp's rows × 32 columns: the rows' bests are improved, the columns' go to `keys`, 0 where no similarity counts.
__device__ void half_columns_of_warp(const HalfColumns& columns, uint64_t* keys, const HalfChannels* rows,
                                     HalfPlace place, HalfCounts counts, float least, HalfLane lane,
                                     HalfBest* best_of_rows) {
  HalfBest best[8];
#pragma unroll
  for (int32_t i = 0; i < 8; ++i) best[i] = {-INFINITY, kHalfNobody};
  bool any = false;  // The same in all lanes.
#pragma unroll
  for (int32_t n = 0; n < 4; n += kHalfGroup) {
    const HalfSums sums = half_sums(columns, rows, place.tile_column + n * 8, lane);
    if (!half_any_counts(sums, least)) continue;
    half_improve_all(sums, place, place.column + n * 8, counts, lane, best_of_rows, &best[n * 2]);
    any = true;
  }
  const int32_t own = any ? half_reduce_columns(best, lane) : lane.group;
  keys[place.tile_column + own / 2 * 8 + lane.member * 2 + own % 2] = any ? half_key(best[0]) : 0;
}

// Four neighbouring lanes have the same rows.
__device__ void half_record_rows(HalfBest* best, int32_t row, int32_t rows, HalfLane lane, uint64_t* best_of_a) {
#pragma unroll
  for (int32_t r = 0; r < kHalfLaneRows; ++r) {
    half_merge(&best[r], half_exchanged(best[r], 1));
    half_merge(&best[r], half_exchanged(best[r], 2));
    const int32_t own = row + lane.group + r * 8;
    if (lane.member == 0 && own < rows) half_record(best_of_a + own, half_key(best[r]));
  }
}

__device__ void half_record_columns(const HalfColumnKeys& keys, int32_t column, int32_t columns, int32_t thread,
                                    uint64_t* best_of_b) {
  if (thread >= kHalfTile || column + thread >= columns) return;
  uint64_t key = 0;
  for (int32_t i = 0; i < kHalfTile / kHalfWarpRows; ++i) {
    key = keys[i][thread] > key ? keys[i][thread] : key;
  }
  half_record(best_of_b + column + thread, key);
}

__device__ HalfLane half_lane(int32_t thread) {
  const int32_t warp = thread / 32;
  return {thread, warp % 4 * kHalfWarpRows, warp / 4 * kHalfWarpColumns, thread % 32 / 4, thread % 4};
}

// As match_best, of descriptors in float16, but only similarities of at least `least` are sure to be taken into account. A block is row
// tile blockIdx.x and the `tiles` column tiles from blockIdx.y * tiles on. The order in which tensor cores add products is their own:
// similarities have the same bits elsewhere where every partial sum is exact.
extern "C" __global__ void __launch_bounds__(256, 2)
    match_best_half(const uint16_t* __restrict__ a, const int32_t* __restrict__ a_count, int32_t a_capacity,
                    const uint16_t* __restrict__ b, const int32_t* __restrict__ b_count, int32_t b_capacity,
                    int32_t tiles, float least, uint64_t* __restrict__ best_of_a, uint64_t* __restrict__ best_of_b) {
  __shared__ HalfShared shared;
  const HalfCounts counts = {min(__ldg(a_count), a_capacity), min(__ldg(b_count), b_capacity)};
  const HalfLane lane = half_lane(static_cast<int32_t>(threadIdx.x));
  const int32_t tile_row = static_cast<int32_t>(blockIdx.x) * kHalfTile;
  const int32_t first = static_cast<int32_t>(blockIdx.y) * tiles * kHalfTile;
  const int32_t end = min(first + tiles * kHalfTile, counts.columns);
  if (tile_row >= counts.rows || first >= end) return;  // The whole block.
  const int32_t row = tile_row + lane.warp_row;
  HalfShare share = half_fetch(b, first, counts.columns, lane.thread);
  HalfChannels rows[kHalfLaneRows];
  HalfBest best[kHalfLaneRows];
#pragma unroll
  for (int32_t r = 0; r < kHalfLaneRows; ++r) {
    rows[r] = half_row(a, row + lane.group + r * 8, counts.rows, lane.member);
    best[r] = {-INFINITY, kHalfNobody};
  }
  int32_t turn = 0;
#pragma unroll 1
  for (int32_t column = first; column < end; column += kHalfTile, turn ^= 1) {
    half_store(shared.columns[turn], &share, lane.thread);
    __syncthreads();
    if (column > first) {
      half_record_columns(shared.best[turn ^ 1], column - kHalfTile, counts.columns, lane.thread, best_of_b);
    }
    if (column + kHalfTile < end) share = half_fetch(b, column + kHalfTile, counts.columns, lane.thread);
    uint64_t* const keys = shared.best[turn][lane.warp_row / kHalfWarpRows];
#pragma unroll 1
    for (int32_t part = lane.warp_column; part < lane.warp_column + kHalfWarpColumns; part += 32) {
      half_columns_of_warp(shared.columns[turn], keys, rows, {row, column + part, part}, counts, least, lane, best);
    }
  }
  __syncthreads();
  const int32_t last = first + (end - 1 - first) / kHalfTile * kHalfTile;
  half_record_columns(shared.best[turn ^ 1], last, counts.columns, lane.thread, best_of_b);
  half_record_rows(best, row, counts.rows, lane, best_of_a);
}
