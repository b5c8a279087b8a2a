// Appearance vectors of found instances: the tokens of the backbone's grid, pooled under each instance's mask. No barriers.
VRT_SHARED_TYPES_BEGIN
/// Two grids over the same picture.
struct AppearanceGrids {
  int32_t mask_width;
  int32_t mask_height;
  int32_t token_width;
  int32_t token_height;
  int32_t channels;  // Of a token.
};
VRT_SHARED_TYPES_END

// The first of `fine` cells whose centre is not before the cell `coarse_index` of `coarse` cells.
__device__ inline int32_t appearance_first_cell(int32_t coarse_index, int32_t coarse, int32_t fine) {
  return (2 * coarse_index * fine - coarse + 2 * coarse - 1) / (2 * coarse);
}

// One thread a token of an instance (instances along y): its weight is how many cells of the instance's mask are foreground
// (logit above 0) and have their centre in it. Instance i has the mask of query queries[i].
extern "C" __global__ void rfdetr_token_weights(const float* __restrict__ masks, const int32_t* __restrict__ queries,
                                                const int32_t* __restrict__ count, AppearanceGrids grids,
                                                float* __restrict__ weights) {
  const int32_t instance = static_cast<int32_t>(blockIdx.y);
  const int32_t token = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t tokens = grids.token_width * grids.token_height;
  if (token >= tokens || instance >= __ldg(count)) return;
  const int32_t column = token % grids.token_width;
  const int32_t row = token / grids.token_width;
  const int32_t left = appearance_first_cell(column, grids.token_width, grids.mask_width);
  const int32_t right = min(appearance_first_cell(column + 1, grids.token_width, grids.mask_width), grids.mask_width);
  const int32_t top = appearance_first_cell(row, grids.token_height, grids.mask_height);
  const int32_t bottom = min(appearance_first_cell(row + 1, grids.token_height, grids.mask_height), grids.mask_height);
  const float* plane = masks + static_cast<int64_t>(__ldg(queries + instance)) * grids.mask_width * grids.mask_height;
  int32_t foreground = 0;
  for (int32_t y = top; y < bottom; ++y) {
    for (int32_t x = left; x < right; ++x) foreground += __ldg(plane + y * grids.mask_width + x) > 0.0f ? 1 : 0;
  }
  weights[instance * tokens + token] = static_cast<float>(foreground);
}

// One thread a channel of an instance (instances along y): the weighted sum of the tokens' values, from the first token to the
// last. Tokens without weight do not count, whatever their values.
extern "C" __global__ void rfdetr_pool_tokens(const float* __restrict__ tokens, const float* __restrict__ weights,
                                              const int32_t* __restrict__ count, AppearanceGrids grids,
                                              float* __restrict__ sums) {
  const int32_t instance = static_cast<int32_t>(blockIdx.y);
  const int32_t channel = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t cells = grids.token_width * grids.token_height;
  if (channel >= grids.channels || instance >= __ldg(count)) return;
  float sum = 0.0f;
  for (int32_t cell = 0; cell < cells; ++cell) {
    const float weight = __ldg(weights + instance * cells + cell);
    if (weight > 0.0f) sum += weight * __ldg(tokens + channel * cells + cell);
  }
  sums[instance * grids.channels + channel] = sum;
}

// One thread a channel of an instance (instances along y): the sums scaled to unit length; all 0 where they are, or where the
// length is not finite.
extern "C" __global__ void rfdetr_normalise(const float* __restrict__ sums, const int32_t* __restrict__ count,
                                            int32_t channels, float* __restrict__ vectors) {
  const int32_t instance = static_cast<int32_t>(blockIdx.y);
  const int32_t channel = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (channel >= channels || instance >= __ldg(count)) return;
  float squares = 0.0f;
  for (int32_t i = 0; i < channels; ++i) {
    const float value = __ldg(sums + instance * channels + i);
    squares += value * value;
  }
  const float length = sqrtf(squares);
  const float value = __ldg(sums + instance * channels + channel);
  const bool has_length = length > 0.0f && length - length == 0.0f;
  vectors[instance * channels + channel] = has_length ? value / length : 0.0f;
}
