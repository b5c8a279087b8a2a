// Preprocessing: picture to network input in one pass. A thread makes one output pixel, all three channels.
//
// Every source pixel is decoded to 8-bit R, G, B first (as a video decoder would), then pixels are blended in float.
// Positions along an axis are 32.32 fixed point: `start + step * index` is exact, the same on every device, and cheap.
// The order of float operations is part of the contract: preprocess_host.cpp keeps it, so that both give the same bits.

VRT_SHARED_TYPES_BEGIN
// All that a launch needs besides memory. Written by preprocessor.cpp.
struct Params {
  int64_t pitch[3];  // Bytes from row to row, for each plane pointer.
  int64_t start_x, step_x, start_y, step_y;
  int32_t width, height;  // Of the source.
  int32_t target_width, target_height;
  int32_t filled_x, filled_y, filled_width, filled_height;
  int32_t is_yuv;
  int32_t pixel_stride;       // Bytes from pixel to pixel in plane 0.
  int32_t channel_offset[3];  // Packed: byte of R, G, B in a pixel. YUV: of Y, Cb, Cr in their planes.
  int32_t chroma_stride;      // Bytes from one chroma sample to the next in a row.
  int32_t chroma_row_shift;   // 1 where a chroma row covers two rows of pixels.
  int32_t luma_offset;        // What black is: 16 or 0.
  int32_t luma_gain;          // These five are multiplied by 2^20.
  int32_t red_cr, green_cb, green_cr, blue_cb;
  int32_t is_interleaved;
  int32_t output_channel[3];  // Where R, G, B go in the output.
  float multiply[3], add[3];  // Output = value * multiply + add, for R, G, B.
  float pad[3];               // The finished value outside the filled region, for R, G, B.
};
VRT_SHARED_TYPES_END

struct Planes {
  const uint8_t* plane[3];
};

struct Pixel {
  int32_t red, green, blue;
};

struct Color {
  float red, green, blue;
};

// One axis of a resize: target index to source position.
struct Axis {
  int64_t start, step;
  int32_t size;         // Of the source; pixels outside repeat the border.
  int32_t first, last;  // Antialiasing takes taps from [first, last).
};

// Two neighbours and the weight of the second.
struct Pair {
  int32_t first, second;
  float weight;
};

// The taps of an antialiased sample: weight k is that of pixel first + k.
struct Window {
  int32_t first, count;
  float offset;   // From the sample's centre to the first tap's.
  float inverse;  // 1 / half the triangle's base.
  float norm;     // 1 / the sum of the raw weights.
};

static constexpr int64_t kOne = 1LL << 32;
static constexpr int64_t kHalf = 1LL << 31;

static __device__ inline int32_t clamp_to(int32_t value, int32_t low, int32_t high) {
  return value < low ? low : value > high ? high : value;
}

// Rounds a 2^20 multiple to 0..255.
static __device__ inline int32_t to_byte(int32_t value) { return clamp_to((value + (1 << 19)) >> 20, 0, 255); }

struct Packed {
  static __device__ inline Pixel pixel(const Planes& planes, const Params& p, int32_t x, int32_t y) {
    const uint8_t* at = planes.plane[0] + y * p.pitch[0] + (int64_t)x * p.pixel_stride;
    return {__ldg(at + p.channel_offset[0]), __ldg(at + p.channel_offset[1]), __ldg(at + p.channel_offset[2])};
  }
};

// A pixel takes the chroma sample of its block, as OpenCV's cvtColor does: no interpolation of chroma.
struct Yuv {
  static __device__ inline Pixel pixel(const Planes& planes, const Params& p, int32_t x, int32_t y) {
    const int32_t chroma_y = y >> p.chroma_row_shift;
    const int64_t chroma_x = (int64_t)(x >> 1) * p.chroma_stride;
    const uint8_t* luma = planes.plane[0] + y * p.pitch[0] + (int64_t)x * p.pixel_stride + p.channel_offset[0];
    const int32_t cb = __ldg(planes.plane[1] + chroma_y * p.pitch[1] + chroma_x + p.channel_offset[1]) - 128;
    const int32_t cr = __ldg(planes.plane[2] + chroma_y * p.pitch[2] + chroma_x + p.channel_offset[2]) - 128;
    const int32_t gray = (__ldg(luma) - p.luma_offset) * p.luma_gain;
    return {to_byte(gray + cr * p.red_cr), to_byte(gray + cb * p.green_cb + cr * p.green_cr),
            to_byte(gray + cb * p.blue_cb)};
  }
};

static __device__ inline Axis column_axis(const Params& p) { return {p.start_x, p.step_x, p.width, 0, p.width}; }

static __device__ inline Axis row_axis(const Params& p) { return {p.start_y, p.step_y, p.height, 0, p.height}; }

