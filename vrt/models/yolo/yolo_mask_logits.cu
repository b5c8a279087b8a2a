// Logits of YOLO's masks: each object's coefficients times the prototypes. No barriers.
VRT_SHARED_TYPES_BEGIN
constexpr int32_t kMasksOfThread = 4;  // Whose prototypes are read once for all.

/// Where the coefficients of a network's cells are, and what part of the grid an object's mask needs.
struct YoloMaskLayout {
  int32_t coefficients;
  int32_t first;         // The first coefficient's position in a cell's values ...
  int32_t item_stride;   // ... of which those of the next cell are so many floats further, ...
  int32_t value_stride;  // ... and the next value so many.
  int32_t width;         // Of the prototypes.
  int32_t height;
  float scale_x;  // grid = source * scale + shift, per axis.
  float scale_y;
  float shift_x;
  float shift_y;
};
VRT_SHARED_TYPES_END

constexpr float kMargin = 2.0f;  // Cells around a box that its mask is blended from, one to spare.

// Whether the mask of a box can need that cell.
__device__ inline bool yolo_mask_needs(const float4& box, int32_t column, int32_t row, const YoloMaskLayout& layout) {
  const float x = static_cast<float>(column);
  const float y = static_cast<float>(row);
  return x >= box.x * layout.scale_x + layout.shift_x - kMargin &&
         x <= box.z * layout.scale_x + layout.shift_x + kMargin &&
         y >= box.y * layout.scale_y + layout.shift_y - kMargin &&
         y <= box.w * layout.scale_y + layout.shift_y + kMargin;
}

// One thread a cell of the prototypes, for kMasksOfThread masks: masks along y. Plane i of `logits` becomes object i's; cells
// that no pixel of its box needs are left as they are.
extern "C" __global__ void yolo_mask_logits(const float* __restrict__ objects, const float* __restrict__ prototypes,
                                            const int32_t* __restrict__ indices, const int32_t* __restrict__ count,
                                            const float4* __restrict__ boxes, YoloMaskLayout layout, int32_t most,
                                            float* __restrict__ logits) {
  const int32_t cell = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t cells = layout.width * layout.height;
  const int32_t first = static_cast<int32_t>(blockIdx.y) * kMasksOfThread;
  const int32_t total = min(__ldg(count), most);
  if (cell >= cells || first >= total) return;
  const float* coefficients[kMasksOfThread];
  float sums[kMasksOfThread];
  bool needed[kMasksOfThread];
  bool any = false;
#pragma unroll
  for (int32_t i = 0; i < kMasksOfThread; ++i) {
    const int32_t mask = min(first + i, total - 1);
    coefficients[i] = objects + static_cast<int64_t>(__ldg(indices + mask)) * layout.item_stride +
                      static_cast<int64_t>(layout.first) * layout.value_stride;
    needed[i] =
        first + i < total && yolo_mask_needs(__ldg(boxes + mask), cell % layout.width, cell / layout.width, layout);
    any = any || needed[i];
    sums[i] = 0.0f;
  }
  if (!any) return;
  for (int32_t k = 0; k < layout.coefficients; ++k) {
    const float prototype = __ldg(prototypes + static_cast<int64_t>(k) * cells + cell);
#pragma unroll
    for (int32_t i = 0; i < kMasksOfThread; ++i)
      sums[i] += __ldg(coefficients[i] + static_cast<int64_t>(k) * layout.value_stride) * prototype;
  }
#pragma unroll
  for (int32_t i = 0; i < kMasksOfThread; ++i) {
    if (needed[i]) logits[static_cast<int64_t>(first + i) * cells + cell] = sums[i];
  }
}
