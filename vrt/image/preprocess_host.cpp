// The preprocessing kernels for the CPU: the results of preprocess.cu to the bit, row by row instead of pixel by pixel.
//
// A launch's blocks become rectangles of the output, and those become tiles of columns. For a tile, the positions and weights
// of its columns are worked out once. All memory is on the stack (below 256 KB). Compiled several times, for several
// instruction sets (see prelude_host.h).

#ifdef __AVX2__
#include <immintrin.h>
#endif

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

// Columns [x0, x1) and rows [y0, y1) of the output, of one picture of a batch or of one crop.
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

// What a block makes: columns and rows of the output.
struct BlockSize {
  uint32_t x, y;
};

// Calls `use` for the rectangles, as large as possible, that blocks [first, first + count) cover.
template <typename Use>
void for_each_rectangle(const HostBlocks& blocks, BlockSize size, const Params& p, const Use& use) {
  const vrt::Dim3 grid = blocks.shape.grid;
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

// --- Source pixels --------------------------------------------------------------------------------------------------

inline int32_t clamp_to(int32_t value, int32_t low, int32_t high) { return min(max(value, low), high); }
inline int32_t to_byte(int32_t value) { return clamp_to((value + (1 << 19)) >> 20, 0, 255); }

template <typename Word>
inline Word load(const uint8_t* from) {
  Word value;
  __builtin_memcpy(&value, from, sizeof(value));
  return value;
}

// Reads pixels as 32-bit words: byte(p, channel) says which byte of a word R, G or B is.
struct PackedReader {
  static int byte(const Params& p, int channel) { return p.channel_offset[channel]; }

  static const uint8_t* row(const Job& job, int32_t y) { return job.planes.plane[0] + y * job.p.pitch[0]; }

  // Words of the pixels at columns[0 .. count) of row y.
  static void gather(const Job& job, int32_t y, const int32_t* columns, int32_t count, uint32_t* words) {
    for (int32_t i = 0; i < count; ++i) span(job, y, columns[i], 1, words + i);
  }

  // Words of pixels [begin, begin + count) of row y.
  static void span(const Job& job, int32_t y, int32_t begin, int32_t count, uint32_t* words) {
    const int32_t stride = job.p.pixel_stride;
    const uint8_t* at = row(job, y) + int64_t{begin} * stride;
    // A 4-byte load at one of the last pixels would leave the row.
    const int32_t bulk = min(count, job.p.width - 3 / stride - begin);
    int32_t i = 0;
    for (; i < bulk; ++i, at += stride) words[i] = load<uint32_t>(at);
    for (; i < count; ++i, at += stride) words[i] = load_bytes(at, stride);
  }

  static uint32_t load_bytes(const uint8_t* from, int32_t bytes) {
    uint32_t value = 0;
    for (int32_t byte = 0; byte < bytes; ++byte) value |= uint32_t{from[byte]} << (8 * byte);
    return value;
  }
};

struct YuvReader {
  static int byte(const Params&, int channel) { return channel; }

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

  // Samples are collected first, so that the conversion vectorises. kLuma and kChroma are strides of the format.
  static constexpr int32_t kBatch = 64;
  template <int32_t kLuma, int32_t kChroma, typename Column>
  static void convert(const Job& job, int32_t y, const Column& column, int32_t count, uint32_t* words) {
    const Params p = job.p;
    const Row from = row(job, y);
    for (int32_t begin = 0; begin < count; begin += kBatch) {
      uint8_t luma[kBatch] = {}, cb[kBatch] = {}, cr[kBatch] = {};
      uint32_t converted[kBatch];
      const int32_t used = min(kBatch, count - begin);
      for (int32_t i = 0; i < used; ++i) {
        const int64_t x = column(begin + i);
        luma[i] = from.luma[x * kLuma];
        cb[i] = from.cb[(x >> 1) * kChroma];
        cr[i] = from.cr[(x >> 1) * kChroma];
      }
      for (int32_t i = 0; i < kBatch; ++i) converted[i] = word(p, luma[i], cb[i], cr[i]);
      __builtin_memcpy(words + begin, converted, static_cast<size_t>(used) * sizeof(uint32_t));
    }
  }

  template <typename Column>
  static void convert_any(const Job& job, int32_t y, const Column& column, int32_t count, uint32_t* words) {
    if (job.p.pixel_stride == 2) return convert<2, 4>(job, y, column, count, words);   // YUYV
    if (job.p.chroma_stride == 2) return convert<1, 2>(job, y, column, count, words);  // NV12
    convert<1, 1>(job, y, column, count, words);                                       // I420
  }

  static void gather(const Job& job, int32_t y, const int32_t* columns, int32_t count, uint32_t* words) {
    convert_any(job, y, [columns](int32_t i) { return columns[i]; }, count, words);
  }

  static void span(const Job& job, int32_t y, int32_t begin, int32_t count, uint32_t* words) {
    convert_any(job, y, [begin](int32_t i) { return begin + i; }, count, words);
  }
};

// --- Output ---------------------------------------------------------------------------------------------------------

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

// Normalises and writes value(0 .. count) as one channel of pixels from (x, y) on.
template <typename Value>
inline void store(const Job& job, int channel, int32_t x, int32_t y, int32_t count, const Value& value) {
  float* __restrict__ at = output_at(job, channel, x, y);
  const float multiply = job.p.multiply[channel];
  const float add = job.p.add[channel];
  if (job.p.is_interleaved) {
    for (int32_t i = 0; i < count; ++i) at[int64_t{i} * 3] = value(i) * multiply + add;
  } else {
    for (int32_t i = 0; i < count; ++i) at[i] = value(i) * multiply + add;
  }
}

// --- Bilinear -------------------------------------------------------------------------------------------------------

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

// A tile's columns: neighbours and weights. One source row at those columns is a Row.
struct PairColumns {
  static constexpr int32_t kMost = 1024;

  struct Row {
    int32_t y = -1;
    float value[3][kMost];
  };

  PairColumns(const Axis& axis, int32_t begin, int32_t end) : count(min(kMost, end - begin)) {
    for (int32_t i = 0; i < count; ++i) {
      const Pair pair = pair_at(axis, begin + i);
      first[i] = pair.first;
      second[i] = pair.second;
      weight[i] = pair.weight;
    }
  }

  int32_t count;
  int32_t first[kMost];
  int32_t second[kMost];
  float weight[kMost];
};

// Columns [begin, end) of `columns` in source row y, by way of 32-bit words.
template <typename Reader>
void blend_words(const Job& job, int32_t y, const PairColumns& columns, int32_t begin, int32_t end,
                 PairColumns::Row& row) {
  if (begin >= end) return;
  uint32_t first[PairColumns::kMost], second[PairColumns::kMost];
  Reader::gather(job, y, columns.first + begin, end - begin, first);
  Reader::gather(job, y, columns.second + begin, end - begin, second);
  for (int channel = 0; channel < 3; ++channel) {
    const int shift = 8 * Reader::byte(job.p, channel);
    float* to = row.value[channel] + begin;
    const float* weight = columns.weight + begin;
    for (int32_t i = 0; i < end - begin; ++i) {
      const auto a = static_cast<float>(static_cast<int32_t>(first[i] >> shift & 255U));
      const auto b = static_cast<float>(static_cast<int32_t>(second[i] >> shift & 255U));
      to[i] = a + weight[i] * (b - a);
    }
  }
}

#ifdef __AVX2__
// Columns [begin, end), a multiple of 8 of them, whose two neighbours lie side by side, the first at most at `limit`.
struct SideBySide {
  int32_t begin = 0;
  int32_t end = 0;

  SideBySide(const PairColumns& columns, int32_t limit) {
    while (begin < columns.count && columns.second[begin] == columns.first[begin]) ++begin;
    end = begin;
    // Positions ascend.
    while (end < columns.count && columns.first[end] <= limit && columns.second[end] != columns.first[end]) ++end;
    end = begin + (end - begin) / 8 * 8;
  }
};

// Eight columns at a time, two neighbours with one 8-byte load.
class PackedBlend {
 public:
  PackedBlend(const Job& job, const PairColumns& columns)
      : columns_(columns),
        stride_(job.p.pixel_stride),
        // The load does not leave the row.
        inside_(columns, job.p.width - (8 + stride_ - 1) / stride_) {
    for (int channel = 0; channel < 3; ++channel) mask_[channel] = mask(job.p.channel_offset[channel]);
    for (int32_t i = inside_.begin; i < inside_.end; ++i) offset_[i] = columns.first[i] * stride_;
  }

  // `next_y` is the row that will be wanted in its place: a large picture's rows come from memory, too late without a hint.
  void run(const Job& job, int32_t y, int32_t next_y, PairColumns::Row& row) const {
    blend_words<PackedReader>(job, y, columns_, 0, inside_.begin, row);
    const uint8_t* from = PackedReader::row(job, y);
    const uint8_t* next = PackedReader::row(job, next_y);
    for (int32_t i = inside_.begin; i < inside_.end; i += 8) {
      // Not each column: neighbours share cache lines.
      for (int32_t column = i; column < i + 8; column += 3) __builtin_prefetch(next + offset_[column]);
      // In this order the two halves end up as columns 0..3 and 4..7.
      const __m256i even = load_pixels(from, offset_[i], offset_[i + 1], offset_[i + 4], offset_[i + 5]);
      const __m256i odd = load_pixels(from, offset_[i + 2], offset_[i + 3], offset_[i + 6], offset_[i + 7]);
      const __m256 weight = _mm256_loadu_ps(columns_.weight + i);
      for (int channel = 0; channel < 3; ++channel) {
        const __m256 p = _mm256_cvtepi32_ps(_mm256_shuffle_epi8(even, mask_[channel]));
        const __m256 q = _mm256_cvtepi32_ps(_mm256_shuffle_epi8(odd, mask_[channel]));
        const __m256 a = _mm256_shuffle_ps(p, q, _MM_SHUFFLE(1, 0, 1, 0));
        const __m256 b = _mm256_shuffle_ps(p, q, _MM_SHUFFLE(3, 2, 3, 2));
        _mm256_storeu_ps(row.value[channel] + i, a + weight * (b - a));
      }
    }
    blend_words<PackedReader>(job, y, columns_, inside_.end, columns_.count, row);
  }

 private:
  static __m256i load_pixels(const uint8_t* from, int32_t a, int32_t b, int32_t c, int32_t d) {
    return _mm256_set_epi64x(load<int64_t>(from + d), load<int64_t>(from + c), load<int64_t>(from + b),
                             load<int64_t>(from + a));
  }

  // Of two columns of 8 bytes: a channel of both first neighbours, then of both second ones, as 32-bit numbers.
  [[nodiscard]] __m256i mask(int32_t channel_offset) const {
    const int32_t zeros = static_cast<int32_t>(0x80808000U);
    const int32_t a = zeros | channel_offset;
    const int32_t b = zeros | (channel_offset + stride_);
    return _mm256_setr_epi32(a, a + 8, b, b + 8, a, a + 8, b, b + 8);
  }

  const PairColumns& columns_;
  int32_t stride_;
  SideBySide inside_;
  __m256i mask_[3];
  int32_t offset_[PairColumns::kMost];
};

// The samples of two neighbouring pixels of a row, x and x + 1: luma in two bytes; chroma of x's block and of the block after it
// in four, Cb of the first block lowest, its Cr kCr bits up, the second block's kNext bits up.
struct I420Samples {
  static constexpr int kCr = 16, kNext = 8, kLumaStride = 1;
  static uint16_t luma(const YuvReader::Row& row, int32_t x) { return load<uint16_t>(row.luma + x); }
  static uint32_t chroma(const YuvReader::Row& row, int32_t x) {
    return load<uint16_t>(row.cb + (x >> 1)) | uint32_t{load<uint16_t>(row.cr + (x >> 1))} << 16;
  }
};

struct Nv12Samples {
  static constexpr int kCr = 8, kNext = 16, kLumaStride = 1;
  static uint16_t luma(const YuvReader::Row& row, int32_t x) { return load<uint16_t>(row.luma + x); }
  static uint32_t chroma(const YuvReader::Row& row, int32_t x) { return load<uint32_t>(row.cb + (x & ~1)); }
};

struct YuyvSamples {
  static constexpr int kCr = 8, kNext = 16, kLumaStride = 2;
  static uint16_t luma(const YuvReader::Row& row, int32_t x) {
    return static_cast<uint16_t>(row.luma[2 * x] | row.luma[2 * x + 2] << 8);
  }
  static uint32_t chroma(const YuvReader::Row& row, int32_t x) {
    const auto blocks = load<uint64_t>(row.luma + 4 * (x >> 1));  // Y Cb Y Cr, twice
    return static_cast<uint32_t>((blocks >> 8 & 0xFFU) | (blocks >> 16 & 0xFF00U) | (blocks >> 24 & 0xFF0000U) |
                                 (blocks >> 32 & 0xFF000000U));
  }
};

// YuvReader::word for eight pixels, and its result as floats.
class YuvConversion {
 public:
  explicit YuvConversion(const Params& p) {
    luma_offset_ = _mm256_set1_epi32(p.luma_offset);
    luma_gain_ = _mm256_set1_epi32(p.luma_gain);
    red_cr_ = _mm256_set1_epi32(p.red_cr);
    green_cb_ = _mm256_set1_epi32(p.green_cb);
    green_cr_ = _mm256_set1_epi32(p.green_cr);
    blue_cb_ = _mm256_set1_epi32(p.blue_cb);
  }

  // Cb in the lowest byte of each chroma word, Cr `kCr` bits up.
  template <int kCr>
  void convert(__m256i luma, __m256i chroma, __m256 (&rgb)[3]) const {
    const __m256i byte = _mm256_set1_epi32(255);
    const __m256i middle = _mm256_set1_epi32(128);
    const __m256i cb = _mm256_sub_epi32(_mm256_and_si256(chroma, byte), middle);
    const __m256i cr = _mm256_sub_epi32(_mm256_and_si256(_mm256_srli_epi32(chroma, kCr), byte), middle);
    const __m256i gray = _mm256_mullo_epi32(_mm256_sub_epi32(luma, luma_offset_), luma_gain_);
    const __m256i green = _mm256_add_epi32(gray, _mm256_mullo_epi32(cb, green_cb_));
    rgb[0] = to_byte(_mm256_add_epi32(gray, _mm256_mullo_epi32(cr, red_cr_)));
    rgb[1] = to_byte(_mm256_add_epi32(green, _mm256_mullo_epi32(cr, green_cr_)));
    rgb[2] = to_byte(_mm256_add_epi32(gray, _mm256_mullo_epi32(cb, blue_cb_)));
  }

 private:
  static __m256 to_byte(__m256i value) {
    const __m256i rounded = _mm256_srai_epi32(_mm256_add_epi32(value, _mm256_set1_epi32(1 << 19)), 20);
    const __m256i low = _mm256_max_epi32(rounded, _mm256_setzero_si256());
    return _mm256_cvtepi32_ps(_mm256_min_epi32(low, _mm256_set1_epi32(255)));
  }

  __m256i luma_offset_, luma_gain_, red_cr_, green_cb_, green_cr_, blue_cb_;
};

// Eight columns at a time, the samples of two neighbours with one load each.
class YuvBlend {
 public:
  // The loads go up to the chroma of the block after the first neighbour's.
  YuvBlend(const Job& job, const PairColumns& columns)
      : columns_(columns), inside_(columns, job.p.width - 3), conversion_(job.p) {}

  void run(const Job& job, int32_t y, int32_t next_y, PairColumns::Row& row) const {
    blend_words<YuvReader>(job, y, columns_, 0, inside_.begin, row);
    const YuvReader::Row from = YuvReader::row(job, y);
    const YuvReader::Row next = YuvReader::row(job, next_y);
    if (job.p.pixel_stride == 2) {
      blend<YuyvSamples>(from, next, row);
    } else if (job.p.chroma_stride == 2) {
      blend<Nv12Samples>(from, next, row);
    } else {
      blend<I420Samples>(from, next, row);
    }
    blend_words<YuvReader>(job, y, columns_, inside_.end, columns_.count, row);
  }

 private:
  // `next` is the row that will be wanted in its place.
  template <typename Samples>
  void blend(const YuvReader::Row& from, const YuvReader::Row& next, PairColumns::Row& row) const {
    for (int32_t i = inside_.begin; i < inside_.end; i += 8) {
      __builtin_prefetch(next.luma + columns_.first[i] * Samples::kLumaStride);
      uint16_t luma_pairs[8];
      uint32_t chroma_pairs[8];
      for (int32_t column = 0; column < 8; ++column) {
        const int32_t x = columns_.first[i + column];
        luma_pairs[column] = Samples::luma(from, x);
        chroma_pairs[column] = Samples::chroma(from, x);
      }
      blend_eight<Samples>(luma_pairs, chroma_pairs, i, row);
    }
  }

  template <typename Samples>
  void blend_eight(const uint16_t* luma_pairs, const uint32_t* chroma_pairs, int32_t i, PairColumns::Row& row) const {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns_.first + i));
    const __m256i luma = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(luma_pairs)));
    const __m256i chroma = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(chroma_pairs));
    // An odd pixel's right neighbour is in the next block.
    const __m256i is_odd = _mm256_and_si256(x, _mm256_set1_epi32(1));
    const __m256i shift = _mm256_mullo_epi32(is_odd, _mm256_set1_epi32(Samples::kNext));
    __m256 a[3], b[3];
    conversion_.convert<Samples::kCr>(_mm256_and_si256(luma, _mm256_set1_epi32(255)), chroma, a);
    conversion_.convert<Samples::kCr>(_mm256_srli_epi32(luma, 8), _mm256_srlv_epi32(chroma, shift), b);
    const __m256 weight = _mm256_loadu_ps(columns_.weight + i);
    for (int channel = 0; channel < 3; ++channel) {
      _mm256_storeu_ps(row.value[channel] + i, a[channel] + weight * (b[channel] - a[channel]));
    }
  }

  const PairColumns& columns_;
  SideBySide inside_;
  YuvConversion conversion_;
};
#endif

