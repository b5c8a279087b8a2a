// Embeddings of length 1.

constexpr uint32_t kEmbedLanes = 0xffffffffu;

// A warp for each of `*count` rows of `channels` values. A row of zeros stays one, and one whose length is no finite number becomes one.
extern "C" __global__ void __launch_bounds__(256)
    osnet_embed(const float* __restrict__ features, const int32_t* __restrict__ count, int32_t channels,
                float* __restrict__ embeddings) {
  const int32_t thread = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t lane = thread % 32;
  const int32_t row = thread / 32;
  if (row >= __ldg(count)) return;  // The whole warp.
  const float* own = features + row * channels;
  float squares = 0.0f;
  for (int32_t i = lane; i < channels; i += 32) squares += __ldg(own + i) * __ldg(own + i);
  for (int32_t reach = 16; reach > 0; reach /= 2) squares += __shfl_xor_sync(kEmbedLanes, squares, reach);
  const bool finite = squares <= FLT_MAX;  // The same in every lane.
  const float length = fmaxf(__fsqrt_rn(squares), 1e-12f);
  for (int32_t i = lane; i < channels; i += 32) {
    embeddings[row * channels + i] = finite ? __fdiv_rn(__ldg(own + i), length) : 0.0f;
  }
}
