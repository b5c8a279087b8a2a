// Brightens a grey picture.

VRT_SHARED_TYPES_BEGIN
struct BrightenParams {
  int32_t width, height, pitch;  // Pixels, pixels, bytes.
  float gain;
};
VRT_SHARED_TYPES_END

__device__ inline float clipped(float value) { return fminf(fmaxf(value, 0.0f), 255.0f); }

// One thread a pixel.
extern "C" __global__ void brighten(const uint8_t* __restrict__ in, uint8_t* __restrict__ out, BrightenParams p) {
  const int32_t x = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t y = static_cast<int32_t>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= p.width || y >= p.height) return;
  const float value = static_cast<float>(__ldg(in + y * p.pitch + x));
  out[y * p.pitch + x] = static_cast<uint8_t>(clipped(value * p.gain + 0.5f));
}
