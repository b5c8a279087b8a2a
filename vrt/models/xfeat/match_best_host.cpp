// match_best.cu for the CPU: the columns of a tile, channel by channel, stay in the first cache; four rows at a time are multiplied
// with vectors of them and compared while they are in registers.
#include <algorithm>

#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {
namespace {

constexpr int32_t kChannels = 64;
constexpr int32_t kTile = 128;
constexpr int32_t kLanes = 8;
constexpr int32_t kRows = 4;     // At once, with
constexpr int32_t kVectors = 2;  // as many vectors of columns: 8 sums in 16 registers.

using Floats = float __attribute__((vector_size(kLanes * sizeof(float))));
using Ints = int32_t __attribute__((vector_size(kLanes * sizeof(int32_t))));

// By reference: how vectors are passed by value depends on the processor that is compiled for.
inline __attribute__((always_inline)) void add_fused(Floats& sum, const Floats& a, const Floats& b) {
#if defined(__FMA__) && defined(__AVX__)
  sum = __builtin_ia32_vfmaddps256(a, b, sum);
#else
  for (int32_t i = 0; i < kLanes; ++i) sum[i] = __builtin_fmaf(a[i], b[i], sum[i]);
#endif
}

// As match_key of the .cu.
uint64_t key_of(float similarity, int32_t index) {
  const uint32_t bits = __float_as_uint(similarity + 0.0f);
  const uint32_t ordered = (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
  return index < 0 ? 0 : (static_cast<uint64_t>(ordered) << 32) | ~static_cast<uint32_t>(index);
}

void record(uint64_t* best, float similarity, int32_t index) {
  if (index >= 0) atomicMax(best, key_of(similarity, index));
}

// The best so far, of a row in each lane's columns, or of each lane's column.
struct Best {
  Floats value;
  Ints index;
};

inline __attribute__((always_inline)) void improve(Best& best, const Floats& value, const Ints& index) {
  const Ints better = value > best.value;
  best.value = better ? value : best.value;
  best.index = better ? index : best.index;
}

const Best kNone = {Floats{} - INFINITY, Ints{} - 1};

// What a tile is worked on with: its columns by channels, each channel a row of kTile, and the best rows of its columns.
struct Tile {
  alignas(64) float columns[kChannels][kTile];
  alignas(64) Best best[kTile / kLanes];
};

void load_columns(Tile& tile, const float* set, int32_t first, int32_t count) {
  for (int32_t column = 0; column < kTile; ++column) {
    const float* from = set + static_cast<int64_t>(first + column) * kChannels;
    for (int32_t channel = 0; channel < kChannels; ++channel) {
      tile.columns[channel][column] = first + column < count ? from[channel] : NAN;  // NaN is better than nothing.
    }
  }
  for (Best& best : tile.best) best = kNone;
}

struct Sums {
  Floats value[kRows][kVectors];
};

inline __attribute__((always_inline)) Sums multiplied(const Tile& tile, const float* rows, int32_t column) {
  Sums sums = {};
  for (int32_t channel = 0; channel < kChannels; ++channel) {
    Floats b[kVectors];
    for (int32_t v = 0; v < kVectors; ++v)
      __builtin_memcpy(&b[v], &tile.columns[channel][column + v * kLanes], sizeof(b[v]));
    for (int32_t r = 0; r < kRows; ++r) {
      const Floats a = Floats{} + rows[r * kChannels + channel];
      for (int32_t v = 0; v < kVectors; ++v) add_fused(sums.value[r][v], a, b[v]);
    }
  }
  return sums;
}

// The lane with the greatest value, of equal ones that with the lowest column.
void record_row(uint64_t* best_of_a, const Best& best) {
  float value = -INFINITY;
  int32_t index = -1;
  for (int32_t lane = 0; lane < kLanes; ++lane) {
    const bool better = best.index[lane] >= 0 && (index < 0 || best.value[lane] > value ||
                                                  (best.value[lane] == value && best.index[lane] < index));
    if (!better) continue;
    value = best.value[lane];
    index = best.index[lane];
  }
  record(best_of_a, value, index);
}

// kRows rows from `row` on with all of the tile's columns. `rows` are their descriptors, `valid` of them exist.
void match_rows(Tile& tile, const float* rows, int32_t row, int32_t valid, int32_t column, uint64_t* best_of_a) {
  const Ints lanes = {0, 1, 2, 3, 4, 5, 6, 7};
  Best best[kRows] = {kNone, kNone, kNone, kNone};
  for (int32_t at = 0; at < kTile; at += kLanes * kVectors) {
    const Sums sums = multiplied(tile, rows, at);
    for (int32_t v = 0; v < kVectors; ++v) {
      const Ints index = lanes + (column + at + v * kLanes);
      for (int32_t r = 0; r < kRows; ++r) improve(best[r], sums.value[r][v], index);
      Best& of_columns = tile.best[at / kLanes + v];
      for (int32_t r = 0; r < valid; ++r) improve(of_columns, sums.value[r][v], Ints{} + (row + r));
    }
  }
  for (int32_t r = 0; r < valid; ++r) record_row(best_of_a + row + r, best[r]);
}

void record_columns(const Tile& tile, int32_t column, int32_t columns, uint64_t* best_of_b) {
  const int32_t count = min(kTile, columns - column);
  for (int32_t i = 0; i < count; ++i) {
    const Best& best = tile.best[i / kLanes];
    record(best_of_b + column + i, best.value[i % kLanes], best.index[i % kLanes]);
  }
}

void match_tile(Tile& tile, const float* a, int32_t row, int32_t rows, int32_t column, uint64_t* best_of_a) {
  alignas(32) float padded[kRows * kChannels] = {};
  const int32_t end = min(row + kTile, rows);
  for (int32_t r = row; r < end; r += kRows) {
    const int32_t valid = min(kRows, end - r);
    const float* from = a + static_cast<int64_t>(r) * kChannels;
    if (valid < kRows) {
      std::copy(from, from + valid * kChannels, padded);
      from = padded;
    }
    match_rows(tile, from, r, valid, column, best_of_a);
  }
}

}  // namespace

void match_best(const vrt::HostBlocks& blocks, const float* a, const int32_t* a_count, int32_t a_capacity,
                const float* b, const int32_t* b_count, int32_t b_capacity, uint64_t* best_of_a, uint64_t* best_of_b) {
  const int32_t rows = min(*a_count, a_capacity);
  const int32_t columns = min(*b_count, b_capacity);
  Tile tile;
  int32_t loaded = -1;  // Blocks that follow each other share their columns.
  for (std::uint64_t block = blocks.first; block < blocks.first + blocks.count; ++block) {
    const auto row = static_cast<int32_t>(block % blocks.shape.grid.x) * kTile;
    const auto column = static_cast<int32_t>(block / blocks.shape.grid.x) * kTile;
    if (row >= rows || column >= columns) continue;
    if (column != loaded) {
      if (loaded >= 0) record_columns(tile, loaded, columns, best_of_b);
      load_columns(tile, b, column, columns);
      loaded = column;
    }
    match_tile(tile, a, row, rows, column, best_of_a);
  }
  if (loaded >= 0) record_columns(tile, loaded, columns, best_of_b);
}

}  // namespace VRT_HOST_NAMESPACE
