// Keypoints of RF-DETR's found objects in source pixels. No barriers.
VRT_SHARED_TYPES_BEGIN
struct RfDetrPoints {
  int32_t points;   // The slots of each class, ...
  int32_t classes;  // ... of which a query has so many, class after class; objects of further classes have no points.
  float source_width;
  float source_height;
};
VRT_SHARED_TYPES_END

constexpr int32_t kSlotValues =
    8;  // x, y, visibility, one that is not used, log l11, l21, log l22, one that is not used.
constexpr float kTypicalSpread = 0.06f;  // At which a point's confidence is half its visibility.

// Sigmoid of the visibility, less where the point's position is uncertain: l is the Cholesky factor of its precision, so that the
// spread is that of the position's distribution.
__device__ inline float rfdetr_confidence(const float* slot) {
  const float a = expf(__ldg(slot + 4));
  const float b = expf(__ldg(slot + 6));
  const float c = __ldg(slot + 5);
  const float spread = sqrtf((a * a + b * b + c * c) / ((a * b) * (a * b)) / 2.0f);
  const float ratio = spread / kTypicalSpread;
  const float confidence = 1.0f / (1.0f + expf(-__ldg(slot + 2))) / (1.0f + ratio * ratio);
  return confidence - confidence == 0.0f ? fminf(fmaxf(confidence, 0.0f), 1.0f) : 0.0f;
}

// One thread a point of a found object: x, y, confidence go to `keypoints`, zeros for a point that its class does not have or
// whose place is not finite.
// `queries` and `classes` are those of the objects, `class_points` says how many points the classes have.
extern "C" __global__ void rfdetr_gather_points(const float* __restrict__ slots, const int32_t* __restrict__ queries,
                                                const int32_t* __restrict__ classes, const int32_t* __restrict__ count,
                                                const int32_t* __restrict__ class_points, RfDetrPoints layout,
                                                float* __restrict__ keypoints) {
  const int32_t i = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t object = i / layout.points;
  if (object >= __ldg(count)) return;
  const int32_t point = i % layout.points;
  const int32_t object_class = __ldg(classes + object);
  if (object_class >= layout.classes || point >= __ldg(class_points + object_class)) {
    keypoints[3 * i] = 0.0f;
    keypoints[3 * i + 1] = 0.0f;
    keypoints[3 * i + 2] = 0.0f;
    return;
  }
  const int32_t slot = (__ldg(queries + object) * layout.classes + object_class) * layout.points + point;
  const float* at = slots + static_cast<int64_t>(slot) * kSlotValues;
  const float x = __ldg(at) * layout.source_width;
  const float y = __ldg(at + 1) * layout.source_height;
  const bool finite = (x - x) + (y - y) == 0.0f;
  keypoints[3 * i] = finite ? x : 0.0f;
  keypoints[3 * i + 1] = finite ? y : 0.0f;
  keypoints[3 * i + 2] = finite ? rfdetr_confidence(at) : 0.0f;
}
