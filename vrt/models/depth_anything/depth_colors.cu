// A depth map for people: from blue, far, over green to red, near. No barriers.
//
// The colours are Turbo's (A. Mikhailov, "Turbo, An Improved Rainbow Colormap for Visualization", Google AI Blog, 2019), as the polynomials
// of fifth degree that R. Du published for it.

__device__ float depth_from_ordered(uint32_t ordered) {
  return __uint_as_float((ordered >> 31) != 0 ? ordered ^ 0x80000000u : ~ordered);
}

__device__ float depth_polynomial(float x, float a, float b, float c, float d, float e, float f) {
  return ((((f * x + e) * x + d) * x + c) * x + b) * x + a;
}

__device__ uint8_t depth_byte(float share) {
  return static_cast<uint8_t>(fminf(fmaxf(share, 0.0f), 1.0f) * 255.0f + 0.5f);
}

// One thread a pixel. `range` is depth_range's. `near_is_small` is 1 for metres, 0 for inverse depth. What is not known becomes black; if
// all known values are equal, they are far for inverse depth and near for metres.
extern "C" __global__ void depth_colors(const float* __restrict__ map, int32_t count, float above,
                                        const uint32_t* __restrict__ range, int32_t near_is_small,
                                        uint8_t* __restrict__ rgb) {
  const int32_t i = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const float least = depth_from_ordered(~__ldg(range));
  const float greatest = depth_from_ordered(__ldg(range + 1));
  const float value = __ldg(map + i);
  const bool known = value > above && value <= FLT_MAX;
  // Halves, so that the difference is finite whatever the values are.
  const float span = greatest * 0.5f - least * 0.5f;
  const float share = span > 0.0f ? (value * 0.5f - least * 0.5f) / span : 0.0f;
  const float x = near_is_small != 0 ? 1.0f - share : share;
  const float red =
      depth_polynomial(x, 0.13572138f, 4.61539260f, -42.66032258f, 132.13108234f, -152.94239396f, 59.28637943f);
  const float green =
      depth_polynomial(x, 0.09140261f, 2.19418839f, 4.84296658f, -14.18503333f, 4.27729857f, 2.82956604f);
  const float blue =
      depth_polynomial(x, 0.10667330f, 12.64194608f, -60.58204836f, 110.36276771f, -89.90310912f, 27.34824973f);
  rgb[3 * i] = known ? depth_byte(red) : uint8_t{0};
  rgb[3 * i + 1] = known ? depth_byte(green) : uint8_t{0};
  rgb[3 * i + 2] = known ? depth_byte(blue) : uint8_t{0};
}