template <typename Reader>
class WordBlend {
 public:
  WordBlend(const Job&, const PairColumns& columns) : columns_(columns) {}
  void run(const Job& job, int32_t y, int32_t, PairColumns::Row& row) const {
    blend_words<Reader>(job, y, columns_, 0, columns_.count, row);
  }

 private:
  const PairColumns& columns_;
};

template <typename Reader>
struct BlendOf {
  using Type = WordBlend<Reader>;
};
#ifdef __AVX2__
template <>
struct BlendOf<PackedReader> {
  using Type = PackedBlend;
};
template <>
struct BlendOf<YuvReader> {
  using Type = YuvBlend;
};
#endif

template <typename Reader>
class BilinearTile {
 public:
  // Columns from `begin` of the filled region, at most up to `end`; `count` says how many it took.
  BilinearTile(const Job& job, int32_t begin, int32_t end)
      : job_(job), begin_(begin), columns_(job.columns, begin, end), blend_(job, columns_) {}

  [[nodiscard]] int32_t count() const { return columns_.count; }

  // Row y of the filled region.
  void make_row(int32_t y) {
    const Pair pair = pair_at(job_.rows, y);
    const Pair next = pair_at(job_.rows, y + 1);
    const float weight = pair.weight;
    const PairColumns::Row& above = source_row(pair.first, next.first);
    const PairColumns::Row& below = source_row(pair.second, next.second);
    for (int channel = 0; channel < 3; ++channel) {
      const float* a = above.value[channel];
      const float* b = below.value[channel];
      store(job_, channel, begin_ + job_.p.filled_x, y + job_.p.filled_y, columns_.count,
            [=](int32_t i) { return a[i] + weight * (b[i] - a[i]); });
    }
  }

