// xfeat_rank.cu for the CPU: a heap of the best, then sorted. The first block does all.
#include <algorithm>

#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {

void xfeat_rank(const vrt::HostBlocks& blocks, const uint64_t* keys, const int32_t* key_count, int32_t capacity,
                int32_t keep, uint64_t* ranked, int32_t* ranked_count) {
  if (blocks.first != 0) return;
  const int32_t count = min(*key_count, capacity);
  const int32_t kept = min(count, keep);
  const auto greater = [](uint64_t a, uint64_t b) { return a > b; };
  std::partial_sort_copy(keys, keys + count, ranked, ranked + kept, greater);
  *ranked_count = kept;
}

}  // namespace VRT_HOST_NAMESPACE
