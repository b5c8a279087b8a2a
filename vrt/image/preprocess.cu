// Preprocessing: picture to network input in one pass.
//
// Every source pixel is decoded to 8-bit R, G, B first (as a video decoder would), then pixels are blended in float.
// Positions along an axis are 32.32 fixed point: `start + step * index` is exact, the same on every device, and cheap.
// The order of float operations is part of the contract: preprocess_host.cpp keeps it, so that both give the same bits.
//
// Layers of blocks are the pictures of a batch, or the crops of one picture.

VRT_SHARED_TYPES_BEGIN
// How a launch divides the output: the first three for bilinear, the next three for bilinear of NV12, the others for antialiased.
// Several rows and columns a thread, so that what the pixels of a row or a column have in common is worked out once; the numbers are
// the fastest of those tried on an H200.
static constexpr int32_t kBilinearThreads = 64;  // Of a block, in a row.
static constexpr int32_t kBilinearColumns = 2;   // Of a thread, a block's width apart.
static constexpr int32_t kBilinearRows = 2;      // Of a thread, one below the other.
static constexpr int32_t kStripThreads = 64;     // Of a block, in a row.
static constexpr int32_t kStripColumns = 2;      // Of a thread, a block's width apart; the rows are Params::strip_rows.
static constexpr int32_t kStripBlocks = 14;      // On a multiprocessor: leaves 72 registers a thread.
static constexpr int32_t kLanes = 32;            // Of a warp, in a row.
static constexpr int32_t kWarps = 4;             // Of a block, one below the other.
static constexpr int32_t kWarpRows = 4;          // Of a lane, one below the other.

// All that a launch needs besides memory. Written by preprocessor.cpp.
struct Params {
  int64_t pitch[3];           // Bytes from row to row, for each plane pointer.
  int64_t picture_stride[3];  // Bytes from picture to picture of a batch, likewise.
  int64_t start_x, step_x, start_y, step_y;
  int64_t channel_begin[3];  // Where R, G, B of a picture's first pixel lie in its part of the output.
  int32_t width, height;     // Of the source.
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
  int32_t red_add, green_add, blue_add;  // What all offsets come to, and the half for rounding; multiplied likewise.
  int32_t strip_rows;                    // Bilinear of NV12: rows of a thread, at most kLanes.
  int32_t row_floats;                    // From row to row of the output.
  int32_t is_interleaved;
  int32_t output_channel[3];  // Where R, G, B go in the output.
  float multiply[3], add[3];  // Output = value * multiply + add, for R, G, B.
  float pad[3];               // The finished value outside the filled region, for R, G, B.
};
VRT_SHARED_TYPES_END

struct Planes {
  const uint8_t* plane[3];
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

static constexpr int64_t kOne = 1LL << 32;
static constexpr int64_t kHalf = 1LL << 31;

static __device__ inline int32_t clamp_to(int32_t value, int32_t low, int32_t high) {
  return value < low ? low : value > high ? high : value;
}

// --- Bytes ----------------------------------------------------------------------------------------------------------

// `count` bytes (1 to 8) from any address; those after them are undefined. The GPU reads whole words, at most 3 bytes more at either
// end: in the same words, so never in another allocation.
static __device__ inline void load_bytes(const uint8_t* at, int32_t count, uint32_t& low, uint32_t& high) {
#ifdef VRT_ON_GPU
  const uint32_t address = (uint32_t)(uint64_t)at;
  const int32_t end = (int32_t)(address & 3U) + count;
  const uint32_t* word = (const uint32_t*)((uint64_t)at & ~3ULL);
  const uint32_t first = __ldg(word);
  const uint32_t second = end > 4 ? __ldg(word + 1) : 0U;
  const uint32_t third = end > 8 ? __ldg(word + 2) : 0U;
  low = __funnelshift_r(first, second, address << 3);  // The shift's lowest five bits count.
  high = __funnelshift_r(second, third, address << 3);
#else
  low = 0;
  high = 0;
  for (int32_t i = 0; i < count; ++i) {
    uint32_t& word = i < 4 ? low : high;
    word |= (uint32_t)__ldg(at + i) << (8 * (i % 4));
  }
#endif
}

// As a float. On the GPU the byte becomes the lowest one of 2^23, which is faster there than a conversion, and as exact.
static __device__ inline float byte_of(uint32_t word, uint32_t index) {
#ifdef VRT_ON_GPU
  return __uint_as_float(__byte_perm(word, 0x4B000000U, 0x7650U + index)) - 8388608.0f;
#else
  return (float)(int32_t)(word >> (8U * index) & 255U);
#endif
}

// 0..255 of a 2^20 multiple to which a half was added.
static __device__ inline float to_byte(int32_t value) { return (float)clamp_to(value >> 20, 0, 255); }

// --- Bilinear -------------------------------------------------------------------------------------------------------

// A neighbour and the weight of the one after it.
struct Pair {
  int32_t first;
  float weight;
};

// Not yet inside the picture. Indices are those of the filled region; one outside (of padding) may give any position.
static __device__ inline Pair pair_at(const Axis& axis, int32_t index) {
  const int64_t position = axis.start + (int64_t)((uint64_t)axis.step * (uint32_t)index);
  return {(int32_t)(position >> 32), (float)(int32_t)((uint32_t)position >> 8) * (1.0f / 16777216.0f)};
}

// Columns: both neighbours are in the picture; beside it one of them has no weight, which is exact for bytes.
static __device__ inline Pair column_at(const Axis& axis, int32_t index) {
  const Pair pair = pair_at(axis, index);
  const int32_t last = axis.size > 1 ? axis.size - 2 : 0;
  return {clamp_to(pair.first, 0, last), pair.first < 0 ? 0.0f : pair.first > last ? 1.0f : pair.weight};
}

// Rows: only the first neighbour is sure to be in the picture.
static __device__ inline Pair row_at(const Axis& axis, int32_t index) {
  const Pair pair = pair_at(axis, index);
  const int32_t last = axis.size - 1;
  return {clamp_to(pair.first, 0, last), pair.first < 0 || pair.first >= last ? 0.0f : pair.weight};
}

static __device__ inline float blend(float first, float second, float weight) {
  return first + weight * (second - first);
}

static __device__ inline Color blend(const Color& first, const Color& second, float weight) {
  return {blend(first.red, second.red, weight), blend(first.green, second.green, weight),
          blend(first.blue, second.blue, weight)};
}

// --- Formats --------------------------------------------------------------------------------------------------------

// RGB, BGR, RGBA and grey, of kStride bytes a pixel. Colours are in the order of a pixel's bytes until `in_order` puts them right.
template <int32_t kStride>
struct Packed {
  using Row = const uint8_t*;