 private:
  // Two rows are kept: neighbours have different places.
  const PairColumns::Row& source_row(int32_t y, int32_t next_y) {
    PairColumns::Row& row = kept_[y & 1];
    if (row.y != y) {
      row.y = y;
      blend_.run(job_, y, next_y, row);
    }
    return row;
  }

  const Job& job_;
  int32_t begin_;
  PairColumns columns_;
  typename BlendOf<Reader>::Type blend_;
  PairColumns::Row kept_[2];
};

// --- Antialiased ----------------------------------------------------------------------------------------------------

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

// Without its norm.
inline Window taps_at(const Axis& axis, int32_t index) {
  const int64_t centre = axis.start + axis.step * index + kHalf;
  const int64_t half_base = max(axis.step, kOne);
  const int32_t first = clamp_to(static_cast<int32_t>((centre - half_base + kHalf) >> 32), axis.first, axis.last - 1);
  const int32_t end = clamp_to(static_cast<int32_t>((centre + half_base + kHalf) >> 32), first + 1, axis.last);
  return {first, end - first, static_cast<float>(first * kOne + kHalf - centre) / 4294967296.0F,
          4294967296.0F / static_cast<float>(half_base), 1.0F};
}

inline Window window_at(const Axis& axis, int32_t index) {
  Window window = taps_at(axis, index);
  float sum = 0.0F;
  for (int32_t tap = 0; tap < window.count; ++tap) sum += raw_weight(window, tap);
  window.norm = 1.0F / sum;
  return window;
}

