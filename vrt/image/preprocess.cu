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
static constexpr int32_t kWarps = 4;             // Of a block, one below the other; each makes a tile of the output.
static constexpr int32_t kBlocks = 4;            // Of a multiprocessor, so that a thread gets 128 registers.
static constexpr int32_t kLaneColumns = 2;       // Of a lane, kLanes apart.
static constexpr int32_t kTileColumns = kLanes * kLaneColumns;  // Of a warp.
static constexpr int32_t kMostTileRows = 32;

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
  int32_t tile_rows;          // Antialiased: of a warp, at most kMostTileRows.
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

// A warp makes a tile of the output (see Params). It goes down the source rows under the tile: each is
// read and decoded once, and added to the sums of the two output rows that it lies between. A row of sums that is complete goes to
// shared memory, where each lane sums the windows of its outputs.

static constexpr int32_t kParts = 5;  // Words of a lane in a packed row.
static constexpr int32_t kQuads = 2;  // Four pixels of a lane in a YUV row.
static constexpr int32_t kSpanFloats = kLanes * (4 * kParts > 12 * kQuads ? 4 * kParts : 12 * kQuads);
static constexpr int32_t kGroup = 2;       // Rows of sums that are finished together.
static constexpr int32_t kTableTaps = 16;  // Weights of a column that are kept, an even number.
static constexpr int32_t kTablePairs = 8;  // Weights of an output row that are kept: of so many pairs of source rows.

// The taps of an antialiased sample: weight k is that of pixel first + k.
struct Window {
  int32_t first, count;
  float offset;   // From the sample's centre to the first tap's.
  float inverse;  // 1 / half the triangle's base.
  float norm;     // 1 / the sum of the raw weights.
};

static __device__ inline float raw_weight(const Window& window, float tap) {
  const float weight = 1.0f - fabsf(window.offset + tap) * window.inverse;
  return weight > 0.0f ? weight : 0.0f;
}

static __device__ inline float weight_of(const Window& window, int32_t tap) {
  return raw_weight(window, (float)tap) * window.norm;
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
#pragma unroll 1
  for (int32_t tap = 0; tap < window.count; ++tap) sum += raw_weight(window, (float)tap);
  window.norm = 1.0f / sum;
  return window;
}

// The taps of an output row. Its weights are whole numbers, so that sums of bytes are exact in any order.
struct RowWindow {
  int32_t first, end;
  float offset;   // From the sample's centre to the first tap's.
  float inverse;  // 1 / half the triangle's base.
  float norm;     // 1 / the sum of the weights.
};

// What weights add up to, about. They round, by a half at most for each row of a window, which has 65537 at most (kMostRowStep of
// preprocess_params.h): 255 times their sum is still below 2^24, where floats are exact, too; and the middle ones are at least 1.
static constexpr float kWholeWeight = 32768.0f;

static __device__ inline uint32_t row_weight(const RowWindow& row, int32_t y) {
  if (y < row.first || y >= row.end) return 0;
  const float weight = 1.0f - fabsf(row.offset + (float)(y - row.first)) * row.inverse;
  return weight > 0.0f ? (uint32_t)(int32_t)(weight * (kWholeWeight * row.inverse) + 0.5f) : 0U;
}

// Of rows y and y + 1: 16 bits each.
static __device__ inline uint32_t pair_weight(const RowWindow& row, int32_t y) {
  return row_weight(row, y) | row_weight(row, y + 1) << 16;
}

static __device__ inline RowWindow row_window_at(const Axis& axis, int32_t index) {
  const Window taps = taps_at(axis, index);
  RowWindow row = {taps.first, taps.first + taps.count, taps.offset, taps.inverse, 1.0f};
  uint32_t sum = 0;
#pragma unroll 1
  for (int32_t y = row.first; y < row.end; ++y) sum += row_weight(row, y);
  row.norm = 1.0f / (float)(int32_t)sum;
  return row;
}

// sum + the products of two bytes of `pixels`, the upper or lower ones, and two halves of `weights`.
template <int32_t kUpper>
static __device__ inline uint32_t add_products(uint32_t weights, uint32_t pixels, uint32_t sum) {
#ifdef VRT_ON_GPU
  return kUpper ? __dp2a_hi(weights, pixels, sum) : __dp2a_lo(weights, pixels, sum);
#else
  const uint32_t bytes = kUpper ? pixels >> 16 : pixels;
  return sum + (weights & 0xFFFFU) * (bytes & 255U) + (weights >> 16) * (bytes >> 8 & 255U);
#endif
}

