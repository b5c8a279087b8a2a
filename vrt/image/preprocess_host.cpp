// The preprocessing kernels for the CPU: the results of preprocess.cu to the bit, row by row instead of pixel by pixel.
//
// A launch's blocks become rectangles of the output, and those become tiles of columns. For a tile, the positions and
// weights of its columns are worked out once; a source row is then resampled horizontally once and kept while output rows
// need it. All memory is on the stack. Compiled several times, for several instruction sets (see prelude_host.h).

namespace VRT_HOST_NAMESPACE {
namespace {

constexpr int64_t kOne = 1LL << 32;
constexpr int64_t kHalf = 1LL << 31;

struct Planes {
  const uint8_t* plane[3];
};

// See preprocess.cu: one axis of a resize.
struct Axis {
  int64_t start, step;
  int32_t size;
  int32_t first, last;
};

// Columns [x0, x1) and rows [y0, y1) of the output, of one picture of a batch.
struct Rectangle {
  int32_t x0, y0, x1, y1;
  int32_t layer;
};

// One picture's work.
struct Job {
  Planes planes;
  const Params& p;
  float* out;  // This picture's part of the output.
  Axis columns, rows;
};

// Calls `use` for the rectangles, as large as possible, that blocks [first, first + count) cover.
template <typename Use>
void for_each_rectangle(const HostBlocks& blocks, const Params& p, const Use& use) {
  const vrt::Dim3 grid = blocks.shape.grid;
  const vrt::Dim3 size = blocks.shape.block;
  uint64_t block = blocks.first;
  const uint64_t end = blocks.first + blocks.count;
  while (block < end) {
    const uint64_t column = block % grid.x;
    const uint64_t row = block / grid.x % grid.y;
    const uint64_t layer = block / grid.x / grid.y;
    const bool whole_rows = column == 0 && end - block >= grid.x;
    const uint64_t columns = whole_rows ? grid.x : min(end - block, uint64_t{grid.x} - column);
    const uint64_t rows = whole_rows ? min((end - block) / grid.x, uint64_t{grid.y} - row) : 1;
    use(Rectangle{static_cast<int32_t>(column * size.x), static_cast<int32_t>(row * size.y),
                  min(static_cast<int32_t>((column + columns) * size.x), p.target_width),
                  min(static_cast<int32_t>((row + rows) * size.y), p.target_height), static_cast<int32_t>(layer)});
    block += columns * rows;
  }
}

// --- Source pixels ---------------------------------------------------------------------------------------------------

inline int32_t clamp_to(int32_t value, int32_t low, int32_t high) { return min(max(value, low), high); }
inline int32_t to_byte(int32_t value) { return clamp_to((value + (1 << 19)) >> 20, 0, 255); }

inline uint32_t load_u32(const uint8_t* from) {
  uint32_t value;
  __builtin_memcpy(&value, from, sizeof(value));
  return value;
}

// Reads pixels as 32-bit words with R, G and B at bits shift(0), shift(1), shift(2).
struct PackedReader {
  static int shift(const Params& p, int channel) { return p.channel_offset[channel] * 8; }

  // Words of pixels at columns[0 .. count) of row y; columns ascend.
  static void gather(const Job& job, int32_t y, const int32_t* columns, int32_t count, uint32_t* words) {
    const int32_t stride = job.p.pixel_stride;
    const uint8_t* row = job.planes.plane[0] + y * job.p.pitch[0];
    // A 4-byte load at one of the last pixels would leave the row.
    const int32_t safe_end = job.p.width - 3 / stride;
    int32_t i = 0;
    for (; i < count && columns[i] < safe_end; ++i) words[i] = load_u32(row + int64_t{columns[i]} * stride);
    for (; i < count; ++i) words[i] = load_bytes(row + int64_t{columns[i]} * stride, stride);
  }

