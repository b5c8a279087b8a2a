// Objects of YOLO's end-to-end outputs: those whose score is above the threshold, in the network's order. No barriers.
VRT_SHARED_TYPES_BEGIN
/// Where the objects' values are, and the way from the network's input to source pixels.
struct YoloRows {
  int32_t rows;
  int32_t values;  // Of a row: x1, y1, x2, y2, score, class, ...
  float above;
  int32_t most;  // The first ones in the network's order are taken.
  float scale_x;
  float scale_y;
  float shift_x;
  float shift_y;
  float source_width;
  float source_height;
};
VRT_SHARED_TYPES_END

// What rounds to a class's number, below kMostClasses. NaN does not.
__device__ inline bool yolo_row_is_class(float value) { return value >= -0.5f && value < 65535.5f; }

// Inverted and non-finite boxes do not count; nor do scores that are not above the threshold, or not finite; nor what is of no class.
__device__ inline bool yolo_row_counts(const float* row, float above) {
  const float x1 = __ldg(row);
  const float y1 = __ldg(row + 1);
  const float x2 = __ldg(row + 2);
  const float y2 = __ldg(row + 3);
  const float score = __ldg(row + 4);
  const float area = (x2 - x1) * (y2 - y1);
  return score > above && score <= FLT_MAX && x2 >= x1 && y2 >= y1 && area - area == 0.0f &&
         yolo_row_is_class(__ldg(row + 5));
}

__device__ inline float yolo_row_clip(float value, float limit) {
  return value < 0.0f ? 0.0f : (value > limit ? limit : value);
}

// One thread a row, and at least one. A row's place is the number of counting rows before it. `counts` receives how many count,
// how many of them are taken, and that again.
extern "C" __global__ void yolo_take_rows(const float* __restrict__ objects, YoloRows rows,
                                          float4* __restrict__ found_boxes, float* __restrict__ found_scores,
                                          int32_t* __restrict__ found_classes, int32_t* __restrict__ found_indices,
                                          int32_t* __restrict__ counts) {
  const int32_t index = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (index >= rows.rows) return;
  const float* row = objects + index * rows.values;
  const bool is_last = index == rows.rows - 1;
  const bool own = yolo_row_counts(row, rows.above);
  if (!own && !is_last) return;
  int32_t place = 0;
  for (int32_t i = 0; i < index; ++i) place += yolo_row_counts(objects + i * rows.values, rows.above) ? 1 : 0;
  if (is_last) {
    counts[0] = place + (own ? 1 : 0);
    counts[1] = min(counts[0], rows.most);
    counts[2] = counts[1];
  }
  if (!own || place >= rows.most) return;
  found_boxes[place] = make_float4(yolo_row_clip(__ldg(row) * rows.scale_x + rows.shift_x, rows.source_width),
                                   yolo_row_clip(__ldg(row + 1) * rows.scale_y + rows.shift_y, rows.source_height),
                                   yolo_row_clip(__ldg(row + 2) * rows.scale_x + rows.shift_x, rows.source_width),
                                   yolo_row_clip(__ldg(row + 3) * rows.scale_y + rows.shift_y, rows.source_height));
  found_scores[place] = __ldg(row + 4);
  found_classes[place] = __float2int_rn(__ldg(row + 5));
  found_indices[place] = index;
}