// A warp's part of shared memory.
struct WarpShared {
  alignas(16) float sums[kGroup][kSpanFloats + 4];  // Four zeros at the end: a tap without weight may reach there.
  float weight[kTableTaps][kTileColumns];
  RowWindow row[kMostTileRows];
  uint32_t pair_weight[kMostTileRows][1 + kTablePairs];  // The first is 0, for pairs above the window.
};

// 1 where the next tap is another pixel, 0 where the border repeats.
static __device__ inline int32_t step_after(int32_t position, int32_t size) {
  return position >= 0 && position < size - 1 ? 1 : 0;
}

// A row of a source, and whether the rows after it are others: beyond the picture's border and the last row of use it repeats.
struct RowCursor {
  int32_t row, last;

  __device__ inline int32_t clamped() const { return clamp_to(row, 0, last); }
  // Whether the next row is another.
  __device__ inline bool advance() {
    const bool moves = row >= 0 && row < last;
    ++row;
    return moves;
  }
};

// Whether the rows of a plane, in all pictures of a launch, begin at whole words.
static __device__ inline bool is_aligned(const uint8_t* plane, int64_t pitch) {
  return (((uint64_t)plane | (uint64_t)pitch) & 3U) == 0;
}

// Up to four of the `left` bytes of a row that are left at `from`.
static __device__ inline uint32_t load_word(const uint8_t* from, int32_t left) {
  uint32_t word, unused;
  load_bytes(from, left < 4 ? left : 4, word, unused);
  return word;
}

// The same at the beginning of a word, which a GPU reads to its end.
static __device__ inline uint32_t load_whole_word(const uint8_t* from, int32_t left) {
#ifdef VRT_ON_GPU
  return __ldg((const uint32_t*)from);
#else
  return load_word(from, left);
#endif
}

// Sources. A source reads the columns of a pass, of which each lane has some, in pairs of rows, the first of which is even:
//   is_ahead  whether rows begin at whole words, so that the next pair is loaded before the current one is used
//   load      the pair at the cursor, which goes on to the next one
//   decode    a pair's bytes, those of both rows side by side
//   decode_at the same of a pair of any alignment and format, read only then: less code, not used by pictures that a decoder made
//   put       a lane's part of a row of sums to where `finish_rows` looks for it

// Source columns [begin, end) of a packed picture, as words wherever pixels begin.
struct PackedSource {
  static constexpr int32_t kValues = 4 * kParts;
  struct Pair {  // Of rows.
    uint32_t above[kParts], below[kParts];
  };

  const uint8_t* begin;
  int32_t bytes;
  bool is_ahead;
  const uint8_t* at;
  RowCursor cursor;

  static __device__ inline int32_t stride(const Params& p) { return p.pixel_stride; }
  static __device__ inline int32_t most_columns(const Params& p) { return kParts * kLanes * 4 / p.pixel_stride; }

  // `last` is the last row of use.
  static __device__ inline PackedSource of(const Planes& planes, const Params& p, int32_t begin, int32_t end,
                                           int32_t last, int32_t lane) {
    return {planes.plane[0] + (int64_t)begin * p.pixel_stride + 4 * lane,
            (end - begin) * p.pixel_stride - 4 * lane,
            is_aligned(planes.plane[0], p.pitch[0]),
            nullptr,
            {0, clamp_to(last, 0, p.height - 1)}};
  }

  __device__ inline void go_to(const Params& p, int32_t y) {
    cursor.row = y;
    at = begin + cursor.clamped() * p.pitch[0];
  }

  __device__ inline Pair load(const Params& p) {
    Pair pair;
    load_row(p, pair.above);
    load_row(p, pair.below);
    return pair;
  }

  __device__ inline void load_row(const Params& p, uint32_t* words) {
#pragma unroll
    for (int32_t part = 0; part < kParts; ++part) {
      const int32_t offset = part * 4 * kLanes;
      words[part] = offset < bytes ? load_whole_word(at + offset, bytes - offset) : 0U;
    }
    if (cursor.advance()) at += p.pitch[0];
  }

  __device__ inline void decode_at(const Params& p, int32_t y, uint32_t* pixels) const {
    const uint8_t* above = begin + clamp_to(y, 0, cursor.last) * p.pitch[0];
    const uint8_t* below = begin + clamp_to(y + 1, 0, cursor.last) * p.pitch[0];
    Pair pair;
#pragma unroll
    for (int32_t part = 0; part < kParts; ++part) {
      const int32_t offset = part * 4 * kLanes;
      pair.above[part] = offset < bytes ? load_word(above + offset, bytes - offset) : 0U;
      pair.below[part] = offset < bytes ? load_word(below + offset, bytes - offset) : 0U;
    }
    decode(p, pair, pixels);
  }

