// How many pixels of a grey picture changed.

// One thread a pixel. Integers only: sums of them do not depend on the order of the threads.
extern "C" __global__ void motion(const uint8_t* __restrict__ now, const uint8_t* __restrict__ before,
                                  uint32_t* __restrict__ changed, int32_t width, int32_t height, int32_t pitch,
                                  int32_t threshold) {
  const int32_t x = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t y = static_cast<int32_t>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  const int32_t a = static_cast<int32_t>(__ldg(now + y * pitch + x));
  const int32_t b = static_cast<int32_t>(__ldg(before + y * pitch + x));
  if (a - b > threshold || b - a > threshold) atomicAdd(changed, 1u);
}