// See preprocess.cu: a window of rows, whose weights are whole numbers, and so are its sums, below 2^24: exact in floats.
struct RowWindow {
  int32_t first, count;
  float offset, inverse, norm;
};

constexpr float kWholeWeight = 32768.0F;

inline int32_t row_weight(const RowWindow& row, int32_t tap) {
  const float distance = row.offset + static_cast<float>(tap);
  const float weight = 1.0F - (distance < 0.0F ? -distance : distance) * row.inverse;
  return weight > 0.0F ? static_cast<int32_t>(weight * (kWholeWeight * row.inverse) + 0.5F) : 0;
}

inline RowWindow row_window_at(const Axis& axis, int32_t index) {
  const Window taps = taps_at(axis, index);
  RowWindow row{taps.first, taps.count, taps.offset, taps.inverse, 1.0F};
  int32_t sum = 0;
  for (int32_t tap = 0; tap < row.count; ++tap) sum += row_weight(row, tap);
  row.norm = 1.0F / static_cast<float>(sum);
  return row;
}

// Four neighbouring floats of a row of sums: those of a pixel's bytes; where it has fewer, the others are not used.
using Color = float __attribute__((vector_size(16), aligned(4), may_alias));

constexpr int32_t kMostRowsAtOnce = 16;  // Of a window.
constexpr int32_t kBlock = 32;           // Bytes of a row.