  static __device__ inline void decode(const Params&, const Pair& pair, uint32_t* pixels) {
#pragma unroll
    for (int32_t part = 0; part < kParts; ++part) {
#ifdef VRT_ON_GPU
      pixels[2 * part] = __byte_perm(pair.above[part], pair.below[part], 0x5140U);
      pixels[2 * part + 1] = __byte_perm(pair.above[part], pair.below[part], 0x7362U);
#else
      const uint32_t a = pair.above[part], b = pair.below[part];
      pixels[2 * part] = (a & 255U) | (b & 255U) << 8 | (a & 0xFF00U) << 8 | (b & 0xFF00U) << 16;
      pixels[2 * part + 1] = (a >> 16 & 255U) | (b >> 8 & 0xFF00U) | (a >> 8 & 0xFF0000U) | (b & 0xFF000000U);
#endif
    }
  }

  static __device__ inline void put(const float* sum, float* sums, int32_t lane) {
#pragma unroll
    for (int32_t part = 0; part < kParts; ++part) {
      const float* from = sum + 4 * part;
      reinterpret_cast<float4*>(sums)[part * kLanes + lane] = make_float4(from[0], from[1], from[2], from[3]);
    }
  }
};

// Four multiples of 2^20 to which a half was added become bytes.
static __device__ inline uint32_t packed(int32_t a, int32_t b, int32_t c, int32_t d) {
#ifdef VRT_ON_GPU
  uint32_t upper, all;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, 0;" : "=r"(upper) : "r"(d >> 20), "r"(c >> 20));
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(all) : "r"(b >> 20), "r"(a >> 20), "r"(upper));
  return all;
#else
  const int32_t most = (256 << 20) - 1;
  const uint32_t e = (uint32_t)max(min(a, most), 0) >> 20, f = (uint32_t)max(min(b, most), 0) >> 20;
  const uint32_t g = (uint32_t)max(min(c, most), 0) >> 20, h = (uint32_t)max(min(d, most), 0) >> 20;
  return e | f << 8 | g << 16 | h << 24;
#endif
}

static __device__ inline int32_t byte_at(uint32_t word, int32_t index) {
#ifdef VRT_ON_GPU
  return (int32_t)__byte_perm(word, 0U, 0x4440U + (uint32_t)index);
#else
  return (int32_t)(word >> (8 * index) & 255U);
#endif
}

// What the chroma of two pixels adds to their luma, multiplied by 2^20, with a half and what offsets take away.
struct Chroma {
  int32_t red, green, blue;
};

static __device__ inline Chroma chroma_of(const Params& p, uint32_t samples) {
  const int32_t cb = byte_at(samples, 0), cr = byte_at(samples, 1);
  return {cr * p.red_cr + p.red_add, cb * p.green_cb + (cr * p.green_cr + p.green_add), cb * p.blue_cb + p.blue_add};
}

static __device__ inline void add_luma(const Params& p, int32_t luma, const Chroma& chroma, int32_t* value) {
  const int32_t gray = luma * p.luma_gain;
  value[0] = gray + chroma.red;
  value[1] = gray + chroma.green;
  value[2] = gray + chroma.blue;
}

// Bytes of two pixels of two rows side by side: the lower halves of both lumas, and what their chroma adds.
static __device__ inline void decode_block(const Params& p, uint32_t luma_above, uint32_t luma_below,
                                           const Chroma& above, const Chroma& below, uint32_t* pixels) {
  int32_t a[6], b[6];
#pragma unroll
  for (int32_t i = 0; i < 2; ++i) {
    add_luma(p, byte_at(luma_above, i), above, a + 3 * i);
    add_luma(p, byte_at(luma_below, i), below, b + 3 * i);
  }
#pragma unroll
  for (int32_t i = 0; i < 6; i += 2) pixels[i / 2] = packed(a[i], b[i], a[i + 1], b[i + 1]);
}

// Any YUV picture, four pixels at a time; begin is a multiple of four. Read ahead is NV12, whose pairs of rows have one of chroma.
struct YuvSource {
  static constexpr int32_t kValues = 12 * kQuads;
  struct Pair {
    uint32_t above[kQuads], below[kQuads], chroma[kQuads];
  };

  const Planes& planes;
  int32_t x, left;  // A lane's first pixel, and how many there are from it on.
  bool is_ahead;
  const uint8_t *luma_at, *chroma_at;
  RowCursor cursor;

  static __device__ inline int32_t stride(const Params&) { return 3; }
  static __device__ inline int32_t most_columns(const Params&) { return 4 * kQuads * kLanes; }

  static __device__ inline YuvSource of(const Planes& planes, const Params& p, int32_t begin, int32_t end, int32_t last,
                                        int32_t lane) {
    const int32_t x = begin + 4 * lane;
    const bool is_ahead =
        p.chroma_stride == 2 && is_aligned(planes.plane[0], p.pitch[0]) && is_aligned(planes.plane[1], p.pitch[1]);
    return {planes, x, end - x, is_ahead, nullptr, nullptr, {0, clamp_to(last, 0, p.height - 1)}};
  }

