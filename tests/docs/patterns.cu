// Kernels of docs/cuda-patterns.md.

// One thread an element, every element of a row that is longer than the grid.
extern "C" __global__ void scale_far(const float* __restrict__ in, float* __restrict__ out, float gain, int32_t count) {
  const int32_t step = static_cast<int32_t>(gridDim.x * blockDim.x);
  for (int32_t i = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += step)
    out[i] = __ldg(in + i) * gain;
}

// The value of a float16 by its bits; exact, and the same on every machine.
__device__ inline float widened(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1Fu;
  const uint32_t mantissa = half & 0x3FFu;
  if (exponent == 0) {  // Zero and subnormals: the mantissa counts steps of 2^-24.
    const float magnitude = static_cast<float>(mantissa) * 5.9604644775390625e-8f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const uint32_t widened_exponent = exponent == 31 ? 255 : exponent + 112;
  return __int_as_float(static_cast<int32_t>(sign | (widened_exponent << 23) | (mantissa << 13)));
}

// float16 in, float32 out.
extern "C" __global__ void widen_scaled(const uint16_t* __restrict__ in, float* __restrict__ out, float gain,
                                        int32_t count) {
  const int32_t i = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  out[i] = widened(__ldg(in + i)) * gain;
}