  // Words of pixels [begin, begin + count) of row y.
  static void span(const Job& job, int32_t y, int32_t begin, int32_t count, uint32_t* words) {
    const int32_t stride = job.p.pixel_stride;
    const uint8_t* at = job.planes.plane[0] + y * job.p.pitch[0] + int64_t{begin} * stride;
    const int32_t bulk = min(count, job.p.width - 3 / stride - begin);
    int32_t i = 0;
    for (; i < bulk; ++i, at += stride) words[i] = load_u32(at);
    for (; i < count; ++i, at += stride) words[i] = load_bytes(at, stride);
  }

  static uint32_t load_bytes(const uint8_t* from, int32_t bytes) {
    uint32_t value = 0;
    for (int32_t byte = 0; byte < bytes; ++byte) value |= uint32_t{from[byte]} << (8 * byte);
    return value;
  }
};

struct YuvReader {
  static int shift(const Params&, int channel) { return channel * 8; }

  struct Row {
    const uint8_t* luma;
    const uint8_t* cb;
    const uint8_t* cr;
  };

  static Row row(const Job& job, int32_t y) {
    const Params& p = job.p;
    const int32_t chroma_y = y >> p.chroma_row_shift;
    return {job.planes.plane[0] + y * p.pitch[0] + p.channel_offset[0],
            job.planes.plane[1] + chroma_y * p.pitch[1] + p.channel_offset[1],
            job.planes.plane[2] + chroma_y * p.pitch[2] + p.channel_offset[2]};
  }

  static uint32_t word(const Params& p, int32_t luma, int32_t cb, int32_t cr) {
    const int32_t gray = (luma - p.luma_offset) * p.luma_gain;
    const int32_t red = to_byte(gray + (cr - 128) * p.red_cr);
    const int32_t green = to_byte(gray + (cb - 128) * p.green_cb + (cr - 128) * p.green_cr);
    const int32_t blue = to_byte(gray + (cb - 128) * p.blue_cb);
    return static_cast<uint32_t>(red | green << 8 | blue << 16);
  }

  // Samples are collected first, so that the conversion vectorises.
  static constexpr int32_t kBatch = 64;
  template <typename Column>
  static void convert(const Job& job, int32_t y, const Column& column, int32_t count, uint32_t* words) {
    const Params p = job.p;
    const Row from = row(job, y);
    for (int32_t begin = 0; begin < count; begin += kBatch) {
      alignas(32) int32_t luma[kBatch] = {}, cb[kBatch] = {}, cr[kBatch] = {};
      alignas(32) uint32_t converted[kBatch];
      const int32_t used = min(kBatch, count - begin);
      for (int32_t i = 0; i < used; ++i) {
        const int32_t x = column(begin + i);
        luma[i] = from.luma[int64_t{x} * p.pixel_stride];
        cb[i] = from.cb[int64_t{x >> 1} * p.chroma_stride];
        cr[i] = from.cr[int64_t{x >> 1} * p.chroma_stride];
      }
      for (int32_t i = 0; i < kBatch; ++i) converted[i] = word(p, luma[i], cb[i], cr[i]);
      __builtin_memcpy(words + begin, converted, static_cast<size_t>(used) * sizeof(uint32_t));
    }
  }

  static void gather(const Job& job, int32_t y, const int32_t* columns, int32_t count, uint32_t* words) {
    convert(job, y, [columns](int32_t i) { return columns[i]; }, count, words);
  }