  __device__ inline void go_to(const Params& p, int32_t y) {
    cursor.row = y;
    luma_at = planes.plane[0] + x + cursor.clamped() * p.pitch[0];
    chroma_at = planes.plane[1] + x + (cursor.clamped() >> 1) * p.pitch[1];
  }

  __device__ inline Pair load(const Params& p) {
    Pair pair;
    load_row(chroma_at, (left + 1) & ~1, pair.chroma);
    if (cursor.row >= 0 && cursor.row + 2 <= cursor.last) chroma_at += p.pitch[1];
    load_row(luma_at, left, pair.above);
    if (cursor.advance()) luma_at += p.pitch[0];
    load_row(luma_at, left, pair.below);
    if (cursor.advance()) luma_at += p.pitch[0];
    return pair;
  }

  static __device__ inline void load_row(const uint8_t* at, int32_t bytes, uint32_t* words) {
#pragma unroll
    for (int32_t quad = 0; quad < kQuads; ++quad) {
      const int32_t offset = quad * 4 * kLanes;
      words[quad] = offset < bytes ? load_whole_word(at + offset, bytes - offset) : 0U;
    }
  }

  static __device__ inline void decode(const Params& p, const Pair& pair, uint32_t* pixels) {
#pragma unroll
    for (int32_t block = 0; block < 2 * kQuads; ++block) {
      const int32_t quad = block / 2, shift = block % 2 * 16;
      const uint32_t samples = pair.chroma[quad] >> shift;
      const Chroma chroma = chroma_of(p, samples);
      decode_block(p, pair.above[quad] >> shift, pair.below[quad] >> shift, chroma, chroma, pixels + 3 * block);
    }
  }

  // Loops that stay loops, and so hand on by moving what they made: little code, few registers.
  __device__ inline void decode_at(const Params& p, int32_t y, uint32_t* pixels) {
    luma_at = chroma_at = nullptr;
#pragma unroll 1
    for (int32_t block = 0; block < 2 * kQuads; ++block) {
#pragma unroll
      for (int32_t i = 0; i < 6 * kQuads - 3; ++i) pixels[i] = pixels[i + 3];
      const int32_t at = min(x + block / 2 * 4 * kLanes + block % 2 * 2, (p.width - 1) & ~1);
      Block above = {}, below = {};
#pragma unroll 1
      for (int32_t row = y; row < y + 2; ++row) {
        above = below;
        below = block_at(p, at, clamp_to(row, 0, cursor.last));
      }
      decode_block(p, above.luma, below.luma, chroma_of(p, above.chroma), chroma_of(p, below.chroma),
                   pixels + 6 * kQuads - 3);
    }
  }

  struct Block {
    uint32_t luma, chroma;
  };

  // Two pixels of a row, the first of which, at, is even.
  __device__ inline Block block_at(const Params& p, int32_t at, int32_t y) const {
    const Yuv::Row row = Yuv::row_of(planes, p, y);
    const auto chroma = (uint32_t)((at >> 1) * p.chroma_stride);
    const uint32_t first = __ldg(row.luma + (uint32_t)(at * p.pixel_stride));
    const uint32_t second = __ldg(row.luma + (uint32_t)(min(at + 1, p.width - 1) * p.pixel_stride));
    return {first | second << 8, (uint32_t)__ldg(row.cb + chroma) | (uint32_t)__ldg(row.cr + chroma) << 8};
  }

  static __device__ inline void put(const float* sum, float* sums, int32_t lane) {
#pragma unroll
    for (int32_t part = 0; part < 3 * kQuads; ++part) {
      const float* from = sum + 4 * part;
      float4* to = reinterpret_cast<float4*>(sums) + (part / 3 * kLanes + lane) * 3 + part % 3;
      *to = make_float4(from[0], from[1], from[2], from[3]);
    }
  }
};

// Columns [begin, begin + count) of the filled region that a warp makes at once, and the source columns under them.
struct Pass {
  int32_t begin, count;
  int32_t source_begin, source_end;
};

static __device__ inline Pass pass_at(const Axis& columns, int32_t begin, int32_t count) {
  const int32_t first = taps_at(columns, begin).first;
  const Window last = taps_at(columns, begin + count - 1);
  return {begin, count, clamp_to(first, 0, columns.size - 1) & ~3,
          clamp_to(last.first + last.count - 1, 0, columns.size - 1) + 1};
}