// add_rows for one block of bytes, its sums in registers.
#ifdef __AVX2__
inline void add_block(const uint8_t* const* rows, const float* weights, int32_t row_count, int32_t at, float* sums) {
  __m256 sum[4];
  for (int part = 0; part < 4; ++part) sum[part] = _mm256_loadu_ps(sums + at + 8 * part);
  for (int32_t row = 0; row < row_count; ++row) {
    for (int part = 0; part < 4; ++part) {
      const __m128i bytes = _mm_cvtsi64_si128(load<int64_t>(rows[row] + at + 8 * part));
      sum[part] += weights[row] * _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
    }
  }
  for (int part = 0; part < 4; ++part) _mm256_storeu_ps(sums + at + 8 * part, sum[part]);
}
#else
inline void add_block(const uint8_t* const* rows, const float* weights, int32_t row_count, int32_t at, float* sums) {
  float sum[kBlock];
  for (int i = 0; i < kBlock; ++i) sum[i] = sums[at + i];
  for (int32_t row = 0; row < row_count; ++row) {
    for (int i = 0; i < kBlock; ++i) sum[i] += weights[row] * static_cast<float>(rows[row][at + i]);
  }
  for (int i = 0; i < kBlock; ++i) sums[at + i] = sum[i];
}
#endif