  static __device__ inline Row row_of(const Planes& planes, const Params& p, int32_t y) {
    return planes.plane[0] + y * p.pitch[0];
  }

  static __device__ inline Color color(uint32_t word) {
    const float first = byte_of(word, 0);
    return kStride == 1 ? Color{first, first, first} : Color{first, byte_of(word, 1), byte_of(word, 2)};
  }

  // Columns x.first and the next one; a picture one pixel wide has only the first.
  static __device__ inline Color blend_pair(Row row, const Params& p, const Pair& x) {
    const bool has_second = p.width > 1;
    uint32_t low, high;
    load_bytes(row + (uint32_t)(x.first * kStride), has_second ? 2 * kStride : kStride, low, high);
    const uint32_t next = kStride == 4 ? high : kStride == 3 ? low >> 24 | high << 8 : low >> 8;
    return blend(color(low), color(has_second ? next : low), x.weight);
  }
};

static __device__ inline Color in_order(const Params& p, const Color& color) {
  return !p.is_yuv && p.channel_offset[0] == 2 ? Color{color.blue, color.green, color.red} : color;
}

// A pixel takes the chroma sample of its block, as OpenCV's cvtColor does: no interpolation of chroma.
struct Yuv {
  // A row of each plane.
  struct Row {
    const uint8_t *luma, *cb, *cr;
  };

  static __device__ inline Row row_of(const Planes& planes, const Params& p, int32_t y) {
    const int32_t chroma_y = y >> p.chroma_row_shift;
    return {planes.plane[0] + y * p.pitch[0] + p.channel_offset[0],
            planes.plane[1] + chroma_y * p.pitch[1] + p.channel_offset[1],
            planes.plane[2] + chroma_y * p.pitch[2] + p.channel_offset[2]};
  }

  static __device__ inline Color color(const Row& row, const Params& p, int32_t x) {
    const uint32_t chroma_x = (uint32_t)((x >> 1) * p.chroma_stride);
    const int32_t cb = __ldg(row.cb + chroma_x) - 128;
    const int32_t cr = __ldg(row.cr + chroma_x) - 128;
    const int32_t gray = (__ldg(row.luma + (uint32_t)(x * p.pixel_stride)) - p.luma_offset) * p.luma_gain + (1 << 19);
    return {to_byte(gray + cr * p.red_cr), to_byte(gray + cb * p.green_cb + cr * p.green_cr),
            to_byte(gray + cb * p.blue_cb)};
  }

