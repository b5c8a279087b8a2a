// The least and the greatest known value of a depth map.

constexpr uint32_t kRangeLanes = 0xffffffffu;

// Greater for greater values; 0 is below all.
__device__ uint32_t depth_ordered(float value) {
  const uint32_t bits = __float_as_uint(value);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}

__device__ uint32_t depth_greatest_of_warp(uint32_t value) {
  for (int32_t reach = 16; reach > 0; reach /= 2) value = max(value, __shfl_xor_sync(kRangeLanes, value, reach));
  return value;
}

// `range` holds two zeros before. [0] becomes the complement of the least known value's key, [1] the greatest one's (depth_ordered); they
// stay zeros if nothing is known. Known is what is finite and greater than `above`. Any number of blocks, of whole warps.
extern "C" __global__ void depth_range(const float* __restrict__ map, int32_t count, float above,
                                       uint32_t* __restrict__ range) {
  uint32_t least = 0;
  uint32_t greatest = 0;
  const int32_t step = static_cast<int32_t>(gridDim.x * blockDim.x);
  for (int32_t i = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += step) {
    const float value = __ldg(map + i);
    if (!(value > above) || !(value <= FLT_MAX)) continue;
    least = max(least, ~depth_ordered(value));
    greatest = max(greatest, depth_ordered(value));
  }
  least = depth_greatest_of_warp(least);
  greatest = depth_greatest_of_warp(greatest);
  if (threadIdx.x % 32 != 0) return;
  atomicMax(range, least);
  atomicMax(range + 1, greatest);
}