// sums[i] += weights[0] * rows[0][i] + weights[1] * rows[1][i] + …, added in this order.
inline void add_rows(const uint8_t* const* rows, const float* weights, int32_t row_count, int32_t bytes, float* sums) {
  int32_t i = 0;
  for (; i + kBlock <= bytes; i += kBlock) add_block(rows, weights, row_count, i, sums);
  for (; i < bytes; ++i) {
    for (int32_t row = 0; row < row_count; ++row) sums[i] += weights[row] * static_cast<float>(rows[row][i]);
  }
}

// Bytes of pixels from column `begin` on, as they lie in the picture.
class PackedRows {
 public:
  [[nodiscard]] static int32_t stride(const Params& p) { return p.pixel_stride; }
  [[nodiscard]] static const uint8_t* row(const Job& job, int32_t y, int32_t begin, int32_t) {
    return PackedReader::row(job, y) + int64_t{begin} * job.p.pixel_stride;
  }
};

// The same of decoded pixels; the last rows are kept, for windows overlap.
class YuvRows {
 public:
  [[nodiscard]] static int32_t stride(const Params&) { return 4; }
  const uint8_t* row(const Job& job, int32_t y, int32_t begin, int32_t count) {
    Kept& kept = kept_[y % kMostRowsAtOnce];
    if (kept.y != y || kept.begin != begin || kept.count != count) {
      kept.y = y;
      kept.begin = begin;
      kept.count = count;
      YuvReader::span(job, y, begin, count, kept.words);
    }
    return reinterpret_cast<const uint8_t*>(kept.words);
  }

  static constexpr int32_t kMostPixels = 2048;

 private:
  struct Kept {
    int32_t y = -1, begin = 0, count = 0;
    uint32_t words[kMostPixels];
  };
  Kept kept_[kMostRowsAtOnce];
};

template <typename Reader>
struct RowsOf {
  using Type = PackedRows;
};
template <>
struct RowsOf<YuvReader> {
  using Type = YuvRows;
};

// Source columns are summed over the window of rows first, all at once; then each output column over its own window.
template <typename Reader>
class AntialiasedTile {
 public:
  AntialiasedTile(const Job& job, int32_t begin, int32_t end) : job_(job), stride_(Rows::stride(job.p)), begin_(begin) {
    for (; count_ < min(kColumns, end - begin); ++count_) {
      const Window window = window_at(job.columns, begin + count_);
      if (count_ > 0 && !fits(window)) break;
      window_[count_] = window;
      most_taps_ = max(most_taps_, window.count);
    }
    is_wide_ = most_taps_ > kSpan;
    if (is_wide_) return;
    for (int32_t i = 0; i < count_; ++i) {
      // As many taps for all columns: those of no weight change no sum.
      for (int32_t tap = 0; tap < most_taps_; ++tap) {
        weight_[i * most_taps_ + tap] = tap < window_[i].count ? weight_of(window_[i], tap) : 0.0F;
      }
    }
  }

  [[nodiscard]] int32_t count() const { return count_; }

