// The best classes and their scores. One block of 256 threads.

constexpr int32_t kScoreThreads = 256;

__device__ float classify_value(uint64_t key) {
  const uint32_t ordered = static_cast<uint32_t>(key >> 32);
  return __uint_as_float((ordered >> 31) != 0 ? ordered ^ 0x80000000u : ~ordered);
}

// `ranked` holds `*ranked_count` keys of classify_keys, the greatest first. `ids` and `scores` get the class and the score of the first `keep`
// of them, `count` how many those are. With `softmax` (1) a score is the softmax over all `classes` values, those that are not finite
// left out; else (0) the value itself.
extern "C" __global__ void __launch_bounds__(256)
    classify_scores(const float* __restrict__ values, int32_t classes, const uint64_t* __restrict__ ranked,
                    const int32_t* __restrict__ ranked_count, int32_t keep, int32_t softmax, int32_t* __restrict__ ids,
                    float* __restrict__ scores, int32_t* __restrict__ count) {
  __shared__ float sums[kScoreThreads];
  const int32_t thread = static_cast<int32_t>(threadIdx.x);
  const int32_t kept = min(__ldg(ranked_count), keep);
  const float greatest = kept > 0 ? classify_value(__ldg(ranked)) : 0.0f;
  float sum = 0.0f;
  for (int32_t i = thread; i < classes && softmax != 0; i += kScoreThreads) {
    const float value = __ldg(values + i);
    sum += value - value == 0.0f ? expf(value - greatest) : 0.0f;
  }
  sums[thread] = sum;
  __syncthreads();
  for (int32_t half = kScoreThreads / 2; half > 0; half /= 2) {
    if (thread < half) sums[thread] += sums[thread + half];
    __syncthreads();
  }
  for (int32_t i = thread; i < kept; i += kScoreThreads) {
    const uint64_t key = __ldg(ranked + i);
    const float value = classify_value(key);
    ids[i] = static_cast<int32_t>(~static_cast<uint32_t>(key));
    scores[i] = softmax != 0 ? expf(value - greatest) / sums[0] : value;
  }
  if (thread == 0) *count = kept;
}
