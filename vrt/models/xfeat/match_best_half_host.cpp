// match_best_half.cu for the CPU, which has no tensor cores: for comparison, not for speed. Sums are fused, channel by channel.
#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {
namespace {

constexpr int32_t kChannels = 64;
constexpr int32_t kTile = 128;

float widened(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1Fu;
  const uint32_t mantissa = half & 0x3FFu;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 5.9604644775390625e-8f;
    return sign != 0 ? -magnitude : magnitude;
  }
  return __uint_as_float(sign | ((exponent == 31 ? 255u : exponent + 112u) << 23) | (mantissa << 13));
}

void widen(const uint16_t* from, float* to) {
  for (int32_t i = 0; i < kChannels; ++i) to[i] = widened(from[i]);
}

float similarity_of(const float* a, const float* b) {
  float sum = 0;
  for (int32_t i = 0; i < kChannels; ++i) sum = fmaf(a[i], b[i], sum);
  return sum;
}

uint64_t key_of(float similarity, int32_t index) {
  const uint32_t bits = __float_as_uint(similarity + 0.0f);
  const uint32_t ordered = (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
  return (static_cast<uint64_t>(ordered) << 32) | ~static_cast<uint32_t>(index);
}

struct Range {
  int32_t first, end;
};

void match_tile(const uint16_t* a, Range rows, const uint16_t* b, Range columns, float least, uint64_t* best_of_a,
                uint64_t* best_of_b) {
  float column[kTile][kChannels];
  for (int32_t j = columns.first; j < columns.end; ++j) widen(b + j * kChannels, column[j - columns.first]);
  for (int32_t i = rows.first; i < rows.end; ++i) {
    float row[kChannels];
    widen(a + i * kChannels, row);
    for (int32_t j = columns.first; j < columns.end; ++j) {
      const float similarity = similarity_of(row, column[j - columns.first]);
      if (!(similarity > -INFINITY && similarity >= least)) continue;
      atomicMax(best_of_a + i, key_of(similarity, j));
      atomicMax(best_of_b + j, key_of(similarity, i));
    }
  }
}

}  // namespace

void match_best_half(const vrt::HostBlocks& blocks, const uint16_t* a, const int32_t* a_count, int32_t a_capacity,
                     const uint16_t* b, const int32_t* b_count, int32_t b_capacity, int32_t tiles, float least,
                     uint64_t* best_of_a, uint64_t* best_of_b) {
  const int32_t rows = min(*a_count, a_capacity);
  const int32_t columns = min(*b_count, b_capacity);
  for (std::uint64_t block = blocks.first; block < blocks.first + blocks.count; ++block) {
    const auto row = static_cast<int32_t>(block % blocks.shape.grid.x) * kTile;
    const auto first = static_cast<int32_t>(block / blocks.shape.grid.x) * tiles * kTile;
    for (int32_t column = first; column < min(first + tiles * kTile, columns); column += kTile) {
      match_tile(a, {row, min(row + kTile, rows)}, b, {column, min(column + kTile, columns)}, least, best_of_a,
                 best_of_b);
    }
  }
}

}  // namespace VRT_HOST_NAMESPACE