  void make_row(int32_t y) {
    const RowWindow rows = row_window_at(job_.rows, y);
    Color sum[kColumns];
    if (is_wide_) {
      sum[0] = wide_sum(rows);
    } else {
      const int32_t begin = window_[0].first;
      sum_source_columns(rows, begin, window_[count_ - 1].first + window_[count_ - 1].count);
      for (int32_t i = 0; i < count_; ++i) sum[i] = sum_window(i, begin);
    }
    for (int channel = 0; channel < 3; ++channel) {
      const float* value = reinterpret_cast<const float*>(sum) + Reader::byte(job_.p, channel);
      store(job_, channel, begin_ + job_.p.filled_x, y + job_.p.filled_y, count_,
            [value, norm = rows.norm](int32_t i) { return value[4 * i] * norm; });
    }
  }

 private:
  using Rows = typename RowsOf<Reader>::Type;
  static constexpr int32_t kColumns = 512;                // Of a tile.
  static constexpr int32_t kSpan = YuvRows::kMostPixels;  // Source columns under a tile.
  static constexpr int32_t kWeights = 8192;               // Weights of all columns of a tile.

  [[nodiscard]] bool fits(const Window& window) const {
    return window.first + window.count - window_[0].first <= kSpan &&
           (count_ + 1) * max(most_taps_, window.count) <= kWeights;
  }

  Color sum_window(int32_t column, int32_t span_begin) const {
    const float* from = sums_ + (window_[column].first - span_begin) * stride_;
    const float* weight = weight_ + column * most_taps_;
    Color sum = {};
    for (int32_t tap = 0; tap < most_taps_; ++tap) {
      sum += weight[tap] * *reinterpret_cast<const Color*>(from + tap * stride_);
    }
    return sum;
  }

  // A window with more columns than fit: part by part, weights worked out again.
  Color wide_sum(const RowWindow& rows) {
    const Window window = window_[0];
    Color sum = {};
    for (int32_t done = 0; done < window.count; done += kSpan) {
      const int32_t part = min(kSpan, window.count - done);
      sum_source_columns(rows, window.first + done, window.first + done + part);
      for (int32_t tap = 0; tap < part; ++tap) {
        sum += weight_of(window, done + tap) * *reinterpret_cast<const Color*>(sums_ + tap * stride_);
      }
    }
    return sum;
  }

  // sums_[0 …) becomes the source columns [begin, end); those outside the picture repeat its border.
  void sum_source_columns(const RowWindow& rows, int32_t begin, int32_t end) {
    const int32_t inside_begin = clamp_to(0, begin, end);
    const int32_t inside_end = clamp_to(job_.p.width, inside_begin, end);
    add_window(rows, inside_begin, inside_end, inside_begin - begin);
    repeat_border(rows, 0, 0, inside_begin - begin);
    repeat_border(rows, job_.p.width - 1, inside_end - begin, end - begin);
  }

  // Columns [begin, end) of the picture, to place `to` of sums_.
  void add_window(const RowWindow& rows, int32_t begin, int32_t end, int32_t to) {
    float* sums = sums_ + to * stride_;
    for (int32_t i = 0; i < (end - begin) * stride_; ++i) sums[i] = 0.0F;
    for (int32_t done = 0; done < rows.count && begin < end; done += kMostRowsAtOnce) {
      const int32_t part = min(kMostRowsAtOnce, rows.count - done);
      const uint8_t* from[kMostRowsAtOnce];
      float weight[kMostRowsAtOnce];
      for (int32_t tap = 0; tap < part; ++tap) {
        const int32_t y = clamp_to(rows.first + done + tap, 0, job_.p.height - 1);
        from[tap] = rows_.row(job_, y, begin, end - begin);
        weight[tap] = static_cast<float>(row_weight(rows, done + tap));
      }
      add_rows(from, weight, part, (end - begin) * stride_, sums);
    }
  }

  // Places [begin, end) of sums_ become picture column x.
  void repeat_border(const RowWindow& rows, int32_t x, int32_t begin, int32_t end) {
    if (begin >= end) return;
    add_window(rows, x, x + 1, begin);
    float* sums = sums_ + begin * stride_;
    for (int32_t i = stride_; i < (end - begin) * stride_; ++i) sums[i] = sums[i - stride_];
  }

  const Job& job_;
  int32_t stride_;
  int32_t begin_;
  int32_t count_ = 0;
  int32_t most_taps_ = 0;
  bool is_wide_ = false;
  Window window_[kColumns];
  float weight_[kWeights];
  float sums_[(2 * kSpan + 1) * 4] = {};  // Taps without weight reach past the span.
  Rows rows_;
};

// --- Rectangles -----------------------------------------------------------------------------------------------------

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

constexpr BlockSize kBilinearBlock{kBilinearThreads * kBilinearColumns, kBilinearRows};

