// Keypoints of found objects in source pixels. No barriers.
VRT_SHARED_TYPES_BEGIN
/// Where the keypoints of a network's cells are, and the way from its input to source pixels.
struct YoloPoints {
  int32_t points;        // Of each object.
  int32_t point_values;  // 2: x, y; 3: and a confidence.
  int32_t first;         // The first point's position in a cell's values ...
  int32_t item_stride;   // ... of which those of the next cell are so many floats further, ...
  int32_t value_stride;  // ... and the next value so many.
  float scale_x;
  float scale_y;
  float shift_x;
  float shift_y;
  float source_width;
  float source_height;
};
VRT_SHARED_TYPES_END

__device__ inline float yolo_point_clip(float value, float limit) {
  return value < 0.0f ? 0.0f : (value > limit ? limit : value);
}

// One thread a point: x, y, clipped to the picture, and the confidence (1 where the network gives none) go to `keypoints`; zeros where
// one of them is not finite.
extern "C" __global__ void yolo_gather_points(const float* __restrict__ objects, const int32_t* __restrict__ indices,
                                              const int32_t* __restrict__ count, YoloPoints layout,
                                              float* __restrict__ keypoints) {
  const int32_t i = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t object = i / layout.points;
  if (object >= __ldg(count)) return;
  const int32_t value = layout.first + i % layout.points * layout.point_values;
  const float* at = objects + static_cast<int64_t>(__ldg(indices + object)) * layout.item_stride +
                    static_cast<int64_t>(value) * layout.value_stride;
  const float x = __ldg(at) * layout.scale_x + layout.shift_x;
  const float y = __ldg(at + layout.value_stride) * layout.scale_y + layout.shift_y;
  const float confidence = layout.point_values == 3 ? __ldg(at + 2 * layout.value_stride) : 1.0f;
  const bool finite = (x - x) + (y - y) + (confidence - confidence) == 0.0f;
  keypoints[3 * i] = finite ? yolo_point_clip(x, layout.source_width) : 0.0f;
  keypoints[3 * i + 1] = finite ? yolo_point_clip(y, layout.source_height) : 0.0f;
  keypoints[3 * i + 2] = finite ? confidence : 0.0f;
}