  static void span(const Job& job, int32_t y, int32_t begin, int32_t count, uint32_t* words) {
    convert(job, y, [begin](int32_t i) { return begin + i; }, count, words);
  }
};

// --- Output ------------------------------------------------------------------------------------------------------------

// Where channel `channel` (R, G, B) of output pixel (x, y) goes, and the distance to the next pixel.
inline float* output_at(const Job& job, int channel, int32_t x, int32_t y) {
  const int64_t pixel = int64_t{y} * job.p.target_width + x;
  const int64_t plane = int64_t{job.p.target_width} * job.p.target_height;
  const int64_t position = job.p.output_channel[channel];
  return job.p.is_interleaved ? job.out + pixel * 3 + position : job.out + position * plane + pixel;
}

void fill_padding(const Job& job, int32_t x0, int32_t x1, int32_t y) {
  const int32_t step = job.p.is_interleaved ? 3 : 1;
  for (int channel = 0; channel < 3; ++channel) {
    if (x0 >= x1) return;
    float* at = output_at(job, channel, x0, y);
    for (int32_t i = 0; i < x1 - x0; ++i) at[int64_t{i} * step] = job.p.pad[channel];
  }
}

// Normalises and writes one channel of a tile's row.
void store(const Job& job, int channel, int32_t x, int32_t y, const float* values, int32_t count) {
  float* __restrict__ at = output_at(job, channel, x, y);
  const float multiply = job.p.multiply[channel];
  const float add = job.p.add[channel];
  if (job.p.is_interleaved) {
    for (int32_t i = 0; i < count; ++i) at[int64_t{i} * 3] = values[i] * multiply + add;
  } else {
    for (int32_t i = 0; i < count; ++i) at[i] = values[i] * multiply + add;
  }
}

// --- Bilinear ----------------------------------------------------------------------------------------------------------

struct Pair {
  int32_t first, second;
  float weight;
};

inline Pair pair_at(const Axis& axis, int32_t index) {
  const int64_t position = axis.start + axis.step * index;
  const auto whole = static_cast<int32_t>(position >> 32);
  return {clamp_to(whole, 0, axis.size - 1), clamp_to(whole + 1, 0, axis.size - 1),
          static_cast<float>(static_cast<int32_t>(static_cast<uint32_t>(position) >> 8)) * (1.0F / 16777216.0F)};
}

template <typename Reader>
class BilinearTile {
 public:
  static constexpr int32_t kColumns = 256;

  // Columns from `begin` of the filled region, at most up to `end`; says how many it took.
  BilinearTile(const Job& job, int32_t begin, int32_t end) : job_(job), begin_(begin), count_(min(kColumns, end - begin)) {
    for (int32_t i = 0; i < count_; ++i) {
      const Pair pair = pair_at(job.columns, begin + i);
      first_[i] = pair.first;
      second_[i] = pair.second;
      weight_[i] = pair.weight;
    }
  }

  [[nodiscard]] int32_t count() const { return count_; }

  // Row y of the filled region.
  void make_row(int32_t y) {
    const Pair pair = pair_at(job_.rows, y);
    const Row& above = source_row(pair.first);
    const Row& below = source_row(pair.second);
    for (int channel = 0; channel < 3; ++channel) {
      alignas(32) float blended[kColumns];
      const float* a = above.value[channel];
      const float* b = below.value[channel];
      for (int32_t i = 0; i < padded_; ++i) blended[i] = a[i] + pair.weight * (b[i] - a[i]);
      store(job_, channel, begin_ + job_.p.filled_x, y + job_.p.filled_y, blended, count_);
    }
  }

 private:
  struct Row {
    int32_t y = -1;
    alignas(32) float value[3][kColumns];
  };

  // Two rows are kept: neighbours have different places.
  const Row& source_row(int32_t y) {
    Row& row = kept_[y & 1];
    if (row.y == y) return row;
    row.y = y;
    alignas(32) uint32_t first[kColumns] = {}, second[kColumns] = {};
    Reader::gather(job_, y, first_, count_, first);
    Reader::gather(job_, y, second_, count_, second);
    for (int channel = 0; channel < 3; ++channel) {
      const int shift = Reader::shift(job_.p, channel);
      float* to = row.value[channel];
      for (int32_t i = 0; i < padded_; ++i) {
        const auto a = static_cast<float>(static_cast<int32_t>(first[i] >> shift & 255U));
        const auto b = static_cast<float>(static_cast<int32_t>(second[i] >> shift & 255U));
        to[i] = a + weight_[i] * (b - a);
      }
    }
    return row;
  }

