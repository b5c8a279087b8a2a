// A depth map at another size: bilinear, half-pixel centres, what is not known kept out of what is. No barriers.
VRT_SHARED_TYPES_BEGIN
/// Sizes of the network's map and of the one that is made. A value is known if it is finite and greater than `above`; what is not known is
/// written as `unknown`.
struct DepthResample {
  int32_t grid_width;
  int32_t grid_height;
  int32_t width;
  int32_t height;
  float above;
  float unknown;
};
VRT_SHARED_TYPES_END

// The two cells around a pixel's centre on an axis, and the weight of the second. Beyond the outer cells' centres, these count alone.
struct DepthTaps {
  int32_t first, second;
  float weight;
};

// The centre is at (2 pixel + 1) cells / (2 pixels) - 1/2 cells: in whole numbers, so that it is exact at any size.
__device__ DepthTaps depth_taps(int32_t pixel, int32_t pixels, int32_t cells) {
  const int32_t place = (2 * pixel + 1) * cells - pixels;  // In units of a cell divided by 2 * pixels.
  if (place <= 0) return {0, 0, 0.0f};
  const int32_t unit = 2 * pixels;
  const int32_t first = place / unit;
  if (first >= cells - 1) return {cells - 1, cells - 1, 0.0f};
  return {first, first + 1, static_cast<float>(place - first * unit) / static_cast<float>(unit)};
}

__device__ bool depth_is_known(float value, float above) { return value > above && value <= FLT_MAX; }

// Of four cells in reading order. Where the nearest one is not known, nor is the result; where others are not, the rest share their weight.
__device__ float depth_blend(float a, float b, float c, float d, float across, float down, DepthResample params) {
  const bool has_a = depth_is_known(a, params.above);
  const bool has_b = depth_is_known(b, params.above);
  const bool has_c = depth_is_known(c, params.above);
  const bool has_d = depth_is_known(d, params.above);
  if (has_a && has_b && has_c && has_d) {
    return (a * (1.0f - across) + b * across) * (1.0f - down) + (c * (1.0f - across) + d * across) * down;
  }
  const bool right = across >= 0.5f;
  const bool has_nearest = down >= 0.5f ? (right ? has_d : has_c) : (right ? has_b : has_a);
  if (!has_nearest) return params.unknown;
  const float weight_a = has_a ? (1.0f - across) * (1.0f - down) : 0.0f;
  const float weight_b = has_b ? across * (1.0f - down) : 0.0f;
  const float weight_c = has_c ? (1.0f - across) * down : 0.0f;
  const float weight_d = has_d ? across * down : 0.0f;
  const float sum = (has_a ? a : 0.0f) * weight_a + (has_b ? b : 0.0f) * weight_b + (has_c ? c : 0.0f) * weight_c +
                    (has_d ? d : 0.0f) * weight_d;
  return sum / (weight_a + weight_b + weight_c + weight_d);
}

// One thread a pixel of the map.
extern "C" __global__ void depth_resample(const float* __restrict__ grid, float* __restrict__ map,
                                          DepthResample params) {
  const int32_t x = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t y = static_cast<int32_t>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= params.width || y >= params.height) return;
  const DepthTaps across = depth_taps(x, params.width, params.grid_width);
  const DepthTaps down = depth_taps(y, params.height, params.grid_height);
  const float* upper = grid + down.first * params.grid_width;
  const float* lower = grid + down.second * params.grid_width;
  map[y * params.width + x] =
      depth_blend(__ldg(upper + across.first), __ldg(upper + across.second), __ldg(lower + across.first),
                  __ldg(lower + across.second), across.weight, down.weight, params);
}