// How many outputs have their source columns in `most`: a power of two, or 0.
static __device__ inline int32_t columns_at_once(const Axis& columns, int32_t most) {
  const int64_t half_base = columns.step > kOne ? columns.step : kOne;
  int32_t count = kTileColumns;
  while (count > 0 && (((count - 1) * columns.step + 2 * half_base) >> 32) + 2 + 3 > most) count /= 2;
  return count;
}

// What a lane knows of its columns of a pass.
struct LaneColumns {
  Window window[kLaneColumns];
  int32_t start[kLaneColumns];  // Where the first tap is in a row of sums.
  bool is_plain[kLaneColumns];  // The window does not repeat the border, and the table has its weights.
};

static __device__ inline LaneColumns lane_columns(const Axis& columns, const Pass& pass, int32_t stride, int32_t lane,
                                                  WarpShared& shared) {
  LaneColumns result;
#pragma unroll
  for (int32_t k = 0; k < kLaneColumns; ++k) {
    const int32_t column = k * kLanes + lane;
    const Window window = window_at(columns, pass.begin + (column < pass.count ? column : pass.count - 1));
    result.window[k] = window;
    result.start[k] = (clamp_to(window.first, 0, columns.size - 1) - pass.source_begin) * stride;
    result.is_plain[k] = window.first >= 0 && window.first + window.count <= columns.size && window.count <= kTableTaps;
    if (!result.is_plain[k]) continue;
      // An even number of taps, the last one without weight where the window has an odd one.
#pragma unroll 1
    for (int32_t tap = 0; tap < window.count; ++tap) shared.weight[tap][column] = weight_of(window, tap);
    if (window.count & 1) shared.weight[window.count][column] = 0.0f;
  }
  return result;
}

template <int32_t kStride>
static __device__ inline void add_tap(const float* at, float weight, Color* color) {
#pragma unroll
  for (int32_t i = 0; i < kGroup; ++i) {
    const float* from = at + i * (kSpanFloats + 4);
    color[i].red += weight * from[0];
    color[i].green += weight * from[kStride > 1 ? 1 : 0];
    color[i].blue += weight * from[kStride > 1 ? 2 : 0];
  }
}

// Adds a lane's window of kGroup rows of sums.
template <int32_t kStride>
static __device__ inline void add_window(const float* at, const float* weight, int32_t count, Color* color) {
#pragma unroll 1
  for (int32_t tap = 0; tap < count; tap += 2) {
    add_tap<kStride>(at, weight[0], color);
    add_tap<kStride>(at + kStride, weight[kTileColumns], color);
    at += 2 * kStride;
    weight += 2 * kTileColumns;
  }
}

// The same with repeated borders, and for any number of taps.
static __device__ inline void add_any_window(const float* at, const Window& window, int32_t width, int32_t stride,
                                             Color* color) {
#pragma unroll 1
  for (int32_t tap = 0; tap < window.count; ++tap) {
    if (stride > 1) {
      add_tap<3>(at, weight_of(window, tap), color);
    } else {
      add_tap<1>(at, weight_of(window, tap), color);
    }
    at += step_after(window.first + tap, width) * stride;
  }
}

// A lane's place in a row of the output.
struct OutputRow {
  float* channel[3];
  int64_t row_step;
  int32_t column_step;

  static __device__ inline OutputRow at(const Output& out, const Params& p, int32_t x, int32_t y) {
    const int64_t row_step = (int64_t)p.target_width * out.pixel_step;
    const int64_t place = y * row_step + x * out.pixel_step;
    return {
        {out.channel[0] + place, out.channel[1] + place, out.channel[2] + place}, row_step, kLanes * out.pixel_step};
  }

  __device__ inline void store(const Params& p, int32_t k, int32_t row, const Color& color) const {
    channel[0][row * row_step + k * column_step] = color.red * p.multiply[0] + p.add[0];
    channel[1][row * row_step + k * column_step] = color.green * p.multiply[1] + p.add[1];
    channel[2][row * row_step + k * column_step] = color.blue * p.multiply[2] + p.add[2];
  }

  __device__ inline void advance(int32_t rows) {
    channel[0] += rows * row_step;
    channel[1] += rows * row_step;
    channel[2] += rows * row_step;
  }
};

