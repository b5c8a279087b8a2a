// Descriptors in float16, for match_best_half. No barriers.
VRT_SHARED_TYPES_BEGIN
constexpr int32_t kRoundedChannels = 8;  // Of a thread.
VRT_SHARED_TYPES_END

// To the nearest, ties to even; beyond float16's range to infinity.
__device__ uint16_t match_half_of(float value) {
  const uint32_t bits = __float_as_uint(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  uint32_t half = (magnitude - 0x38000000u + 0xFFFu + ((magnitude >> 13) & 1u)) >> 13;
  if (magnitude <
      0x38800000u) {  // Below 2^-14. A step of floats from 0.5 on is one of float16's subnormals: the sum rounds.
    half = __float_as_uint(__uint_as_float(magnitude) + 0.5f) - 0x3F000000u;
  }
  if (magnitude >= 0x477FF000u) half = 0x7C00u;
  if (magnitude > 0x7F800000u) half = 0x7E00u;  // NaN.
  return static_cast<uint16_t>(sign | half);
}

__device__ uint32_t match_halves_of(float low, float high) {
  return match_half_of(low) | (static_cast<uint32_t>(match_half_of(high)) << 16);
}

// A thread for kRoundedChannels channels of a descriptor (64 a descriptor; aligned to 16 bytes), in two layers: blockIdx.y is 0 for `a`
// and 1 for `b`. What match_best_half will collect of each descriptor, `a_best` and `b_best`, becomes 0.
extern "C" __global__ void match_halves(const float* __restrict__ a, const int32_t* __restrict__ a_count,
                                        int32_t a_capacity, const float* __restrict__ b,
                                        const int32_t* __restrict__ b_count, int32_t b_capacity,
                                        uint16_t* __restrict__ a_halves, uint16_t* __restrict__ b_halves,
                                        uint64_t* __restrict__ a_best, uint64_t* __restrict__ b_best) {
  const int32_t i = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const bool first = blockIdx.y == 0;
  const int32_t count = first ? min(__ldg(a_count), a_capacity) : min(__ldg(b_count), b_capacity);
  if (i < count) (first ? a_best : b_best)[i] = 0;
  if (i >= count * (64 / kRoundedChannels)) return;
  const float4* const from = reinterpret_cast<const float4*>(first ? a : b) + 2 * i;
  const float4 low = __ldg(from);
  const float4 high = __ldg(from + 1);
  reinterpret_cast<uint4*>(first ? a_halves : b_halves)[i] =
      make_uint4(match_halves_of(low.x, low.y), match_halves_of(low.z, low.w), match_halves_of(high.x, high.y),
                 match_halves_of(high.z, high.w));
}
