// Which cells of CenterFace's heatmap hold a candidate. No barriers.

// One thread a cell. Appends a key for each cell whose score is finite and above the threshold; in which order does not
// matter, for keys are ranked afterwards. A key's upper half orders scores as integers do, its lower half is the
// complement of the cell's index: a greater key is a better candidate, and among equal scores the lower index is.
// `count` is 0 before; `keys` has room for all cells.
extern "C" __global__ void centerface_collect(const float* __restrict__ heatmap, int32_t cells, float threshold,
                                              uint64_t* __restrict__ keys, int32_t* __restrict__ count) {
  const int32_t cell = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (cell >= cells) return;
  const float score = __ldg(heatmap + cell);
  const bool finite = score - score == 0.0f;  // Neither NaN nor infinite.
  if (!finite || !(score > threshold)) return;
  const uint32_t bits = __float_as_uint(score);
  const uint32_t ordered = (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
  keys[atomicAdd(count, 1)] = (static_cast<uint64_t>(ordered) << 32) | ~static_cast<uint32_t>(cell);
}