  static __device__ inline Color blend_pair(const Row& row, const Params& p, const Pair& x) {
    return blend(color(row, p, x.first), color(row, p, x.first + (p.width > 1 ? 1 : 0)), x.weight);
  }
};

// --- Output ---------------------------------------------------------------------------------------------------------

// Where a picture's values go.
struct Output {
  float* channel[3];  // R, G, B of the first pixel.
  int32_t pixel_step;
};

static __device__ inline Output output_of(float* out, const Params& p) {
  const int64_t plane = p.is_interleaved ? 1 : (int64_t)p.target_width * p.target_height;
  return {{out + p.output_channel[0] * plane, out + p.output_channel[1] * plane, out + p.output_channel[2] * plane},
          p.is_interleaved ? 3 : 1};
}

static __device__ inline void store(const Output& out, const Params& p, int32_t x, int32_t y, const Color& finished) {
  const int64_t at = (int64_t)y * p.target_width * out.pixel_step + x * out.pixel_step;
  out.channel[0][at] = finished.red;
  out.channel[1][at] = finished.green;
  out.channel[2][at] = finished.blue;
}

static __device__ inline Color normalised(const Params& p, const Color& color) {
  return {color.red * p.multiply[0] + p.add[0], color.green * p.multiply[1] + p.add[1],
          color.blue * p.multiply[2] + p.add[2]};
}

static __device__ inline void store_normalised(const Output& out, const Params& p, int32_t x, int32_t y,
                                               const Color& color) {
  store(out, p, x, y, normalised(p, color));
}

static __device__ inline void store_padding(const Output& out, const Params& p, int32_t x, int32_t y) {
  store(out, p, x, y, {p.pad[0], p.pad[1], p.pad[2]});
}

static __device__ inline bool is_filled(const Params& p, int32_t x, int32_t y) {
  return x >= p.filled_x && x < p.filled_x + p.filled_width && y >= p.filled_y && y < p.filled_y + p.filled_height;
}

// --- One picture, bilinear ------------------------------------------------------------------------------------------

// What a thread makes: kBilinearRows rows from y on of the columns x, x + kBilinearThreads, …
template <typename Source>
static __device__ inline void make_bilinear(const Planes& planes, const Output& out, const Params& p,
                                            const Axis& columns, const Axis& rows, int32_t x, int32_t y) {
  Pair column[kBilinearColumns];
#pragma unroll
  for (int32_t i = 0; i < kBilinearColumns; ++i) column[i] = column_at(columns, x + i * kBilinearThreads - p.filled_x);
#pragma unroll
  for (int32_t j = 0; j < kBilinearRows; ++j, ++y) {
    if (y >= p.target_height) return;
    const Pair row = row_at(rows, y - p.filled_y);
    const typename Source::Row above = Source::row_of(planes, p, row.first);
    const typename Source::Row below = Source::row_of(planes, p, row.first < p.height - 1 ? row.first + 1 : row.first);
#pragma unroll
    for (int32_t i = 0; i < kBilinearColumns; ++i) {
      const int32_t at = x + i * kBilinearThreads;
      if (is_filled(p, at, y)) {
        const Color color =
            blend(Source::blend_pair(above, p, column[i]), Source::blend_pair(below, p, column[i]), row.weight);
        store_normalised(out, p, at, y, in_order(p, color));
      } else if (at < p.target_width) {
        store_padding(out, p, at, y);
      }
    }
  }
}

// --- One picture, antialiased ---------------------------------------------------------------------------------------

// A warp makes kWarpRows rows of kLanes neighbouring outputs. For each row, all source columns that lie under the warp are summed
// over the row's window first; then each lane sums its own window of those sums.

static __device__ inline void accumulate(Color& sum, const Color& value, float weight) {
  sum.red += weight * value.red;
  sum.green += weight * value.green;
  sum.blue += weight * value.blue;
}

// The taps of an antialiased sample: weight k is that of pixel first + k.
struct Window {
  int32_t first, count;
  float offset;   // From the sample's centre to the first tap's.
  float inverse;  // 1 / half the triangle's base.
  float norm;     // 1 / the sum of the raw weights.
};

static __device__ inline float raw_weight(const Window& window, int32_t tap) {
  const float weight = 1.0f - fabsf(window.offset + (float)tap) * window.inverse;
  return weight > 0.0f ? weight : 0.0f;
}

static __device__ inline float weight_of(const Window& window, int32_t tap) {
  return raw_weight(window, tap) * window.norm;
}

// A triangle whose half base is one pixel of the coarser of the two grids, cut off at the picture's border: what Pillow and
// torchvision do. Without its norm.
static __device__ inline Window taps_at(const Axis& axis, int32_t index) {
  const int64_t centre = axis.start + axis.step * index + kHalf;
  const int64_t half_base = axis.step > kOne ? axis.step : kOne;
  const int32_t first = clamp_to((int32_t)((centre - half_base + kHalf) >> 32), axis.first, axis.last - 1);
  const int32_t end = clamp_to((int32_t)((centre + half_base + kHalf) >> 32), first + 1, axis.last);
  return {first, end - first, (float)(first * kOne + kHalf - centre) / 4294967296.0f, 4294967296.0f / (float)half_base,
          1.0f};
}

// Brought to a sum of 1.
static __device__ inline Window window_at(const Axis& axis, int32_t index) {
  Window window = taps_at(axis, index);
  float sum = 0.0f;
  for (int32_t tap = 0; tap < window.count; ++tap) sum += raw_weight(window, tap);
  window.norm = 1.0f / sum;
  return window;
}

static constexpr int32_t kSpanFloats = 384;  // Sums of one row: as many source columns as fit.

// A warp's part of shared memory.
struct WarpShared {
  alignas(16) float sums[kSpanFloats];
  Window row[kWarpRows];
};

// 1 where the next tap is another pixel, 0 where the border repeats.
static __device__ inline int32_t step_after(int32_t position, int32_t size) {
  return position >= 0 && position < size - 1 ? 1 : 0;
}

// Four bytes at a time, wherever pixels begin; with kAligned all rows and pictures begin at whole words.
template <bool kAligned>
struct PackedSums {
  static constexpr int32_t kParts = kSpanFloats / kLanes / 4;

  static __device__ inline int32_t stride(const Params& p) { return p.pixel_stride; }
  // How many columns fit, a multiple of four, so that a span begins at a whole word where rows do.
  static __device__ inline int32_t most_columns(const Params& p) { return kSpanFloats / p.pixel_stride & ~3; }