// A coordinate of a box as fixed point. At most one picture's size outside; NaN counts as far left.
static __device__ inline int64_t box_coordinate(float value, int32_t size) {
  const float low = -(float)size;
  const float high = 2.0f * (float)size;
  const float kept = value >= low ? (value <= high ? value : high) : low;
  return (int64_t)(kept * 4294967296.0f);
}

static __device__ inline Axis box_axis(float low, float high, int32_t size, int32_t target_size) {
  const int64_t begin = box_coordinate(low, size);
  const int64_t given_end = box_coordinate(high, size);
  const int64_t end = given_end < begin ? begin : given_end;
  const int64_t step = (end - begin) / target_size;
  const int32_t hull_begin = (int32_t)(begin >> 32);
  const int32_t hull_end = (int32_t)((end + kOne - 1) >> 32);
  return {begin + step / 2 - kHalf, step, size, hull_begin < 0 ? hull_begin : 0, hull_end > size ? hull_end : size};
}

static __device__ inline Pair pair_at(const Axis& axis, int32_t index) {
  const int64_t position = axis.start + axis.step * index;
  const int32_t whole = (int32_t)(position >> 32);
  const int32_t last = axis.size - 1;
  return {clamp_to(whole, 0, last), clamp_to(whole + 1, 0, last),
          (float)(int32_t)((uint32_t)position >> 8) * (1.0f / 16777216.0f)};
}

static __device__ inline float raw_weight(const Window& window, int32_t tap) {
  const float distance = window.offset + (float)tap;
  const float weight = 1.0f - (distance < 0.0f ? -distance : distance) * window.inverse;
  return weight > 0.0f ? weight : 0.0f;
}

static __device__ inline float weight_of(const Window& window, int32_t tap) {
  return raw_weight(window, tap) * window.norm;
}

// A triangle whose half base is one pixel of the coarser of the two grids, cut off at the picture's border and brought
// to a sum of 1: what Pillow and torchvision do.
static __device__ inline Window window_at(const Axis& axis, int32_t index) {
  const int64_t centre = axis.start + axis.step * index + kHalf;
  const int64_t half_base = axis.step > kOne ? axis.step : kOne;
  const int32_t first = clamp_to((int32_t)((centre - half_base + kHalf) >> 32), axis.first, axis.last - 1);
  const int32_t end = clamp_to((int32_t)((centre + half_base + kHalf) >> 32), first + 1, axis.last);
  Window window = {first, end - first, (float)(first * kOne + kHalf - centre) / 4294967296.0f,
                   4294967296.0f / (float)half_base, 1.0f};
  float sum = 0.0f;
  for (int32_t tap = 0; tap < window.count; ++tap) sum += raw_weight(window, tap);
  window.norm = 1.0f / sum;
  return window;
}

static __device__ inline float blend(float first, float second, float weight) {
  return first + weight * (second - first);
}

static __device__ inline Color blend(const Color& first, const Color& second, float weight) {
  return {blend(first.red, second.red, weight), blend(first.green, second.green, weight),
          blend(first.blue, second.blue, weight)};
}

static __device__ inline Color to_color(const Pixel& pixel) {
  return {(float)pixel.red, (float)pixel.green, (float)pixel.blue};
}

struct Bilinear {
  // One source row at a column position, all channels.
  template <typename Source>
  static __device__ inline Color row(const Planes& planes, const Params& p, const Pair& x, int32_t y) {
    return blend(to_color(Source::pixel(planes, p, x.first, y)), to_color(Source::pixel(planes, p, x.second, y)),
                 x.weight);
  }

  template <typename Source>
  static __device__ inline Color sample(const Planes& planes, const Params& p, const Axis& columns, const Axis& rows,
                                        int32_t x, int32_t y) {
    const Pair column = pair_at(columns, x);
    const Pair pair = pair_at(rows, y);
    return blend(row<Source>(planes, p, column, pair.first), row<Source>(planes, p, column, pair.second), pair.weight);
  }
};

static __device__ inline void accumulate(Color& sum, const Color& value, float weight) {
  sum.red += weight * value.red;
  sum.green += weight * value.green;
  sum.blue += weight * value.blue;
}

struct Antialiased {
  // One source column over a window of rows.
  template <typename Source>
  static __device__ inline Color column(const Planes& planes, const Params& p, int32_t x, const Window& rows) {
    Color sum = {0.0f, 0.0f, 0.0f};
    for (int32_t tap = 0; tap < rows.count; ++tap) {
      const int32_t y = clamp_to(rows.first + tap, 0, p.height - 1);
      accumulate(sum, to_color(Source::pixel(planes, p, x, y)), weight_of(rows, tap));
    }
    return sum;
  }

  template <typename Source>
  static __device__ inline Color sample(const Planes& planes, const Params& p, const Axis& columns, const Axis& rows,
                                        int32_t x, int32_t y) {
    const Window column_window = window_at(columns, x);
    const Window row_window = window_at(rows, y);
    Color sum = {0.0f, 0.0f, 0.0f};
    for (int32_t tap = 0; tap < column_window.count; ++tap) {
      const int32_t source_x = clamp_to(column_window.first + tap, 0, p.width - 1);
      accumulate(sum, column<Source>(planes, p, source_x, row_window), weight_of(column_window, tap));
    }
    return sum;
  }
};