  const Job& job_;
  int32_t begin_;
  int32_t count_;
  int32_t padded_ = (count_ + 15) & ~15;  // Whole vectors: loops without a remainder.
  int32_t first_[kColumns];
  int32_t second_[kColumns];
  alignas(32) float weight_[kColumns] = {};
  Row kept_[2];
};

// --- Antialiased -------------------------------------------------------------------------------------------------------

// See preprocess.cu: taps and weights of an antialiased sample.
struct Window {
  int32_t first, count;
  float offset, inverse, norm;
};

inline float raw_weight(const Window& window, int32_t tap) {
  const float distance = window.offset + static_cast<float>(tap);
  const float weight = 1.0F - (distance < 0.0F ? -distance : distance) * window.inverse;
  return weight > 0.0F ? weight : 0.0F;
}

inline float weight_of(const Window& window, int32_t tap) { return raw_weight(window, tap) * window.norm; }

inline Window window_at(const Axis& axis, int32_t index) {
  const int64_t centre = axis.start + axis.step * index + kHalf;
  const int64_t half_base = max(axis.step, kOne);
  const int32_t first = clamp_to(static_cast<int32_t>((centre - half_base + kHalf) >> 32), axis.first, axis.last - 1);
  const int32_t end = clamp_to(static_cast<int32_t>((centre + half_base + kHalf) >> 32), first + 1, axis.last);
  Window window{first, end - first, static_cast<float>(first * kOne + kHalf - centre) / 4294967296.0F,
                4294967296.0F / static_cast<float>(half_base), 1.0F};
  float sum = 0.0F;
  for (int32_t tap = 0; tap < window.count; ++tap) sum += raw_weight(window, tap);
  window.norm = 1.0F / sum;
  return window;
}

// The three channels of a pixel, and one unused.
using Color = float __attribute__((vector_size(16)));

template <typename Reader>
class AntialiasedTile {
 public:
  AntialiasedTile(const Job& job, int32_t begin, int32_t end) : job_(job), begin_(begin) {
    int32_t weights = 0;
    for (; count_ < min(kColumns, end - begin); ++count_) {
      const Window window = window_at(job.columns, begin + count_);
      if (count_ == 0) span_begin_ = window.first;
      const bool fits = weights + window.count <= kWeights && window.first + window.count - span_begin_ <= kSpan;
      if (!fits && count_ > 0) break;
      window_[count_] = window;
      span_end_ = window.first + window.count;
      is_wide_ = !fits;
      for (int32_t tap = 0; fits && tap < window.count; ++tap) weight_[weights++] = weight_of(window, tap);
      if (!fits) {
        count_ = 1;
        break;
      }
    }
    for (Row& row : kept_) row.y = INT32_MIN;
  }

  [[nodiscard]] int32_t count() const { return count_; }

  void make_row(int32_t y) {
    const Window window = window_at(job_.rows, y);
    Color sum[kColumns] = {};
    for (int32_t tap = 0; tap < window.count; ++tap) {
      const float weight = weight_of(window, tap);
      const Color* value = source_row(clamp_to(window.first + tap, 0, job_.p.height - 1)).value;
      for (int32_t i = 0; i < count_; ++i) sum[i] += weight * value[i];
    }
    for (int channel = 0; channel < 3; ++channel) {
      float values[kColumns];
      for (int32_t i = 0; i < count_; ++i) values[i] = sum[i][channel];
      store(job_, channel, begin_ + job_.p.filled_x, y + job_.p.filled_y, values, count_);
    }
  }

 private:
  static constexpr int32_t kColumns = 128;
  static constexpr int32_t kSpan = 2048;     // Source pixels under a tile.
  static constexpr int32_t kWeights = 4096;  // Weights of all its columns.
  static constexpr int32_t kRows = 32;       // Source rows kept; windows taller than this only cost time.

  struct Row {
    int32_t y;
    Color value[kColumns];
  };