// Sums the windows of up to kGroup rows, the first of which is row i of the tile, and writes them.
static __device__ inline void finish_rows(const OutputRow& out, const Params& p, const LaneColumns& columns,
                                          const Pass& pass, int32_t stride, int32_t i, int32_t count, int32_t lane,
                                          const WarpShared& shared) {
#pragma unroll
  for (int32_t k = 0; k < kLaneColumns; ++k) {
    const int32_t column = k * kLanes + lane;
    if (column >= pass.count) continue;
    Color color[kGroup] = {};
    const float* at = shared.sums[0] + columns.start[k];
    const float* weight = &shared.weight[0][column];
    if (!columns.is_plain[k]) {
      add_any_window(at, columns.window[k], p.width, stride, color);
    } else if (stride == 3) {
      add_window<3>(at, weight, columns.window[k].count, color);
    } else if (stride == 4) {
      add_window<4>(at, weight, columns.window[k].count, color);
    } else {
      add_window<1>(at, weight, columns.window[k].count, color);
    }
#pragma unroll
    for (int32_t j = 0; j < kGroup; ++j) {
      if (j >= count) continue;
      const float norm = shared.row[i + j].norm;
      out.store(p, k, j, in_order(p, {color[j].red * norm, color[j].green * norm, color[j].blue * norm}));
    }
  }
}

// Sums of an output row, of kValues bytes of a lane.
template <int32_t kValues>
struct RowSums {
  uint32_t value[kValues];

  __device__ inline void clear() {
#pragma unroll
    for (int32_t i = 0; i < kValues; ++i) value[i] = 0U;
  }

  __device__ inline void start(const uint32_t* pixels, uint32_t weights) {
#pragma unroll
    for (int32_t i = 0; i < kValues; ++i) value[i] = products(pixels, weights, i, 0U);
  }

  __device__ inline void add(const uint32_t* pixels, uint32_t weights) {
#pragma unroll
    for (int32_t i = 0; i < kValues; ++i) value[i] = products(pixels, weights, i, value[i]);
  }

  static __device__ inline uint32_t products(const uint32_t* pixels, uint32_t weights, int32_t i, uint32_t sum) {
    return i % 2 ? add_products<1>(weights, pixels[i / 2], sum) : add_products<0>(weights, pixels[i / 2], sum);
  }
};

// The rows of a pass, from top to bottom.
template <typename Source>
struct Descent {
  Source source;
  const Params& p;
  const WarpShared& shared;
  int32_t count;   // Of the output rows.
  bool is_shared;  // Whether an output row's source rows are in the next one's window, too.
  bool is_tabled;  // Whether the table has the weights of whole windows.
  int32_t y;       // The current pair's first row, even.
  uint32_t pixels[Source::kValues / 2];
  typename Source::Pair following;

  // Of the current pair in output row i, which begins at `begin`, even, and ends below the pair.
  __device__ inline uint32_t weights(int32_t i, int32_t begin) const {
    if (!is_tabled) return pair_weight(shared.row[i], y);
    return shared.pair_weight[i][1 + max((y - begin) >> 1, -1)];
  }

  __device__ inline int32_t begin_of(int32_t i) const { return shared.row[i].first & ~1; }

  __device__ inline void advance() {
    y += 2;
    if (source.is_ahead) {
      Source::decode(p, following, pixels);
      following = source.load(p);
    } else {
      source.decode_at(p, y, pixels);
      following = {};  // So that it needs no registers meanwhile.
    }
  }

  // Completes output row i in `sum`, and begins the one after the next in its place.
  __device__ inline void make_row(int32_t i, RowSums<Source::kValues>& sum, RowSums<Source::kValues>& next_sum,
                                  float* sums, int32_t lane) {
    if (i == 0 || !is_shared) {
      const int32_t begin = shared.row[i].first & ~1;
      source.go_to(p, begin);
      if (source.is_ahead) following = source.load(p);
      y = begin - 2;
      sum.clear();
      next_sum.clear();
    }
    const int32_t end = shared.row[i].end;
    const int32_t begin = begin_of(i);
    const int32_t next = i + 1 < count ? i + 1 : i;  // Below the last row the sums are of no use.
    const int32_t next_begin = begin_of(next);
    while (y + 2 < end) {
      advance();
      sum.add(pixels, weights(i, begin));
      next_sum.add(pixels, weights(next, next_begin));
    }
    float done[Source::kValues];
#pragma unroll
    for (int32_t v = 0; v < Source::kValues; ++v) done[v] = (float)(int32_t)sum.value[v];
    Source::put(done, sums, lane);
    if (is_shared && i + 2 < count) sum.start(pixels, weights(i + 2, begin_of(i + 2)));
  }
};

