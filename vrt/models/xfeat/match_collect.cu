// Which descriptors of two sets have each other as the most similar one. One block of any number of warps, 32 at most.

constexpr uint32_t kCollectLanes = 0xffffffffu;

// What match_key of match_best.cu made of it.
__device__ float match_similarity(uint64_t key) {
  const uint32_t ordered = static_cast<uint32_t>(key >> 32);
  return __uint_as_float((ordered >> 31) != 0 ? ordered ^ 0x80000000u : ~ordered);
}

__device__ int32_t match_index(uint64_t key) { return static_cast<int32_t>(~static_cast<uint32_t>(key)); }

constexpr int32_t kCollectRows = 8;  // Neighbouring rows of a thread, whose keys are waited for together.

// Whether row `row`, whose best has this key, has a match. An infinite similarity is none.
__device__ bool match_is_mutual(uint64_t key, const uint64_t* best_of_b, int32_t row, float least) {
  const float similarity = match_similarity(key);
  const bool counts = key != 0 && similarity >= least && similarity <= FLT_MAX;
  return counts && match_index(__ldg(best_of_b + match_index(key))) == row;
}

// How much the threads before this one have together; `total` is what all have. `warp_sums` has room for 32.
__device__ int32_t match_sum_before(int32_t own, int32_t thread, int32_t warps, int32_t* warp_sums, int32_t* total) {
  const int32_t lane = thread % 32;
  int32_t sum = own;
  for (int32_t reach = 1; reach < 32; reach *= 2) {
    const int32_t before = __shfl_up_sync(kCollectLanes, sum, static_cast<uint32_t>(reach));
    sum += lane >= reach ? before : 0;
  }
  if (lane == 31) warp_sums[thread / 32] = sum;
  __syncthreads();
  int32_t before = 0;
  *total = 0;
  for (int32_t warp = 0; warp < warps; ++warp) {
    before += warp < thread / 32 ? warp_sums[warp] : 0;
    *total += warp_sums[warp];
  }
  return before + sum - own;
}

// The keys are match_best's, of `*a_count` and `*b_count` descriptors (at most as many as the capacities). Matches go out in the order of
// their index in a: `pairs` gets the two indices, `similarities` their similarity, at least `least`; `count` how many there are.
extern "C" __global__ void __launch_bounds__(1024)
    match_collect(const uint64_t* __restrict__ best_of_a, const int32_t* __restrict__ a_count, int32_t a_capacity,
                  const uint64_t* __restrict__ best_of_b, float least, int32_t* __restrict__ pairs,
                  float* __restrict__ similarities, int32_t* __restrict__ count) {
  __shared__ int32_t warp_sums[32];
  const int32_t thread = static_cast<int32_t>(threadIdx.x);
  const int32_t threads = static_cast<int32_t>(blockDim.x);
  const int32_t rows = max(min(__ldg(a_count), a_capacity), 0);
  int32_t written = 0;
  for (int32_t base = 0; base < rows; base += threads * kCollectRows) {
    const int32_t first = base + thread * kCollectRows;
    uint64_t keys[kCollectRows];
#pragma unroll
    for (int32_t i = 0; i < kCollectRows; ++i) keys[i] = first + i < rows ? __ldg(best_of_a + first + i) : 0;
    uint32_t mutual = 0;
#pragma unroll
    for (int32_t i = 0; i < kCollectRows; ++i) {
      mutual |= static_cast<uint32_t>(match_is_mutual(keys[i], best_of_b, first + i, least)) << i;
    }
    int32_t total = 0;
    int32_t at = written + match_sum_before(__popc(mutual), thread, threads / 32, warp_sums, &total);
#pragma unroll
    for (int32_t i = 0; i < kCollectRows; ++i) {
      if (((mutual >> i) & 1u) == 0) continue;
      pairs[2 * at] = first + i;
      pairs[2 * at + 1] = match_index(keys[i]);
      similarities[at] = match_similarity(keys[i]);
      ++at;
    }
    written += total;
    __syncthreads();
  }
  if (thread == 0) *count = written;
}
