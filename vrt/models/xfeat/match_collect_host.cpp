// match_collect.cu for the CPU: one pass.
#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {
namespace {

float similarity_of(uint64_t key) {
  const auto ordered = static_cast<uint32_t>(key >> 32);
  return __uint_as_float((ordered >> 31) != 0 ? ordered ^ 0x80000000u : ~ordered);
}

int32_t index_of(uint64_t key) { return static_cast<int32_t>(~static_cast<uint32_t>(key)); }

}  // namespace

void match_collect(const vrt::HostBlocks&, const uint64_t* best_of_a, const int32_t* a_count, int32_t a_capacity,
                   const uint64_t* best_of_b, float least, int32_t* pairs, float* similarities, int32_t* count,
                   int32_t* host_count) {
  const int32_t rows = min(*a_count, a_capacity);
  int32_t found = 0;
  for (int32_t row = 0; row < rows; ++row) {
    const uint64_t key = best_of_a[row];
    const float similarity = similarity_of(key);
    const bool is_similar = key != 0 && similarity >= least && similarity <= FLT_MAX;
    if (!is_similar || index_of(best_of_b[index_of(key)]) != row) continue;
    pairs[2 * found] = row;
    pairs[2 * found + 1] = index_of(key);
    similarities[found] = similarity;
    ++found;
  }
  *count = found;
  *host_count = found;
}

}  // namespace VRT_HOST_NAMESPACE
