// select_few.cu for the CPU: what counts, of that the best, and only those in order.
#include <algorithm>
#include <functional>

#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {
namespace {

inline uint64_t key_of(float score, int32_t item) {
  const uint32_t bits = __float_as_uint(score + 0.0F);
  const uint32_t ordered = (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
  return (static_cast<uint64_t>(ordered) << 32) | ~static_cast<uint32_t>(item);
}

}  // namespace

void select_few(const vrt::HostBlocks&, const float* scores, FewScores which, int32_t limit, uint64_t* ranked,
                int32_t* counts) {
  uint64_t keys[kMaxFewScores];
  int32_t total = 0;
  for (int32_t item = 0; item < which.items; ++item) {
    if (!(scores[item] > which.above) || scores[item] > which.most) continue;
    if (which.period == 0 || item % which.period != 0) keys[total++] = key_of(scores[item], item);
  }
  const int32_t kept = min(total, limit);
  if (kept < total) std::nth_element(keys, keys + kept, keys + total, std::greater<>());
  std::sort(keys, keys + kept, std::greater<>());
  std::copy(keys, keys + kept, ranked);
  counts[0] = total;
  counts[1] = kept;
}

}  // namespace VRT_HOST_NAMESPACE
