// Which descriptors of two sets have each other as the most similar one. One block of any number of warps, 32 at most.

constexpr uint32_t kCollectLanes = 0xffffffffu;

// What match_key of match_best.cu made of it.
__device__ float match_similarity(uint64_t key) {
  const uint32_t ordered = static_cast<uint32_t>(key >> 32);
  return __uint_as_float((ordered >> 31) != 0 ? ordered ^ 0x80000000u : ~ordered);
}

__device__ int32_t match_index(uint64_t key) { return static_cast<int32_t>(~static_cast<uint32_t>(key)); }

// Whether row `row` has a match. An infinite similarity is none.
__device__ bool match_is_mutual(const uint64_t* best_of_a, const uint64_t* best_of_b, int32_t row, float least) {
  const uint64_t key = __ldg(best_of_a + row);
  if (key == 0) return false;
  const float similarity = match_similarity(key);
  if (!(similarity >= least) || !(similarity <= FLT_MAX)) return false;
  return match_index(__ldg(best_of_b + match_index(key))) == row;
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
  const int32_t each = (rows + threads - 1) / threads;
  const int32_t first = min(thread * each, rows);
  const int32_t end = min(first + each, rows);
  int32_t own = 0;
  for (int32_t row = first; row < end; ++row) own += match_is_mutual(best_of_a, best_of_b, row, least) ? 1 : 0;
  int32_t total = 0;
  int32_t at = match_sum_before(own, thread, threads / 32, warp_sums, &total);
  for (int32_t row = first; row < end && own > 0; ++row) {
    if (!match_is_mutual(best_of_a, best_of_b, row, least)) continue;
    const uint64_t key = __ldg(best_of_a + row);
    pairs[2 * at] = row;
    pairs[2 * at + 1] = match_index(key);
    similarities[at] = match_similarity(key);
    ++at;
  }
  if (thread == 0) *count = total;
}
