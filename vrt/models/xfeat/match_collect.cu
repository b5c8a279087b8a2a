// Which descriptors of two sets have each other as the most similar one. One block of any number of warps, 32 at most.

constexpr uint32_t kCollectLanes = 0xffffffffu;

// What match_key of match_best.cu made of it.
__device__ float match_similarity(uint64_t key) {
  const uint32_t ordered = static_cast<uint32_t>(key >> 32);
  return __uint_as_float((ordered >> 31) != 0 ? ordered ^ 0x80000000u : ~ordered);
}

__device__ int32_t match_index(uint64_t key) { return static_cast<int32_t>(~static_cast<uint32_t>(key)); }

constexpr int32_t kCollectRows = 4;  // Of a thread, a block's width apart, whose keys are waited for together.

// The block's rows, kCollectRows times its width: how many of a warp's 32 rows have a match, and how many do before these.
struct CollectShared {
  int32_t found[kCollectRows][32];
  int32_t before[kCollectRows][32];
};

// Whether row `row`, whose best has this key, has a match. An infinite similarity is none.
__device__ bool match_is_mutual(uint64_t key, const uint64_t* best_of_b, int32_t row, float least) {
  const float similarity = match_similarity(key);
  const bool counts = key != 0 && similarity >= least && similarity <= FLT_MAX;
  return counts && match_index(__ldg(best_of_b + match_index(key))) == row;
}

// From `found` to `before`, a warp a row of them; the sum of a row goes to its last place in `found`.
__device__ void match_sum_before(CollectShared* shared, int32_t thread, int32_t warps) {
  const int32_t lane = thread % 32;
#pragma unroll 1
  for (int32_t i = thread / 32; i < kCollectRows; i += warps) {
    const int32_t own = lane < warps ? shared->found[i][lane] : 0;
    int32_t sum = own;
#pragma unroll
    for (int32_t reach = 1; reach < 32; reach *= 2) {
      const int32_t before = __shfl_up_sync(kCollectLanes, sum, static_cast<uint32_t>(reach));
      sum += lane >= reach ? before : 0;
    }
    shared->before[i][lane] = sum - own;
    if (lane == 31) shared->found[i][31] = sum;
  }
}

// The keys are match_best's, of `*a_count` and `*b_count` descriptors (at most as many as the capacities). Matches go out in the order of
// their index in a: `pairs` gets the two indices, `similarities` their similarity, at least `least`; `count`, and `host_count` in the
// host's memory, how many there are.
extern "C" __global__ void __launch_bounds__(1024)
    match_collect(const uint64_t* __restrict__ best_of_a, const int32_t* __restrict__ a_count, int32_t a_capacity,
                  const uint64_t* __restrict__ best_of_b, float least, int32_t* __restrict__ pairs,
                  float* __restrict__ similarities, int32_t* __restrict__ count, int32_t* __restrict__ host_count) {
  __shared__ CollectShared shared;
  const int32_t thread = static_cast<int32_t>(threadIdx.x);
  const int32_t threads = static_cast<int32_t>(blockDim.x);
  const int32_t lane = thread % 32;
  const int32_t rows = max(min(__ldg(a_count), a_capacity), 0);
  int32_t written = 0;
  for (int32_t base = 0; base < rows; base += threads * kCollectRows) {
    const int32_t first = base + thread;
    uint64_t keys[kCollectRows];
#pragma unroll
    for (int32_t i = 0; i < kCollectRows; ++i) {
      keys[i] = first + i * threads < rows ? __ldg(best_of_a + first + i * threads) : 0;
    }
    bool mutual[kCollectRows];
#pragma unroll
    for (int32_t i = 0; i < kCollectRows; ++i) {
      mutual[i] = match_is_mutual(keys[i], best_of_b, first + i * threads, least);
    }
    uint32_t of_warp[kCollectRows];
#pragma unroll
    for (int32_t i = 0; i < kCollectRows; ++i) {
      of_warp[i] = __ballot_sync(kCollectLanes, mutual[i]);
      if (lane == 0) shared.found[i][thread / 32] = __popc(of_warp[i]);
    }
    __syncthreads();
    match_sum_before(&shared, thread, threads / 32);
    __syncthreads();
#pragma unroll
    for (int32_t i = 0; i < kCollectRows; ++i) {
      const int32_t at = written + shared.before[i][thread / 32] + __popc(of_warp[i] & ((1u << lane) - 1u));
      if (mutual[i]) {
        reinterpret_cast<int2*>(pairs)[at] = make_int2(first + i * threads, match_index(keys[i]));
        similarities[at] = match_similarity(keys[i]);
      }
      written += shared.found[i][31];
    }
    __syncthreads();
  }
  if (thread == 0) {
    *count = written;
    *host_count = written;
  }
}
