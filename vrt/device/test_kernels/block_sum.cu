// The sum of each block's elements: a tree in shared memory.

// One block for each blockDim.x elements; blockDim.x is a power of two, at most 1024.
extern "C" __global__ void block_sum(const int32_t* __restrict__ in, int32_t* __restrict__ sums, int32_t count) {
  __shared__ int32_t parts[1024];
  const int32_t i = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  parts[threadIdx.x] = i < count ? __ldg(in + i) : 0;  // No return before a barrier: every thread must reach it.
  __syncthreads();
  for (uint32_t half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = parts[0];
}