// Rows [top, top + count) of a pass' columns; `shared` has their windows.
template <typename Source>
static __device__ inline void make_pass(const Planes& planes, const Output& out, const Params& p, const Axis& columns,
                                        const Axis& rows, const Pass& pass, int32_t top, int32_t count, int32_t lane,
                                        WarpShared& shared) {
  const LaneColumns lane_part = lane_columns(columns, pass, Source::stride(p), lane, shared);
  if (lane < 4 * kGroup) shared.sums[lane / 4][kSpanFloats + lane % 4] = 0.0f;
  OutputRow output = OutputRow::at(out, p, p.filled_x + pass.begin + lane, p.filled_y + top);
  const int32_t last = shared.row[count - 1].end - 1;
  Descent<Source> descent{Source::of(planes, p, pass.source_begin, pass.source_end, last, lane),
                          p,
                          shared,
                          count,
                          rows.step >= kOne,
                          rows.step < kTablePairs * kOne - 2 * kOne,
                          0,
                          {},
                          {}};
  RowSums<Source::kValues> even, odd;
  for (int32_t i = 0; i < count; i += 2) {
    __syncwarp();
    descent.make_row(i, even, odd, shared.sums[0], lane);
    if (i + 1 < count) descent.make_row(i + 1, odd, even, shared.sums[1], lane);
    __syncwarp();
    finish_rows(output, p, lane_part, pass, Source::stride(p), i, count - i, lane, shared);
    output.advance(2);
  }
}

// A window with more columns than fit: without sharing anything.
static __device__ inline Color wide_sum(const Planes& planes, const Params& p, const Window& column,
                                        const RowWindow& row) {
  Color color = {0.0f, 0.0f, 0.0f};
#pragma unroll 1
  for (int32_t i = 0; i < column.count; ++i) {
    const int32_t x = clamp_to(column.first + i, 0, p.width - 1);
    Color sum = {0.0f, 0.0f, 0.0f};
#pragma unroll 1
    for (int32_t j = row.first; j < row.end; ++j) {
      const int32_t y = clamp_to(j, 0, p.height - 1);
      const float weight = (float)(int32_t)row_weight(row, j);
      Color value;
      if (p.is_yuv) {
        value = Yuv::color(Yuv::row_of(planes, p, y), p, x);
      } else {
        const uint8_t* at = planes.plane[0] + y * p.pitch[0] + (int64_t)x * p.pixel_stride;
        value = {(float)__ldg(at + p.channel_offset[0]), (float)__ldg(at + p.channel_offset[1]),
                 (float)__ldg(at + p.channel_offset[2])};
      }
      sum.red += weight * value.red;
      sum.green += weight * value.green;
      sum.blue += weight * value.blue;
    }
    const float weight = weight_of(column, i);
    color.red += weight * sum.red;
    color.green += weight * sum.green;
    color.blue += weight * sum.blue;
  }
  color.red *= row.norm;
  color.green *= row.norm;
  color.blue *= row.norm;
  return color;
}

static __device__ inline void make_wide(const Planes& planes, const Output& out, const Params& p, const Axis& columns,
                                        int32_t left, int32_t right, int32_t top, int32_t count, int32_t lane,
                                        const WarpShared& shared) {
  for (int32_t x = left + lane; x < right; x += kLanes) {
    const Window column = window_at(columns, x);
    for (int32_t i = 0; i < count; ++i) {
      store_normalised(out, p, p.filled_x + x, p.filled_y + top + i, wide_sum(planes, p, column, shared.row[i]));
    }
  }
}

static __device__ inline void pad_tile(const Output& out, const Params& p, int32_t x, int32_t y, int32_t lane) {
  if (is_filled(p, x, y) && is_filled(p, x + kTileColumns - 1, y + p.tile_rows - 1)) return;
#pragma unroll 1
  for (int32_t row = y; row < y + p.tile_rows && row < p.target_height; ++row) {
#pragma unroll 1
    for (int32_t column = x + lane; column < x + kTileColumns && column < p.target_width; column += kLanes) {
      if (!is_filled(p, column, row)) store_padding(out, p, column, row);
    }
  }
}

