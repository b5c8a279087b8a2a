// Cells of YOLO's outputs with objectness, [N, 5 + classes + ...]: each one's best class, its score and its box. No barriers.
VRT_SHARED_TYPES_BEGIN
/// What a cell's values mean: centre x and y, width, height, objectness, a score for each class, then what is not read here.
struct YoloCells {
  int32_t cells;
  int32_t values;  // Of a cell.
  int32_t classes;
  float above;
  int32_t raw;  // 1: YOLOX's head as it is, centre and size relative to a cell of its grids; 0: pixels of the input.
  int32_t input_width;
  int32_t input_height;
};
VRT_SHARED_TYPES_END

constexpr int32_t kYoloFirstStride = 8;  // Of YOLOX's grids, the finest first: input pixels a cell.
constexpr int32_t kYoloLastStride = 32;

// Centre and size in pixels of the input. Grids follow each other, each row by row.
__device__ inline float4 yolo_cell_from_raw(const float4& raw, int32_t cell, int32_t width, int32_t height) {
  int32_t stride = kYoloFirstStride;
  while (stride < kYoloLastStride && cell >= (width / stride) * (height / stride)) {
    cell -= (width / stride) * (height / stride);
    stride *= 2;
  }
  const int32_t columns = width / stride;
  const float pixels = static_cast<float>(stride);
  return make_float4((raw.x + static_cast<float>(cell % columns)) * pixels,
                     (raw.y + static_cast<float>(cell / columns)) * pixels, expf(raw.z) * pixels, expf(raw.w) * pixels);
}

// One thread a cell. A cell counts if its objectness is above the threshold and the product of that and a class's score is, too,
// and finite; the best such class wins, of equal ones the lowest. A cell that does not count has the score -1.
extern "C" __global__ void yolo_score_cells(const float* __restrict__ objects, YoloCells layout,
                                            float* __restrict__ scores, int32_t* __restrict__ classes,
                                            float4* __restrict__ boxes) {
  const int32_t cell = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (cell >= layout.cells) return;
  const float* at = objects + static_cast<int64_t>(cell) * layout.values;
  const float objectness = __ldg(at + 4);
  float best = layout.above;
  int32_t best_class = -1;
  const int32_t candidates = objectness > layout.above ? layout.classes : 0;
  for (int32_t c = 0; c < candidates; ++c) {
    const float score = objectness * __ldg(at + 5 + c);
    const bool better = score > best && score <= FLT_MAX;  // False for NaN.
    best = better ? score : best;
    best_class = better ? c : best_class;
  }
  scores[cell] = best_class < 0 ? -1.0f : best;
  if (best_class < 0) return;
  classes[cell] = best_class;
  const float4 box = make_float4(__ldg(at), __ldg(at + 1), __ldg(at + 2), __ldg(at + 3));
  boxes[cell] = layout.raw != 0 ? yolo_cell_from_raw(box, cell, layout.input_width, layout.input_height) : box;
}