  // sums[i * stride + byte] = source columns begin + i, i < columns, over the window; by one warp.
  static __device__ inline void sum(const Planes& planes, const Params& p, const Window window, int32_t begin,
                                    int32_t columns, int32_t lane, float* sums) {
    const int32_t bytes = columns * p.pixel_stride - 4 * lane;
    const uint8_t* at = planes.plane[0] + clamp_to(window.first, 0, p.height - 1) * p.pitch[0] +
                        (int64_t)begin * p.pixel_stride + 4 * lane;
    float sum[kParts][4] = {};
    for (int32_t tap = 0; tap < window.count; ++tap) {
      const float weight = weight_of(window, tap);
      uint32_t words[kParts];
      load_words(at, bytes, words);
      at += step_after(window.first + tap, p.height) * p.pitch[0];
#pragma unroll
      for (int32_t part = 0; part < kParts; ++part) {
#pragma unroll
        for (int32_t i = 0; i < 4; ++i) sum[part][i] += weight * byte_of(words[part], (uint32_t)i);
      }
    }
#pragma unroll
    for (int32_t part = 0; part < kParts; ++part) {
      float4* to = reinterpret_cast<float4*>(sums) + part * kLanes + lane;
      *to = make_float4(sum[part][0], sum[part][1], sum[part][2], sum[part][3]);
    }
  }

  // The lane's words of a row, kLanes words apart; `bytes` are left from `at` on. All loads first, then the arithmetic.
  static __device__ inline void load_words(const uint8_t* at, int32_t bytes, uint32_t* words) {
#pragma unroll
    for (int32_t part = 0; part < kParts; ++part) {
      const int32_t left = bytes - part * 4 * kLanes;
      words[part] = left > 0 ? load_word(at + part * 4 * kLanes, left) : 0U;
    }
  }

  static __device__ inline uint32_t load_word(const uint8_t* at, int32_t bytes) {
#ifdef VRT_ON_GPU
    if (kAligned) return __ldg((const uint32_t*)at);
#endif
    uint32_t word, unused;
    load_bytes(at, bytes < 4 ? bytes : 4, word, unused);
    return word;
  }
};

// A pixel at a time.
struct YuvSums {
  static constexpr int32_t kParts = kSpanFloats / kLanes / 3;

  static __device__ inline int32_t stride(const Params&) { return 3; }
  static __device__ inline int32_t most_columns(const Params&) { return kParts * kLanes; }