BlockSize tile_block(const Params& p) { return {kTileColumns, static_cast<uint32_t>(kWarps * p.tile_rows)}; }

BlockSize strip_block(const Params& p) { return {kStripThreads * kStripColumns, static_cast<uint32_t>(p.strip_rows)}; }

int64_t picture_floats(const Params& p) { return int64_t{3} * p.target_width * p.target_height; }

template <template <typename> typename Tile>
void make_pictures(const HostBlocks& blocks, BlockSize size, const Planes& planes, float* out, const Params& p) {
  for_each_rectangle(blocks, size, p, [&](const Rectangle& target) {
    const int64_t picture = target.layer;
    const Job job{{{planes.plane[0] + picture * p.picture_stride[0], planes.plane[1] + picture * p.picture_stride[1],
                    planes.plane[2] + picture * p.picture_stride[2]}},
                  p,
                  out + picture * picture_floats(p),
                  {p.start_x, p.step_x, p.width, 0, p.width},
                  {p.start_y, p.step_y, p.height, 0, p.height}};
    make_rectangle<Tile>(job, target);
  });
}

// --- Crops ----------------------------------------------------------------------------------------------------------

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
void make_crops(const HostBlocks& blocks, BlockSize size, const Planes& planes, const float* boxes, int32_t count,
                float* out, const Params& p) {
  for_each_rectangle(blocks, size, p, [&](const Rectangle& target) {
    if (target.layer >= count) return;
    const float* box = boxes + int64_t{target.layer} * 4;
    const Job job{planes, p, out + target.layer * picture_floats(p), box_axis(box[0], box[2], p.width, p.target_width),
                  box_axis(box[1], box[3], p.height, p.target_height)};
    make_rectangle<Tile>(job, target);
  });
}

}  // namespace

void preprocess_bilinear(const HostBlocks& blocks, const uint8_t* plane0, const uint8_t* plane1, const uint8_t* plane2,
                         float* out, Params p) {
  make_pictures<BilinearTile>(blocks, kBilinearBlock, {{plane0, plane1, plane2}}, out, p);
}

void preprocess_bilinear_nv12(const HostBlocks& blocks, const uint8_t* plane0, const uint8_t* plane1,
                              const uint8_t* plane2, float* out, Params p) {
  make_pictures<BilinearTile>(blocks, strip_block(p), {{plane0, plane1, plane2}}, out, p);
}

void preprocess_antialiased(const HostBlocks& blocks, const uint8_t* plane0, const uint8_t* plane1,
                            const uint8_t* plane2, float* out, Params p) {
  make_pictures<AntialiasedTile>(blocks, tile_block(p), {{plane0, plane1, plane2}}, out, p);
}

void preprocess_antialiased_yuv(const HostBlocks& blocks, const uint8_t* plane0, const uint8_t* plane1,
                                const uint8_t* plane2, float* out, Params p) {
  make_pictures<AntialiasedTile>(blocks, tile_block(p), {{plane0, plane1, plane2}}, out, p);
}

void preprocess_crops_bilinear(const HostBlocks& blocks, const uint8_t* plane0, const uint8_t* plane1,
                               const uint8_t* plane2, const float* boxes, const int32_t* count, float* out, Params p) {
  make_crops<BilinearTile>(blocks, kBilinearBlock, {{plane0, plane1, plane2}}, boxes, *count, out, p);
}

void preprocess_crops_bilinear_nv12(const HostBlocks& blocks, const uint8_t* plane0, const uint8_t* plane1,
                                    const uint8_t* plane2, const float* boxes, const int32_t* count, float* out,
                                    Params p) {
  make_crops<BilinearTile>(blocks, strip_block(p), {{plane0, plane1, plane2}}, boxes, *count, out, p);
}

void preprocess_crops_antialiased(const HostBlocks& blocks, const uint8_t* plane0, const uint8_t* plane1,
                                  const uint8_t* plane2, const float* boxes, const int32_t* count, float* out,
                                  Params p) {
  make_crops<AntialiasedTile>(blocks, tile_block(p), {{plane0, plane1, plane2}}, boxes, *count, out, p);
}

void preprocess_crops_antialiased_yuv(const HostBlocks& blocks, const uint8_t* plane0, const uint8_t* plane1,
                                      const uint8_t* plane2, const float* boxes, const int32_t* count, float* out,
                                      Params p) {
  make_crops<AntialiasedTile>(blocks, tile_block(p), {{plane0, plane1, plane2}}, boxes, *count, out, p);
}

}  // namespace VRT_HOST_NAMESPACE
