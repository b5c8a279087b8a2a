// Keypoints and their descriptors, from ranked pixels.
VRT_SHARED_TYPES_BEGIN
/// The network's input, the map of descriptors (an eighth of it), and source pixels for each input pixel.
struct XFeatGeometry {
  int32_t width;
  int32_t map_width;
  int32_t map_height;
  float scale_x;
  float scale_y;
};
VRT_SHARED_TYPES_END

constexpr int32_t kFeatureChannels = 64;
constexpr float kFeatureStride = 8.0f;
constexpr uint32_t kFeatureLanes = 0xffffffffu;

// The two neighbours of a place on an axis of the map, and how far it is from the first to the second. The map ends with its outer
// cells' centres: beyond, they count.
struct XFeatTaps {
  int32_t first, second;
  float weight;
};

__device__ XFeatTaps xfeat_taps(int32_t pixel, int32_t cells) {
  const float centre = (static_cast<float>(pixel) + 0.5f) * (1.0f / kFeatureStride) - 0.5f;
  const float place = fminf(fmaxf(centre, 0.0f), static_cast<float>(cells - 1));
  const int32_t first = static_cast<int32_t>(place);
  return {first, min(first + 1, cells - 1), place - static_cast<float>(first)};
}

__device__ float xfeat_sample(const float* plane, XFeatTaps x, XFeatTaps y, int32_t map_width) {
  const float* upper = plane + y.first * map_width;
  const float* lower = plane + y.second * map_width;
  const float top = __ldg(upper + x.first) * (1.0f - x.weight) + __ldg(upper + x.second) * x.weight;
  const float bottom = __ldg(lower + x.first) * (1.0f - x.weight) + __ldg(lower + x.second) * x.weight;
  return top * (1.0f - y.weight) + bottom * y.weight;
}

// The keypoint at the pixel's centre in source pixels, and its score.
__device__ void xfeat_place(uint64_t key, int32_t x, int32_t y, XFeatGeometry geometry, float* keypoint) {
  keypoint[0] = (static_cast<float>(x) + 0.5f) * geometry.scale_x;
  keypoint[1] = (static_cast<float>(y) + 0.5f) * geometry.scale_y;
  keypoint[2] = __uint_as_float(static_cast<uint32_t>(key >> 32) & 0x7FFFFFFFu);
}

// A warp for each of `*count` keys of xfeat_peaks. `keypoints` gets x, y and score of each; `descriptors` its 64 channels, sampled
// bilinearly from `maps` (64 planes) and of length 1.
extern "C" __global__ void __launch_bounds__(256)
    xfeat_describe(const uint64_t* __restrict__ keys, const int32_t* __restrict__ count, const float* __restrict__ maps,
                   XFeatGeometry geometry, float* __restrict__ keypoints, float* __restrict__ descriptors) {
  const int32_t thread = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t lane = thread % 32;
  const int32_t own = thread / 32;
  if (own >= __ldg(count)) return;  // The whole warp.
  const uint64_t key = __ldg(keys + own);
  const int32_t pixel = static_cast<int32_t>(~static_cast<uint32_t>(key));
  const int32_t x = pixel % geometry.width;
  const int32_t y = pixel / geometry.width;
  const XFeatTaps across = xfeat_taps(x, geometry.map_width);
  const XFeatTaps down = xfeat_taps(y, geometry.map_height);
  const int32_t cells = geometry.map_width * geometry.map_height;
  const float low = xfeat_sample(maps + lane * cells, across, down, geometry.map_width);
  const float high = xfeat_sample(maps + (lane + 32) * cells, across, down, geometry.map_width);
  float squares = low * low + high * high;
  for (int32_t reach = 16; reach > 0; reach /= 2) squares += __shfl_xor_sync(kFeatureLanes, squares, reach);
  const float length = fmaxf(__fsqrt_rn(squares), 1e-12f);
  descriptors[own * kFeatureChannels + lane] = __fdiv_rn(low, length);
  descriptors[own * kFeatureChannels + lane + 32] = __fdiv_rn(high, length);
  if (lane == 0) xfeat_place(key, x, y, geometry, keypoints + own * 3);
}
