// How many boxes each run of the network has. No barriers.

// One thread a run. `*box_count` boxes, at most `capacity`, go `batch` at a time: `counts` gets the number of each of `runs` runs, `total`
// their sum.
extern "C" __global__ void osnet_counts(const int32_t* __restrict__ box_count, int32_t capacity, int32_t batch,
                                        int32_t runs, int32_t* __restrict__ counts, int32_t* __restrict__ total) {
  const int32_t run = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (run >= runs) return;
  const int32_t boxes = max(min(__ldg(box_count), capacity), 0);
  counts[run] = min(max(boxes - run * batch, 0), batch);
  if (run == 0) *total = boxes;
}
