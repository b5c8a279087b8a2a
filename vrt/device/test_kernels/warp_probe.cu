// For tests: kernels with every kind of meeting between threads, right ones.

// Sums in the warp, then over the warps; any number of threads, every one of them live. Dynamic shared memory: an int32_t a warp.
extern "C" __global__ void warp_sum(const int32_t* __restrict__ in, int32_t* __restrict__ sums, int32_t count) {
  VRT_DYNAMIC_SHARED(int32_t, parts);
  const uint32_t lane = threadIdx.x % 32;
  const int32_t i = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const uint32_t warp_first = threadIdx.x - lane;
  int32_t sum = i < count ? __ldg(in + i) : 0;
  for (uint32_t delta = 16; delta > 0; delta /= 2) {
    const int32_t other = __shfl_down_sync(0xFFFFFFFFu, sum, delta);
    // Without the comparison with blockDim, lanes of a warp that is not full would add what is not there.
    if (lane + delta < 32 && warp_first + lane + delta < blockDim.x) sum += other;
  }
  if (lane == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    int32_t total = 0;
    for (uint32_t warp = 0; warp < (blockDim.x + 31) / 32; ++warp) total += parts[warp];
    sums[blockIdx.x] = total;
  }
}

// Six answers a thread: neighbours by each kind of shuffle in groups of 8, and the votes.
extern "C" __global__ void warp_questions(const int32_t* __restrict__ in, int32_t* __restrict__ out) {
  const uint32_t full = 0xFFFFFFFFu;
  const int32_t value = __ldg(in + threadIdx.x);
  int32_t* answer = out + threadIdx.x * 8;
  answer[0] = __shfl_sync(full, value, 3, 8);
  answer[1] = __shfl_up_sync(full, value, 2, 8);
  answer[2] = __shfl_down_sync(full, value, 2, 8);
  answer[3] = __shfl_xor_sync(full, value, 1, 8);
  answer[4] = static_cast<int32_t>(__ballot_sync(full, value % 3 == 0));
  answer[5] = __any_sync(full, value == 40);
  answer[6] = __all_sync(full, value < 40);
  answer[7] = __popc(__ballot_sync(full, 1));
}

// Each thread reads what its right neighbour of the warp wrote to shared memory.
extern "C" __global__ void warp_rotate(const int32_t* __restrict__ in, int32_t* __restrict__ out) {
  __shared__ int32_t tile[1024];
  const uint32_t first = threadIdx.x / 32 * 32;
  const uint32_t live = min(32u, blockDim.x - first);
  tile[threadIdx.x] = __ldg(in + threadIdx.x);
  __syncwarp();
  out[threadIdx.x] = tile[first + (threadIdx.x - first + 1) % live];
}

// How many threads of the block have a multiple of 3, and then how many an even number.
extern "C" __global__ void block_votes(const int32_t* __restrict__ in, int32_t* __restrict__ out) {
  const int32_t value = __ldg(in + threadIdx.x);
  out[2 * threadIdx.x] = __syncthreads_count(value % 3 == 0);
  out[2 * threadIdx.x + 1] = __syncthreads_count(value % 2 == 0);
}

// Whole warps leave early; the rest still meets at barriers.
extern "C" __global__ void early_return(const int32_t* __restrict__ in, int32_t* __restrict__ out, int32_t live) {
  __shared__ int32_t tile[1024];
  if (threadIdx.x >= static_cast<uint32_t>(live)) return;
  tile[threadIdx.x] = __ldg(in + threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = tile[static_cast<uint32_t>(live) - 1 - threadIdx.x];
}