  static __device__ inline void sum(const Planes& planes, const Params& p, const Window window, int32_t begin,
                                    int32_t columns, int32_t lane, float* sums) {
    Color sum[kParts] = {};
    for (int32_t tap = 0; tap < window.count; ++tap) {
      const float weight = weight_of(window, tap);
      const Yuv::Row row = Yuv::row_of(planes, p, clamp_to(window.first + tap, 0, p.height - 1));
#pragma unroll
      for (int32_t part = 0; part < kParts; ++part) {
        // Beyond the span: the last column again, whose sum nobody reads.
        const int32_t at = part * kLanes + lane < columns ? part * kLanes + lane : columns - 1;
        accumulate(sum[part], Yuv::color(row, p, begin + at), weight);
      }
    }
#pragma unroll
    for (int32_t part = 0; part < kParts; ++part) {
      float* to = sums + 3 * (part * kLanes + lane);
      to[0] = sum[part].red;
      to[1] = sum[part].green;
      to[2] = sum[part].blue;
    }
  }
};

// The source columns under a warp's outputs; `window` is the lane's.
struct Span {
  int32_t begin, end;
};

static __device__ inline Span span_of(const Window& window, int32_t width) {
  const int32_t first = __shfl_sync(0xFFFFFFFFU, window.first, 0);
  const int32_t last = __shfl_sync(0xFFFFFFFFU, window.first + window.count - 1, kLanes - 1);
  return {clamp_to(first, 0, width - 1) & ~3, clamp_to(last, 0, width - 1) + 1};
}

// Adds the lane's window, as far as it lies in source columns [begin, end), from tap `tap` on; returns the first tap that does not.
static __device__ inline int32_t add_window(const Params& p, const Window& window, const float* sums, int32_t begin,
                                            int32_t end, int32_t stride, int32_t tap, Color& color) {
  const int32_t channel_step = stride > 1 ? 1 : 0;
  int32_t column = clamp_to(window.first + tap, 0, p.width - 1);
  const float* at = sums + (column - begin) * stride;
  for (; tap < window.count && column < end; ++tap) {
    accumulate(color, {at[0], at[channel_step], at[2 * channel_step]}, weight_of(window, tap));
    const int32_t step = step_after(window.first + tap, p.width);
    column += step;
    at += step * stride;
  }
  return tap;
}

// The lane's column in row `row` of the warp's. Called by all lanes.
template <typename Sums>
static __device__ inline Color sum_window(const Planes& planes, const Params& p, int32_t row, const Window& window,
                                          const Span& span, int32_t lane, WarpShared& shared) {
  const int32_t most = Sums::most_columns(p);
  Color color = {0.0f, 0.0f, 0.0f};
  int32_t tap = 0;
  for (int32_t begin = span.begin; begin < span.end; begin += most) {
    const int32_t end = span.end - begin < most ? span.end : begin + most;
    __syncwarp();
    Sums::sum(planes, p, shared.row[row], begin, end - begin, lane, shared.sums);
    __syncwarp();
    tap = add_window(p, window, shared.sums, begin, end, Sums::stride(p), tap, color);
  }
  return in_order(p, color);
}

// Windows are costly, so that each row's is worked out by one lane.
static __device__ inline void share_windows(const Axis& rows, int32_t top, int32_t filled_height, int32_t lane,
                                            WarpShared& shared) {
  if (lane < kWarpRows) shared.row[lane] = window_at(rows, clamp_to(top + lane, 0, filled_height - 1));
  __syncwarp();
}

// What a warp makes: kWarpRows rows from y on of kLanes columns, x being the lane's.
template <typename Sums>
static __device__ inline void make_antialiased(const Planes& planes, const Output& out, const Params& p,
                                               const Axis& columns, const Axis& rows, int32_t x, int32_t y,
                                               int32_t lane, WarpShared& shared) {
  const int32_t left = x - lane - p.filled_x;
  const int32_t top = y - p.filled_y;
  // The same for all lanes.
  const bool has_filled = left + kLanes > 0 && left < p.filled_width && top + kWarpRows > 0 && top < p.filled_height;
  Window window = {};
  Span span = {};
  if (has_filled) {
    const int32_t last = p.filled_width - 1;
    window = window_at(columns, clamp_to(left + lane, 0, last));
    span = span_of(window, p.width);
    share_windows(rows, top, p.filled_height, lane, shared);
  }
  for (int32_t i = 0; i < kWarpRows; ++i) {
    Color color = {};
    if (has_filled) color = sum_window<Sums>(planes, p, i, window, span, lane, shared);
    if (x >= p.target_width || y + i >= p.target_height) continue;
    if (is_filled(p, x, y + i)) {
      store_normalised(out, p, x, y + i, color);
    } else {
      store_padding(out, p, x, y + i);
    }
  }
}

// --- Pictures and crops ---------------------------------------------------------------------------------------------

static __device__ inline Axis column_axis(const Params& p) { return {p.start_x, p.step_x, p.width, 0, p.width}; }

static __device__ inline Axis row_axis(const Params& p) { return {p.start_y, p.step_y, p.height, 0, p.height}; }

static __device__ inline int64_t picture_floats(const Params& p) {
  return (int64_t)3 * p.target_width * p.target_height;
}

static __device__ inline Planes planes_of(const uint8_t* plane0, const uint8_t* plane1, const uint8_t* plane2,
                                          const Params& p, int32_t picture) {
  return {{plane0 + picture * p.picture_stride[0], plane1 + picture * p.picture_stride[1],
           plane2 + picture * p.picture_stride[2]}};
}

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

struct Axes {
  Axis columns, rows;
};

// `box` is x1, y1, x2, y2.
static __device__ inline Axes box_axes(const float* box, const Params& p) {
  return {box_axis(__ldg(box), __ldg(box + 2), p.width, p.target_width),
          box_axis(__ldg(box + 1), __ldg(box + 3), p.height, p.target_height)};
}

static __device__ inline void bilinear(const Planes& planes, float* out, const Params& p, const Axes& axes, int32_t x,
                                       int32_t y) {
  const Output output = output_of(out, p);
  if (p.is_yuv) {
    make_bilinear<Yuv>(planes, output, p, axes.columns, axes.rows, x, y);
  } else if (p.pixel_stride == 3) {
    make_bilinear<Packed<3>>(planes, output, p, axes.columns, axes.rows, x, y);
  } else if (p.pixel_stride == 4) {
    make_bilinear<Packed<4>>(planes, output, p, axes.columns, axes.rows, x, y);
  } else {
    make_bilinear<Packed<1>>(planes, output, p, axes.columns, axes.rows, x, y);
  }
}

static __device__ inline void antialiased(const Planes& planes, float* out, const Params& p, const Axes& axes,
                                          int32_t x, int32_t y, int32_t lane, WarpShared& shared) {
  if (p.is_yuv) {
    make_antialiased<YuvSums>(planes, output_of(out, p), p, axes.columns, axes.rows, x, y, lane, shared);
  } else if ((((uint64_t)planes.plane[0] | (uint64_t)p.pitch[0]) & 3U) == 0) {
    make_antialiased<PackedSums<true>>(planes, output_of(out, p), p, axes.columns, axes.rows, x, y, lane, shared);
  } else {
    make_antialiased<PackedSums<false>>(planes, output_of(out, p), p, axes.columns, axes.rows, x, y, lane, shared);
  }
}

extern "C" __global__ void __launch_bounds__(kBilinearThreads)
    preprocess_bilinear(const uint8_t* __restrict__ plane0, const uint8_t* __restrict__ plane1,
                        const uint8_t* __restrict__ plane2, float* __restrict__ out, Params p) {
  const int32_t x = (int32_t)(blockIdx.x * kBilinearColumns * kBilinearThreads + threadIdx.x);
  const int32_t y = (int32_t)blockIdx.y * kBilinearRows;
  const int32_t picture = (int32_t)blockIdx.z;
  bilinear(planes_of(plane0, plane1, plane2, p, picture), out + picture * picture_floats(p), p,
           {column_axis(p), row_axis(p)}, x, y);
}

extern "C" __global__ void __launch_bounds__(kLanes* kWarps)
    preprocess_antialiased(const uint8_t* __restrict__ plane0, const uint8_t* __restrict__ plane1,
                           const uint8_t* __restrict__ plane2, float* __restrict__ out, Params p) {
  __shared__ WarpShared shared[kWarps];
  const int32_t x = (int32_t)(blockIdx.x * kLanes + threadIdx.x);
  const int32_t y = (int32_t)(blockIdx.y * kWarps + threadIdx.y) * kWarpRows;
  const int32_t picture = (int32_t)blockIdx.z;
  antialiased(planes_of(plane0, plane1, plane2, p, picture), out + picture * picture_floats(p), p,
              {column_axis(p), row_axis(p)}, x, y, (int32_t)threadIdx.x, shared[threadIdx.y]);
}

// A layer of blocks for each crop; those from `count` on do nothing.
extern "C" __global__ void __launch_bounds__(kBilinearThreads)
    preprocess_crops_bilinear(const uint8_t* __restrict__ plane0, const uint8_t* __restrict__ plane1,
                              const uint8_t* __restrict__ plane2, const float* __restrict__ boxes,
                              const int32_t* __restrict__ count, float* __restrict__ out, Params p) {
  const int32_t x = (int32_t)(blockIdx.x * kBilinearColumns * kBilinearThreads + threadIdx.x);
  const int32_t y = (int32_t)blockIdx.y * kBilinearRows;
  const int32_t crop = (int32_t)blockIdx.z;
  if (crop >= __ldg(count)) return;
  bilinear({{plane0, plane1, plane2}}, out + crop * picture_floats(p), p, box_axes(boxes + 4 * crop, p), x, y);
}

extern "C" __global__ void __launch_bounds__(kLanes* kWarps)
    preprocess_crops_antialiased(const uint8_t* __restrict__ plane0, const uint8_t* __restrict__ plane1,
                                 const uint8_t* __restrict__ plane2, const float* __restrict__ boxes,
                                 const int32_t* __restrict__ count, float* __restrict__ out, Params p) {
  __shared__ WarpShared shared[kWarps];
  const int32_t x = (int32_t)(blockIdx.x * kLanes + threadIdx.x);
  const int32_t y = (int32_t)(blockIdx.y * kWarps + threadIdx.y) * kWarpRows;
  const int32_t crop = (int32_t)blockIdx.z;
  if (crop >= __ldg(count)) return;
  antialiased({{plane0, plane1, plane2}}, out + crop * picture_floats(p), p, box_axes(boxes + 4 * crop, p), x, y,
              (int32_t)threadIdx.x, shared[threadIdx.y]);
}

// --- One NV12 picture, bilinear -------------------------------------------------------------------------------------

// A thread makes a strip: kStripColumns columns of strip_rows rows. Rows of the output that follow each other often need the same row
// of the source, or its chroma; a strip keeps what it blended last. Which row needs what is the same for all threads of a warp, so
// that each lane works out one row and hands it to the others.

// Where a column's two neighbours lie in row 0: addresses. Chroma rows begin at even addresses, so that Cb and Cr are one read.
struct StripColumn {
  uint64_t luma, chroma[2];
  float weight;  // Of the second neighbour.
};

static __device__ inline StripColumn strip_column_of(const Planes& planes, const Pair& pair) {
  const auto x = (uint32_t)pair.first;
  return {(uint64_t)(planes.plane[0] + x),
          {(uint64_t)(planes.plane[1] + (x & ~1U)), (uint64_t)(planes.plane[1] + ((x + 1U) & ~1U))},
          pair.weight};
}

// What was read of a row of the source, not yet used, so that other reads can follow at once: luma of two neighbours for each
// column, and the chroma samples of both, Cb in the lowest byte, Cr in the next.
struct StripBytes {
  int32_t luma[kStripColumns][2];
  uint32_t chroma[kStripColumns][2];
};

// Where `first`, an address in row 0, lies in row y. A pitch fits into 32 bits; were that plain to the compiler early, it would
// widen the pitch once for all rows, and multiply 64 bits by three instructions instead of 32 by one.
static __device__ inline const uint8_t* in_row(uint64_t first, int32_t y, int64_t pitch) {
  auto factor = (int32_t)pitch;
#ifdef VRT_ON_GPU
  asm("" : "+r"(factor));
#endif
  return (const uint8_t*)(first + (uint64_t)((int64_t)y * factor));
}

// Row y of the source; its chroma only where that of the row read last is another.
static __device__ inline void load_row(const Params& p, const StripColumn* columns, int32_t y, bool has_chroma,
                                       StripBytes& bytes) {
#pragma unroll
  for (int32_t i = 0; i < kStripColumns; ++i) {
    const uint8_t* at = in_row(columns[i].luma, y, p.pitch[0]);
    bytes.luma[i][0] = __ldg(at);
    bytes.luma[i][1] = __ldg(at + 1);
  }
  if (!has_chroma) return;
#pragma unroll
  for (int32_t i = 0; i < kStripColumns; ++i) {
    bytes.chroma[i][0] = __ldg((const uint16_t*)in_row(columns[i].chroma[0], y >> 1, p.pitch[1]));
    bytes.chroma[i][1] = __ldg((const uint16_t*)in_row(columns[i].chroma[1], y >> 1, p.pitch[1]));
  }
}

// What the chroma of a pixel adds to R, G, B, as multiples of 2^20; the offsets and a half for rounding are in it.
struct StripChroma {
  int32_t red, green, blue;
};

static __device__ inline StripChroma strip_chroma_of(const Params& p, uint32_t sample) {
  const auto cb = (int32_t)(sample & 255U);
  const auto cr = (int32_t)(sample >> 8);
  return {cr * p.red_cr + p.red_add, cb * p.green_cb + (cr * p.green_cr + p.green_add), cb * p.blue_cb + p.blue_add};
}

// A byte is raised to the float 2^23 + byte: its bits are a constant and the byte, no conversion is needed. The difference of two is
// that of the bytes, exactly.
static constexpr float kRaise = 8388608.0f;

// Of a 2^20 multiple to which a half was added.
static __device__ inline float raised_to_byte(int32_t value) {
  const auto inside = (uint32_t)clamp_to(value, 0, (1 << 28) - 1);
#ifdef VRT_ON_GPU
  return __uint_as_float(__funnelshift_r(inside, 0x4B000U, 20));
#else
  return __uint_as_float(0x4B000000U | inside >> 20);
#endif
}

static __device__ inline Color raised_color(const Params& p, int32_t luma, const StripChroma& chroma) {
  return {raised_to_byte(luma * p.luma_gain + chroma.red), raised_to_byte(luma * p.luma_gain + chroma.green),
          raised_to_byte(luma * p.luma_gain + chroma.blue)};
}

// What `blend` makes of the bytes.
static __device__ inline float blend_raised(float first, float second, float weight) {
  return (first - kRaise) + weight * (second - first);
}

static __device__ inline Color blend_raised(const Color& first, const Color& second, float weight) {
  return {blend_raised(first.red, second.red, weight), blend_raised(first.green, second.green, weight),
          blend_raised(first.blue, second.blue, weight)};
}

// A row of the source at a strip's columns. `chroma` is that of the row read last, and becomes this row's.
static __device__ inline void blend_row(const Params& p, const StripColumn* columns, const StripBytes& bytes,
                                        bool has_chroma, StripChroma (*chroma)[2], Color* colors) {
  if (has_chroma) {
#pragma unroll
    for (int32_t i = 0; i < kStripColumns; ++i) {
      chroma[i][0] = strip_chroma_of(p, bytes.chroma[i][0]);
      chroma[i][1] = strip_chroma_of(p, bytes.chroma[i][1]);
    }
  }
#pragma unroll
  for (int32_t i = 0; i < kStripColumns; ++i) {
    colors[i] = blend_raised(raised_color(p, bytes.luma[i][0], chroma[i][0]),
                             raised_color(p, bytes.luma[i][1], chroma[i][1]), columns[i].weight);
  }
}

struct StripRow {
  int32_t first, second;  // Rows of the source.
  float weight;           // Of the second.
  uint32_t steps;         // What there is to do, below.
};

static constexpr uint32_t kIsFilled = 1;
static constexpr uint32_t kKeepsSecond = 2;  // The row before had as second row what is the first one now.
static constexpr uint32_t kLoadsFirst = 4, kLoadsFirstChroma = 8;
static constexpr uint32_t kLoadsSecond = 16, kLoadsSecondChroma = 32;

// Whether two rows, or one row and none (-1), have different chroma.
static __device__ inline bool differ_in_chroma(int32_t row, int32_t other) { return row >> 1 != other >> 1; }

static __device__ inline uint32_t steps_of(const StripRow& row, int32_t kept_first, int32_t kept_second) {
  const bool keeps_second = row.first == kept_second;
  const bool loads_first = !keeps_second && row.first != kept_first;
  const bool loads_second = row.second != kept_second || row.second == row.first;
  const bool loads_first_chroma = loads_first && differ_in_chroma(row.first, kept_second);
  const bool loads_second_chroma = loads_second && differ_in_chroma(row.second, row.first);
  return kIsFilled | (keeps_second ? kKeepsSecond : 0) | (loads_first ? kLoadsFirst : 0) |
         (loads_second ? kLoadsSecond : 0) | (loads_first_chroma ? kLoadsFirstChroma : 0) |
         (loads_second_chroma ? kLoadsSecondChroma : 0);
}

// Row `lane` of a strip that begins at row y of the output. Called by all lanes.
static __device__ inline StripRow strip_row_of(const Params& p, const Axis& rows, int32_t y, int32_t lane) {
  const int32_t index = y + lane - p.filled_y;
  const Pair pair = row_at(rows, index);
  StripRow row = {pair.first, pair.first < p.height - 1 ? pair.first + 1 : pair.first, pair.weight, 0};
  const int32_t first_before = __shfl_sync(0xFFFFFFFFU, row.first, (lane + kLanes - 1) % kLanes);
  const int32_t second_before = __shfl_sync(0xFFFFFFFFU, row.second, (lane + kLanes - 1) % kLanes);
  const bool has_before = lane > 0 && index > 0;
  if (index >= 0 && index < p.filled_height)
    row.steps = steps_of(row, has_before ? first_before : -1, has_before ? second_before : -1);
  return row;
}

static __device__ inline StripRow from_lane(const StripRow& row, int32_t lane) {
  return {__shfl_sync(0xFFFFFFFFU, row.first, lane), __shfl_sync(0xFFFFFFFFU, row.second, lane),
          __shfl_sync(0xFFFFFFFFU, row.weight, lane), __shfl_sync(0xFFFFFFFFU, row.steps, lane)};
}

// Where a strip's next row goes: R, G, B of its first column.
struct StripOutput {
  float* channel[3];
};

static __device__ inline StripOutput strip_output_of(float* out, const Params& p, int32_t x, int32_t y) {
  float* at = out + (int64_t)y * p.row_floats + x * (p.is_interleaved ? 3 : 1);
  return {{at + p.channel_begin[0], at + p.channel_begin[1], at + p.channel_begin[2]}};
}

// Distances that the compiler knows need no arithmetic.
static __device__ inline void store_column(const StripOutput& out, const Params& p, int32_t column,
                                           const Color& finished) {
  const float channel[3] = {finished.red, finished.green, finished.blue};
  if (p.is_interleaved) {
#pragma unroll
    for (int32_t i = 0; i < 3; ++i) out.channel[i][3 * column * kStripThreads] = channel[i];
  } else {
#pragma unroll
    for (int32_t i = 0; i < 3; ++i) out.channel[i][column * kStripThreads] = channel[i];
  }
}

// The row that lies between `above` and `below`; column 0 is x.
static __device__ inline void store_strip_row(StripOutput& out, const Params& p, int32_t x, const StripRow& row,
                                              const Color* above, const Color* below) {
#pragma unroll
  for (int32_t i = 0; i < kStripColumns; ++i) {
    const int32_t at = x + i * kStripThreads;
    if ((row.steps & kIsFilled) != 0 && at >= p.filled_x && at < p.filled_x + p.filled_width) {
      store_column(out, p, i, normalised(p, blend(above[i], below[i], row.weight)));
    } else if (at < p.target_width) {
      store_column(out, p, i, {p.pad[0], p.pad[1], p.pad[2]});
    }
  }
#pragma unroll
  for (int32_t i = 0; i < 3; ++i) out.channel[i] += p.row_floats;
}

// What a thread knows on its way down a strip.
struct Strip {
  StripColumn column[kStripColumns];
  StripChroma chroma[kStripColumns][2];  // Of the row of the source that was read last.
  Color above[kStripColumns], below[kStripColumns];
};

static __device__ inline Strip strip_at(const Planes& planes, const Params& p, const Axis& columns, int32_t x) {
  Strip strip = {};
#pragma unroll
  for (int32_t i = 0; i < kStripColumns; ++i)
    strip.column[i] = strip_column_of(planes, column_at(columns, x + i * kStripThreads - p.filled_x));
  return strip;
}

// All reads first, then the arithmetic.
static __device__ inline void go_to(Strip& strip, const StripRow& row, const Params& p) {
  const bool has_first_chroma = (row.steps & kLoadsFirstChroma) != 0;
  const bool has_second_chroma = (row.steps & kLoadsSecondChroma) != 0;
  StripBytes first, second;
  if ((row.steps & kLoadsFirst) != 0) load_row(p, strip.column, row.first, has_first_chroma, first);
  if ((row.steps & kLoadsSecond) != 0) load_row(p, strip.column, row.second, has_second_chroma, second);
  if ((row.steps & kKeepsSecond) != 0) {
#pragma unroll
    for (int32_t i = 0; i < kStripColumns; ++i) strip.above[i] = strip.below[i];
  }
  if ((row.steps & kLoadsFirst) != 0) blend_row(p, strip.column, first, has_first_chroma, strip.chroma, strip.above);
  if ((row.steps & kLoadsSecond) != 0) blend_row(p, strip.column, second, has_second_chroma, strip.chroma, strip.below);
}

// The strip at (x, y).
static __device__ inline void make_strip(const Planes& planes, float* out, const Params& p, const Axes& axes, int32_t x,
                                         int32_t y) {
  const int32_t lane = x % kLanes;
  if (x - lane >= p.target_width) return;  // The whole warp.
  Strip strip = strip_at(planes, p, axes.columns, x);
  StripOutput output = strip_output_of(out, p, x, y);
  const StripRow of_lane = strip_row_of(p, axes.rows, y, lane);
  const int32_t row_count = p.target_height - y < p.strip_rows ? p.target_height - y : p.strip_rows;
#pragma unroll 1
  for (int32_t j = 0; j < row_count; ++j) {
    const StripRow row = from_lane(of_lane, j);
    go_to(strip, row, p);
    store_strip_row(output, p, x, row, strip.above, strip.below);
  }
}

extern "C" __global__ void __launch_bounds__(kStripThreads, kStripBlocks)
    preprocess_bilinear_nv12(const uint8_t* __restrict__ plane0, const uint8_t* __restrict__ plane1,
                             const uint8_t* __restrict__ plane2, float* __restrict__ out, Params p) {
  const int32_t x = (int32_t)(blockIdx.x * kStripColumns * kStripThreads + threadIdx.x);
  const int32_t y = (int32_t)blockIdx.y * p.strip_rows;
  const int32_t picture = (int32_t)blockIdx.z;
  make_strip(planes_of(plane0, plane1, plane2, p, picture), out + picture * picture_floats(p), p,
             {column_axis(p), row_axis(p)}, x, y);
}

extern "C" __global__ void __launch_bounds__(kStripThreads, kStripBlocks)
    preprocess_crops_bilinear_nv12(const uint8_t* __restrict__ plane0, const uint8_t* __restrict__ plane1,
                                   const uint8_t* __restrict__ plane2, const float* __restrict__ boxes,
                                   const int32_t* __restrict__ count, float* __restrict__ out, Params p) {
  const int32_t x = (int32_t)(blockIdx.x * kStripColumns * kStripThreads + threadIdx.x);
  const int32_t y = (int32_t)blockIdx.y * p.strip_rows;
  const int32_t crop = (int32_t)blockIdx.z;
  if (crop >= __ldg(count)) return;
  make_strip({{plane0, plane1, plane2}}, out + crop * picture_floats(p), p, box_axes(boxes + 4 * crop, p), x, y);
}