  const Row& source_row(int32_t y) {
    Row& row = kept_[y % kRows];
    if (row.y == y) return row;
    row.y = y;
    if (is_wide_) {
      row.value[0] = wide_sum(y);
    } else {
      sum_columns(y, row.value);
    }
    return row;
  }

  void sum_columns(int32_t y, Color* sums) {
    Color pixels[kSpan];
    read_span(y, pixels);
    const float* weight = weight_;
    for (int32_t i = 0; i < count_; ++i) {
      const Color* pixel = pixels + (window_[i].first - span_begin_);
      Color sum = {};
      for (int32_t tap = 0; tap < window_[i].count; ++tap) sum += *weight++ * pixel[tap];
      sums[i] = sum;
    }
  }

  // Pixels [span_begin_, span_end_) of row y; those outside the picture repeat its border.
  void read_span(int32_t y, Color* pixels) {
    uint32_t words[kSpan];
    const int32_t begin = clamp_to(0, span_begin_, span_end_);
    const int32_t end = clamp_to(job_.p.width, begin, span_end_);
    Reader::span(job_, y, begin, end - begin, words + (begin - span_begin_));
    repeat_border(y, 0, words, span_begin_, begin);
    repeat_border(y, job_.p.width - 1, words, end, span_end_);
    const int red = Reader::shift(job_.p, 0), green = Reader::shift(job_.p, 1), blue = Reader::shift(job_.p, 2);
    for (int32_t i = 0; i < span_end_ - span_begin_; ++i) pixels[i] = color(words[i], red, green, blue);
  }

  // Fills columns [begin, end) with pixel x of row y.
  void repeat_border(int32_t y, int32_t x, uint32_t* words, int32_t begin, int32_t end) {
    if (begin >= end) return;
    uint32_t word = 0;
    Reader::span(job_, y, x, 1, &word);
    for (int32_t i = begin; i < end; ++i) words[i - span_begin_] = word;
  }

  static Color color(uint32_t word, int red, int green, int blue) {
    return Color{static_cast<float>(static_cast<int32_t>(word >> red & 255U)),
                 static_cast<float>(static_cast<int32_t>(word >> green & 255U)),
                 static_cast<float>(static_cast<int32_t>(word >> blue & 255U)), 0.0F};
  }

  // A column whose window is larger than the tables: pixel by pixel.
  Color wide_sum(int32_t y) {
    Color sum = {};
    for (int32_t tap = 0; tap < window_[0].count; ++tap) {
      uint32_t word = 0;
      Reader::span(job_, y, clamp_to(window_[0].first + tap, 0, job_.p.width - 1), 1, &word);
      sum += weight_of(window_[0], tap) *
             color(word, Reader::shift(job_.p, 0), Reader::shift(job_.p, 1), Reader::shift(job_.p, 2));
    }
    return sum;
  }

