// The order of a few thousand distinct 64-bit keys: the place of each is the number of greater ones. Blocks share nothing.

constexpr int32_t kRankThreads = 256;
constexpr int32_t kRankSharers = 8;  // Threads that count for one key.
constexpr int32_t kRankChunk = 1024;
constexpr uint32_t kRankLanes = 0xffffffffu;

// `*key_count` keys, at most `capacity`; the `keep` greatest go to `ranked` in descending order, `ranked_count` says how many those are.
// A block ranks kRankThreads / kRankSharers keys.
extern "C" __global__ void __launch_bounds__(256)
    xfeat_rank(const uint64_t* __restrict__ keys, const int32_t* __restrict__ key_count, int32_t capacity, int32_t keep,
               uint64_t* __restrict__ ranked, int32_t* __restrict__ ranked_count) {
  __shared__ uint64_t chunk[kRankChunk];
  const int32_t thread = static_cast<int32_t>(threadIdx.x);
  const int32_t count = min(__ldg(key_count), capacity);
  if (blockIdx.x == 0 && thread == 0) *ranked_count = min(count, keep);
  const int32_t first = static_cast<int32_t>(blockIdx.x) * (kRankThreads / kRankSharers);
  if (first >= count) return;  // The whole block.
  const int32_t own = first + thread / kRankSharers;
  const uint64_t key = own < count ? __ldg(keys + own) : 0;
  int32_t greater = 0;
  for (int32_t begin = 0; begin < count; begin += kRankChunk) {
    const int32_t length = min(count - begin, kRankChunk);
    for (int32_t i = thread; i < kRankChunk; i += kRankThreads) chunk[i] = i < length ? __ldg(keys + begin + i) : 0;
    __syncthreads();
#pragma unroll 8
    for (int32_t i = thread % kRankSharers; i < kRankChunk; i += kRankSharers) greater += chunk[i] > key ? 1 : 0;
    __syncthreads();
  }
  for (int32_t reach = 1; reach < kRankSharers; reach *= 2) greater += __shfl_xor_sync(kRankLanes, greater, reach);
  if (own < count && thread % kRankSharers == 0 && greater < keep) ranked[greater] = key;
}
