// From ranked cells of CenterFace's outputs to faces in source pixels. No barriers.
VRT_SHARED_TYPES_BEGIN
/// Where cells are: a cell is 4×4 pixels of the network's input, and source = input * scale + shift, per axis.
struct CenterFaceGeometry {
  int32_t columns;
  int32_t cells;
  float scale_x;
  float scale_y;
  float shift_x;
  float shift_y;
  float source_width;
  float source_height;
};
VRT_SHARED_TYPES_END

constexpr float kStride = 4.0f;
constexpr int32_t kPoints = 5;

// A face's box in pixels of the network's input. `scale` has the planes log height and log width, `offset` y and x.
struct CenterFaceBox {
  float x, y, width, height;
};

__device__ CenterFaceBox centerface_box(const float* scale, const float* offset, int32_t cell,
                                        const CenterFaceGeometry& geometry) {
  CenterFaceBox box;
  box.height = expf(__ldg(scale + cell)) * kStride;
  box.width = expf(__ldg(scale + geometry.cells + cell)) * kStride;
  const float row = static_cast<float>(cell / geometry.columns);
  const float column = static_cast<float>(cell % geometry.columns);
  box.y = (row + __ldg(offset + cell) + 0.5f) * kStride - box.height * 0.5f;
  box.x = (column + __ldg(offset + geometry.cells + cell) + 0.5f) * kStride - box.width * 0.5f;
  return box;
}

// Written so that NaN stays NaN.
__device__ float centerface_clip(float value, float limit) {
  return value < 0.0f ? 0.0f : (value > limit ? limit : value);
}

// The lower half of a candidate's key is the complement of its cell.
__device__ int32_t centerface_cell_of(uint64_t key) { return static_cast<int32_t>(~static_cast<uint32_t>(key)); }

// One thread a ranked candidate: its box in source pixels, clipped to the picture. What is not finite becomes an empty
// box, which non-maximum suppression drops.
extern "C" __global__ void centerface_decode_boxes(const uint64_t* __restrict__ ranked,
                                                   const int32_t* __restrict__ count, const float* __restrict__ scale,
                                                   const float* __restrict__ offset, CenterFaceGeometry geometry,
                                                   float4* __restrict__ boxes) {
  const int32_t rank = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (rank >= __ldg(count)) return;
  const CenterFaceBox box = centerface_box(scale, offset, centerface_cell_of(__ldg(ranked + rank)), geometry);
  const float x1 = box.x * geometry.scale_x + geometry.shift_x;
  const float y1 = box.y * geometry.scale_y + geometry.shift_y;
  const float x2 = (box.x + box.width) * geometry.scale_x + geometry.shift_x;
  const float y2 = (box.y + box.height) * geometry.scale_y + geometry.shift_y;
  const bool finite = (x1 - x1) + (y1 - y1) + (x2 - x2) + (y2 - y2) == 0.0f;
  const float right = geometry.source_width;
  const float bottom = geometry.source_height;
  boxes[rank] = finite ? make_float4(centerface_clip(x1, right), centerface_clip(y1, bottom),
                                     centerface_clip(x2, right), centerface_clip(y2, bottom))
                       : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

// One thread a face that was kept: its score and landmarks in source pixels, best face first. A landmark is given in
// units of the box's size, from the corner of the box as the network means it, not as it was clipped. `landmarks` has a
// plane for each y and x.
extern "C" __global__ void centerface_gather(const int32_t* __restrict__ kept, const int32_t* __restrict__ kept_count,
                                             const uint64_t* __restrict__ ranked, const float4* __restrict__ boxes,
                                             const float* __restrict__ heatmap, const float* __restrict__ scale,
                                             const float* __restrict__ offset, const float* __restrict__ landmarks,
                                             CenterFaceGeometry geometry, float4* __restrict__ face_boxes,
                                             float* __restrict__ face_scores, float2* __restrict__ face_landmarks) {
  const int32_t face = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (face >= __ldg(kept_count)) return;
  const int32_t rank = __ldg(kept + face);
  const int32_t cell = centerface_cell_of(__ldg(ranked + rank));
  const CenterFaceBox box = centerface_box(scale, offset, cell, geometry);
  face_boxes[face] = __ldg(boxes + rank);
  face_scores[face] = __ldg(heatmap + cell);
  for (int32_t point = 0; point < kPoints; ++point) {
    const float y = box.y + __ldg(landmarks + (2 * point) * geometry.cells + cell) * box.height;
    const float x = box.x + __ldg(landmarks + (2 * point + 1) * geometry.cells + cell) * box.width;
    face_landmarks[kPoints * face + point] =
        make_float2(x * geometry.scale_x + geometry.shift_x, y * geometry.scale_y + geometry.shift_y);
  }
}