  const Job& job_;
  int32_t begin_;
  int32_t count_ = 0;
  int32_t span_begin_ = 0;
  int32_t span_end_ = 0;
  bool is_wide_ = false;
  Window window_[kColumns];
  float weight_[kWeights];
  Row kept_[kRows];
};

// --- Rectangles --------------------------------------------------------------------------------------------------------

template <typename Tile>
void resample(const Job& job, const Rectangle& inside) {
  for (int32_t x = inside.x0; x < inside.x1;) {
    Tile tile(job, x, inside.x1);
    for (int32_t y = inside.y0; y < inside.y1; ++y) tile.make_row(y);
    x += tile.count();
  }
}

template <template <typename> typename Tile>
void make_rectangle(const Job& job, const Rectangle& target) {
  const Params& p = job.p;
  const int32_t x0 = clamp_to(p.filled_x, target.x0, target.x1);
  const int32_t x1 = clamp_to(p.filled_x + p.filled_width, target.x0, target.x1);
  const int32_t y0 = clamp_to(p.filled_y, target.y0, target.y1);
  const int32_t y1 = clamp_to(p.filled_y + p.filled_height, target.y0, target.y1);
  for (int32_t y = target.y0; y < target.y1; ++y) {
    const bool is_filled = y >= y0 && y < y1;
    fill_padding(job, target.x0, is_filled ? x0 : target.x1, y);
    if (is_filled) fill_padding(job, x1, target.x1, y);
  }
  const Rectangle inside{x0 - p.filled_x, y0 - p.filled_y, x1 - p.filled_x, y1 - p.filled_y, target.layer};
  if (p.is_yuv) {
    resample<Tile<YuvReader>>(job, inside);
  } else {
    resample<Tile<PackedReader>>(job, inside);
  }
}

template <template <typename> typename Tile>
void make_picture(const HostBlocks& blocks, const Planes& planes, float* out, const Params& p) {
  const Job job{planes, p, out, {p.start_x, p.step_x, p.width, 0, p.width}, {p.start_y, p.step_y, p.height, 0, p.height}};
  for_each_rectangle(blocks, p, [&](const Rectangle& target) { make_rectangle<Tile>(job, target); });
}

// --- Crops -------------------------------------------------------------------------------------------------------------

// A coordinate of a box as fixed point. At most one picture's size outside; NaN counts as far left.
inline int64_t box_coordinate(float value, int32_t size) {
  const float low = -static_cast<float>(size);
  const float high = 2.0F * static_cast<float>(size);
  const float kept = value >= low ? (value <= high ? value : high) : low;
  return static_cast<int64_t>(kept * 4294967296.0F);
}

Axis box_axis(float low, float high, int32_t size, int32_t target_size) {
  const int64_t begin = box_coordinate(low, size);
  const int64_t end = max(begin, box_coordinate(high, size));
  const int64_t step = (end - begin) / target_size;
  return {begin + step / 2 - kHalf, step, size, min(static_cast<int32_t>(begin >> 32), 0),
          max(static_cast<int32_t>((end + kOne - 1) >> 32), size)};
}

template <template <typename> typename Tile>
void make_crops(const HostBlocks& blocks, const Planes& planes, const float* boxes, int32_t count, float* out,
                const Params& p) {
  const int64_t picture = int64_t{3} * p.target_width * p.target_height;
  for_each_rectangle(blocks, p, [&](const Rectangle& target) {
    if (target.layer >= count) return;
    const float* box = boxes + int64_t{target.layer} * 4;
    const Job job{planes, p, out + target.layer * picture, box_axis(box[0], box[2], p.width, p.target_width),
                  box_axis(box[1], box[3], p.height, p.target_height)};
    make_rectangle<Tile>(job, target);
  });
}

}  // namespace

void preprocess_bilinear(const HostBlocks& blocks, const uint8_t* plane0, const uint8_t* plane1, const uint8_t* plane2,
                         float* out, Params p) {
  make_picture<BilinearTile>(blocks, {{plane0, plane1, plane2}}, out, p);
}

void preprocess_antialiased(const HostBlocks& blocks, const uint8_t* plane0, const uint8_t* plane1,
                            const uint8_t* plane2, float* out, Params p) {
  make_picture<AntialiasedTile>(blocks, {{plane0, plane1, plane2}}, out, p);
}

void preprocess_crops_bilinear(const HostBlocks& blocks, const uint8_t* plane0, const uint8_t* plane1,
                               const uint8_t* plane2, const float* boxes, const int32_t* count, float* out, Params p) {
  make_crops<BilinearTile>(blocks, {{plane0, plane1, plane2}}, boxes, *count, out, p);
}

void preprocess_crops_antialiased(const HostBlocks& blocks, const uint8_t* plane0, const uint8_t* plane1,
                                  const uint8_t* plane2, const float* boxes, const int32_t* count, float* out,
                                  Params p) {
  make_crops<AntialiasedTile>(blocks, {{plane0, plane1, plane2}}, boxes, *count, out, p);
}

}  // namespace VRT_HOST_NAMESPACE