// What a warp makes: tile_rows rows from y on of kTileColumns columns from x on.
template <typename Source>
static __device__ inline void make_tile(const Planes& planes, const Output& out, const Params& p, const Axis& columns,
                                        const Axis& rows, int32_t x, int32_t y, int32_t lane, WarpShared& shared) {
  pad_tile(out, p, x, y, lane);
  const int32_t left = max(x - p.filled_x, 0);
  const int32_t right = min(x - p.filled_x + kTileColumns, p.filled_width);
  const int32_t top = max(y - p.filled_y, 0);
  const int32_t count = min(y - p.filled_y + p.tile_rows, p.filled_height) - top;
  if (left >= right || count <= 0) return;
  if (lane < count) {
    const RowWindow row = row_window_at(rows, top + lane);
    shared.row[lane] = row;
#pragma unroll 1
    for (int32_t i = -1; i < kTablePairs; ++i) {
      shared.pair_weight[lane][1 + i] = pair_weight(row, (row.first & ~1) + 2 * i);
    }
  }
  __syncwarp();
  const int32_t at_once = columns_at_once(columns, Source::most_columns(p));
  if (at_once == 0) {
    make_wide(planes, out, p, columns, left, right, top, count, lane, shared);
    return;
  }
  for (int32_t begin = left; begin < right; begin += at_once) {
    const Pass pass = pass_at(columns, begin, min(at_once, right - begin));
    __syncwarp();
    make_pass<Source>(planes, out, p, columns, rows, pass, top, count, lane, shared);
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

// The tile of warp `warp`, counted down the picture, in column `column` of tiles.
template <typename Source>
static __device__ inline void antialiased(const Planes& planes, float* out, const Params& p, const Axes& axes,
                                          int32_t column, int32_t warp, int32_t lane, WarpShared& shared) {
  make_tile<Source>(planes, output_of(out, p), p, axes.columns, axes.rows, column * kTileColumns, warp * p.tile_rows,
                    lane, shared);
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

extern "C" __global__ void __launch_bounds__(kLanes* kWarps, kBlocks)
    preprocess_antialiased(const uint8_t* __restrict__ plane0, const uint8_t* __restrict__ plane1,
                           const uint8_t* __restrict__ plane2, float* __restrict__ out, Params p) {
  __shared__ WarpShared shared[kWarps];
  const int32_t warp = (int32_t)(blockIdx.y * kWarps + threadIdx.y);
  const int32_t picture = (int32_t)blockIdx.z;
  antialiased<PackedSource>(planes_of(plane0, plane1, plane2, p, picture), out + picture * picture_floats(p), p,
                            {column_axis(p), row_axis(p)}, (int32_t)blockIdx.x, warp, (int32_t)threadIdx.x,
                            shared[threadIdx.y]);
}

extern "C" __global__ void __launch_bounds__(kLanes* kWarps, kBlocks)
    preprocess_antialiased_yuv(const uint8_t* __restrict__ plane0, const uint8_t* __restrict__ plane1,
                               const uint8_t* __restrict__ plane2, float* __restrict__ out, Params p) {
  __shared__ WarpShared shared[kWarps];
  const int32_t warp = (int32_t)(blockIdx.y * kWarps + threadIdx.y);
  const int32_t picture = (int32_t)blockIdx.z;
  antialiased<YuvSource>(planes_of(plane0, plane1, plane2, p, picture), out + picture * picture_floats(p), p,
                         {column_axis(p), row_axis(p)}, (int32_t)blockIdx.x, warp, (int32_t)threadIdx.x,
                         shared[threadIdx.y]);
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

extern "C" __global__ void __launch_bounds__(kLanes* kWarps, kBlocks)
    preprocess_crops_antialiased(const uint8_t* __restrict__ plane0, const uint8_t* __restrict__ plane1,
                                 const uint8_t* __restrict__ plane2, const float* __restrict__ boxes,
                                 const int32_t* __restrict__ count, float* __restrict__ out, Params p) {
  __shared__ WarpShared shared[kWarps];
  const int32_t warp = (int32_t)(blockIdx.y * kWarps + threadIdx.y);
  const int32_t crop = (int32_t)blockIdx.z;
  if (crop >= __ldg(count)) return;
  antialiased<PackedSource>({{plane0, plane1, plane2}}, out + crop * picture_floats(p), p,
                            box_axes(boxes + 4 * crop, p), (int32_t)blockIdx.x, warp, (int32_t)threadIdx.x,
                            shared[threadIdx.y]);
}

extern "C" __global__ void __launch_bounds__(kLanes* kWarps, kBlocks)
    preprocess_crops_antialiased_yuv(const uint8_t* __restrict__ plane0, const uint8_t* __restrict__ plane1,
                                     const uint8_t* __restrict__ plane2, const float* __restrict__ boxes,
                                     const int32_t* __restrict__ count, float* __restrict__ out, Params p) {
  __shared__ WarpShared shared[kWarps];
  const int32_t warp = (int32_t)(blockIdx.y * kWarps + threadIdx.y);
  const int32_t crop = (int32_t)blockIdx.z;
  if (crop >= __ldg(count)) return;
  antialiased<YuvSource>({{plane0, plane1, plane2}}, out + crop * picture_floats(p), p, box_axes(boxes + 4 * crop, p),
                         (int32_t)blockIdx.x, warp, (int32_t)threadIdx.x, shared[threadIdx.y]);
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

static __device__ inline Color raised_color(const Params& p, int32_t luma, const Chroma& chroma) {
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
                                        bool has_chroma, Chroma (*chroma)[2], Color* colors) {
  if (has_chroma) {
#pragma unroll
    for (int32_t i = 0; i < kStripColumns; ++i) {
      chroma[i][0] = chroma_of(p, bytes.chroma[i][0]);
      chroma[i][1] = chroma_of(p, bytes.chroma[i][1]);
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
  Chroma chroma[kStripColumns][2];  // Of the row of the source that was read last.
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