// Writes one output pixel. `out` is this picture's part of the output.
static __device__ inline void store(float* out, const Params& p, int32_t x, int32_t y, float red, float green,
                                    float blue) {
  const int64_t pixel = (int64_t)y * p.target_width + x;
  const int64_t plane = (int64_t)p.target_width * p.target_height;
  const int64_t pixel_step = p.is_interleaved ? 3 : 1;
  const int64_t channel_step = p.is_interleaved ? 1 : plane;
  float* at = out + pixel * pixel_step;
  at[p.output_channel[0] * channel_step] = red;
  at[p.output_channel[1] * channel_step] = green;
  at[p.output_channel[2] * channel_step] = blue;
}

template <typename Filter>
static __device__ inline void resample(const Planes& planes, float* out, const Params& p, const Axis& columns,
                                       const Axis& rows, int32_t x, int32_t y) {
  const int32_t inside_x = x - p.filled_x;
  const int32_t inside_y = y - p.filled_y;
  if (inside_x < 0 || inside_y < 0 || inside_x >= p.filled_width || inside_y >= p.filled_height) {
    store(out, p, x, y, p.pad[0], p.pad[1], p.pad[2]);
    return;
  }
  const Color color = p.is_yuv ? Filter::template sample<Yuv>(planes, p, columns, rows, inside_x, inside_y)
                               : Filter::template sample<Packed>(planes, p, columns, rows, inside_x, inside_y);
  store(out, p, x, y, color.red * p.multiply[0] + p.add[0], color.green * p.multiply[1] + p.add[1],
        color.blue * p.multiply[2] + p.add[2]);
}

template <typename Filter>
static __device__ inline void resample_crop(const Planes& planes, const float* boxes, float* out, const Params& p,
                                            int32_t crop, int32_t x, int32_t y) {
  const float* box = boxes + (int64_t)crop * 4;
  const Axis columns = box_axis(__ldg(box), __ldg(box + 2), p.width, p.target_width);
  const Axis rows = box_axis(__ldg(box + 1), __ldg(box + 3), p.height, p.target_height);
  const int64_t picture = (int64_t)3 * p.target_width * p.target_height;
  resample<Filter>(planes, out + crop * picture, p, columns, rows, x, y);
}

extern "C" __global__ void preprocess_bilinear(const uint8_t* __restrict__ plane0, const uint8_t* __restrict__ plane1,
                                               const uint8_t* __restrict__ plane2, float* __restrict__ out, Params p) {
  const int32_t x = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t y = (int32_t)(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= p.target_width || y >= p.target_height) return;
  resample<Bilinear>({{plane0, plane1, plane2}}, out, p, column_axis(p), row_axis(p), x, y);
}

extern "C" __global__ void preprocess_antialiased(const uint8_t* __restrict__ plane0,
                                                  const uint8_t* __restrict__ plane1,
                                                  const uint8_t* __restrict__ plane2, float* __restrict__ out,
                                                  Params p) {
  const int32_t x = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t y = (int32_t)(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= p.target_width || y >= p.target_height) return;
  resample<Antialiased>({{plane0, plane1, plane2}}, out, p, column_axis(p), row_axis(p), x, y);
}

// A layer of blocks for each crop; those from `count` on do nothing. A box is x1, y1, x2, y2.
extern "C" __global__ void preprocess_crops_bilinear(const uint8_t* __restrict__ plane0,
                                                     const uint8_t* __restrict__ plane1,
                                                     const uint8_t* __restrict__ plane2,
                                                     const float* __restrict__ boxes, const int32_t* __restrict__ count,
                                                     float* __restrict__ out, Params p) {
  const int32_t x = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t y = (int32_t)(blockIdx.y * blockDim.y + threadIdx.y);
  const int32_t crop = (int32_t)blockIdx.z;
  if (x >= p.target_width || y >= p.target_height || crop >= __ldg(count)) return;
  resample_crop<Bilinear>({{plane0, plane1, plane2}}, boxes, out, p, crop, x, y);
}

extern "C" __global__ void preprocess_crops_antialiased(
    const uint8_t* __restrict__ plane0, const uint8_t* __restrict__ plane1, const uint8_t* __restrict__ plane2,
    const float* __restrict__ boxes, const int32_t* __restrict__ count, float* __restrict__ out, Params p) {
  const int32_t x = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t y = (int32_t)(blockIdx.y * blockDim.y + threadIdx.y);
  const int32_t crop = (int32_t)blockIdx.z;
  if (x >= p.target_width || y >= p.target_height || crop >= __ldg(count)) return;
  resample_crop<Antialiased>({{plane0, plane1, plane2}}, boxes, out, p, crop, x, y);
}
