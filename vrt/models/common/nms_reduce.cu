// Which of ranked boxes stay: the second half of non-maximum suppression. One warp.

constexpr uint32_t kAllLanes = 0xffffffffu;
constexpr int32_t kMaxRows = 1024;  // A lane for each of a row's 32 words.

// Bits of the boxes that stay among 32 neighbours. Each lane has the word of its own row that covers these neighbours;
// `dropped` are those that better boxes suppress. All lanes go through the same steps.
__device__ uint32_t nms_resolve(uint32_t own_word, uint32_t dropped) {
  uint32_t staying = 0;
  for (int32_t bit = 0; bit < 32; ++bit) {
    const uint32_t word = __shfl_sync(kAllLanes, own_word, bit);
    const bool stays = (((dropped | word) >> bit) & 1u) == 0;  // A row's own bit says that its box is invalid.
    staying |= stays ? 1u << bit : 0u;
    dropped |= stays ? word : 0u;
  }
  return staying;
}

// `mask` as nms_mask writes it for `*count` boxes. Ranks of the boxes that stay go to `kept`, in order, at most
// `max_kept`; `kept_count` receives how many.
extern "C" __global__ void __launch_bounds__(32)
    nms_reduce(const uint32_t* __restrict__ mask, const int32_t* __restrict__ count, int32_t max_kept,
               int32_t* __restrict__ kept, int32_t* __restrict__ kept_count) {
  const int32_t lane = static_cast<int32_t>(threadIdx.x);
  const int32_t total = min(__ldg(count), kMaxRows);
  uint32_t dropped = 0;  // This lane's word: boxes 32 * lane and following.
  int32_t written = 0;
  for (int32_t word = 0; word * 32 < total && written < max_kept; ++word) {
    const int32_t row = word * 32 + lane;
    const uint32_t own_word = row < total ? __ldg(mask + row * 32 + word) : kAllLanes;
    const uint32_t staying = nms_resolve(own_word, __shfl_sync(kAllLanes, dropped, word));
    const int32_t position = written + __popc(staying & ((1u << lane) - 1u));
    if (((staying >> lane) & 1u) != 0 && position < max_kept) kept[position] = row;
    written += __popc(staying);
    const bool later = lane > word && lane * 32 < total;
#pragma unroll
    for (int32_t bit = 0; bit < 32; ++bit) {
      if (later && ((staying >> bit) & 1u) != 0) dropped |= __ldg(mask + (word * 32 + bit) * 32 + lane);
    }
  }
  if (lane == 0) *kept_count = min(written, max_kept);
}
