// Which pixels of XFeat's heatmap are keypoints.

constexpr uint32_t kPeakLanes = 0xffffffffu;
constexpr int32_t kPeakReach = 2;  // The window has 5×5 pixels.

// Whether no pixel of the window is greater than `value`, the heatmap at (x, y). The window ends at the picture's border.
__device__ bool xfeat_is_peak(const float* heatmap, int32_t x, int32_t y, int32_t width, int32_t height, float value) {
  const int32_t bottom = min(y + kPeakReach, height - 1);
  const int32_t right = min(x + kPeakReach, width - 1);
  bool is_peak = true;
  for (int32_t row = max(y - kPeakReach, 0); row <= bottom; ++row) {
    for (int32_t column = max(x - kPeakReach, 0); column <= right; ++column) {
      is_peak = is_peak && !(__ldg(heatmap + row * width + column) > value);
    }
  }
  return is_peak;
}

// The key of a pixel, or 0 if it is no keypoint: where the heatmap exceeds the threshold, no value of the 5×5 window is greater, and the
// score, heatmap times reliability, is positive and finite. The upper half of a key are the score's bits with the highest set, the
// lower half is the complement of the pixel: a greater key is a better keypoint, and of equal scores the first pixel's.
__device__ uint64_t xfeat_key(const float* heatmap, const float* reliability, int32_t x, int32_t y, int32_t width,
                              int32_t height, float threshold) {
  const int32_t pixel = y * width + x;
  const float value = __ldg(heatmap + pixel);
  if (!(value > threshold) || !xfeat_is_peak(heatmap, x, y, width, height, value)) return 0;
  const float score = value * __ldg(reliability + pixel);
  if (!(score > 0.0f) || !(score <= FLT_MAX)) return 0;
  return (static_cast<uint64_t>(__float_as_uint(score) | 0x80000000u) << 32) | ~static_cast<uint32_t>(pixel);
}

// One thread a pixel, whole warps. Appends the keys of keypoints, in any order. `count` is 0 before; `keys` has room for all pixels.
extern "C" __global__ void xfeat_peaks(const float* __restrict__ heatmap, const float* __restrict__ reliability,
                                       int32_t width, int32_t height, float threshold, uint64_t* __restrict__ keys,
                                       int32_t* __restrict__ count) {
  const int32_t x = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t y = static_cast<int32_t>(blockIdx.y * blockDim.y + threadIdx.y);
  const uint32_t lane = (threadIdx.y * blockDim.x + threadIdx.x) % 32;
  const bool inside = x < width && y < height;
  const uint64_t key = inside ? xfeat_key(heatmap, reliability, x, y, width, height, threshold) : 0;
  const uint32_t with_key = __ballot_sync(kPeakLanes, key != 0);
  int32_t first = 0;
  if (lane == 0 && with_key != 0) first = atomicAdd(count, __popc(with_key));  // Once for the warp.
  first = __shfl_sync(kPeakLanes, first, 0);
  if (key != 0) keys[first + __popc(with_key & ((1u << lane) - 1u))] = key;
}
