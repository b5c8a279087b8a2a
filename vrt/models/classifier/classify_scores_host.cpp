// classify_scores.cu for the CPU: the same sums in the same order.
#include <cmath>

#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {
namespace {

constexpr int32_t kThreads = 256;

float value_of(uint64_t key) {
  const auto ordered = static_cast<uint32_t>(key >> 32);
  return __uint_as_float((ordered >> 31) != 0 ? ordered ^ 0x80000000u : ~ordered);
}

float sum_of_exponentials(const float* values, int32_t classes, float greatest) {
  float sums[kThreads] = {};
  for (int32_t i = 0; i < classes; ++i) {
    if (values[i] - values[i] == 0.0f) sums[i % kThreads] += ::expf(values[i] - greatest);
  }
  for (int32_t half = kThreads / 2; half > 0; half /= 2) {
    for (int32_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  }
  return sums[0];
}

}  // namespace

void classify_scores(const vrt::HostBlocks&, const float* values, int32_t classes, const uint64_t* ranked,
                     const int32_t* ranked_count, int32_t keep, int32_t softmax, int32_t* ids, float* scores,
                     int32_t* count) {
  const int32_t kept = min(*ranked_count, keep);
  const float greatest = kept > 0 ? value_of(ranked[0]) : 0.0f;
  const float sum = softmax != 0 ? sum_of_exponentials(values, classes, greatest) : 1.0f;
  for (int32_t i = 0; i < kept; ++i) {
    const float value = value_of(ranked[i]);
    ids[i] = static_cast<int32_t>(~static_cast<uint32_t>(ranked[i]));
    scores[i] = softmax != 0 ? ::expf(value - greatest) / sum : value;
  }
  *count = kept;
}

}  // namespace VRT_HOST_NAMESPACE
