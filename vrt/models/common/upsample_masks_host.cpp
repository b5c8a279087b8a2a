// upsample_masks.cu for the CPU: the same bits, row by row. All pixels between two columns of logits are decided at once where
// both columns have one sign.
#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {
namespace {

constexpr int32_t kChunkWords = 64;  // Words of a row that are worked on at a time.
constexpr int32_t kChunkPixels = 32 * kChunkWords;

// Neighbouring pixels that are blended of the same two columns.
struct PixelRun {
  int32_t begin, end;  // Within the chunk.
  int32_t left, right;
};

// Where the pixels of a chunk lie on the grid; the same for all rows.
struct Chunk {
  float share[kChunkPixels];
  PixelRun runs[kChunkPixels];
  int32_t run_count;
  int32_t first_word, words;
};

inline float clamped(float value, float low, float high) {
  const float above = value > low ? value : low;
  return above < high ? above : high;
}

inline float sample_at(int32_t pixel, float scale, float shift, int32_t first, int32_t last) {
  return clamped((static_cast<float>(pixel) + 0.5F) * scale + shift, static_cast<float>(first),
                 static_cast<float>(last));
}

inline void lay_out(Chunk& chunk, int32_t first_word, int32_t words, const MaskGeometry& g) {
  chunk.first_word = first_word;
  chunk.words = words;
  chunk.run_count = 0;
  const int32_t pixels = min(32 * words, g.width - 32 * first_word);
  for (int32_t i = 0; i < pixels; ++i) {
    const float position = sample_at(32 * first_word + i, g.scale_x, g.shift_x, g.first_column, g.last_column);
    const auto column = static_cast<int32_t>(position);
    chunk.share[i] = position - static_cast<float>(column);
    if (chunk.run_count == 0 || chunk.runs[chunk.run_count - 1].left != column)
      chunk.runs[chunk.run_count++] = {i, i, column, min(column + 1, g.last_column)};
    chunk.runs[chunk.run_count - 1].end = i + 1;
  }
}

inline void set_bits(uint32_t* words, int32_t begin, int32_t end) {
  while (begin < end) {
    const int32_t bit = begin % 32;
    const int32_t count = min(32 - bit, end - begin);
    words[begin / 32] |= (0xFFFFFFFFU >> (32 - count)) << bit;
    begin += count;
  }
}

// Two rows of logits and the share of the lower one.
struct Rows {
  const float* upper;
  const float* lower;
  float share;
};

inline float blended(const Rows& rows, int32_t column) {
  return (1.0F - rows.share) * rows.upper[column] + rows.share * rows.lower[column];
}

inline void set_blended(uint32_t* words, const float* share, int32_t begin, int32_t end, float left, float right) {
  for (int32_t i = begin; i < end; ++i) {
    const float value = (1.0F - share[i]) * left + share[i] * right;
    words[i / 32] |= static_cast<uint32_t>(value > 0.0F) << (i % 32);
  }
}

// So far above 0, and finite, that every blend with another such number is above 0.
inline bool is_above(float value) { return value >= 1e-30F && value <= FLT_MAX; }

// The pixels [begin, end) of the chunk that may belong to the mask.
inline void fill_row(const Chunk& chunk, const Rows& rows, int32_t begin, int32_t end, uint32_t* words) {
  for (int32_t i = 0; i < chunk.words; ++i) words[i] = 0;
  float left = 0.0F;
  int32_t left_column = -1;
  for (int32_t r = 0; r < chunk.run_count; ++r) {
    const PixelRun& run = chunk.runs[r];
    if (run.end <= begin || run.begin >= end) continue;
    if (run.left != left_column) left = blended(rows, run.left);
    const float right = blended(rows, run.right);
    const int32_t first = max(run.begin, begin);
    const int32_t last = min(run.end, end);
    if (is_above(left) && is_above(right)) {
      set_bits(words, first, last);
    } else if (!(left <= 0.0F && right <= 0.0F)) {
      set_blended(words, chunk.share, first, last, left, right);
    }
    left = right;
    left_column = run.right;
  }
}

inline int32_t edge_of(float edge, int32_t limit) { return min(max(__float2int_ru(edge), 0), limit); }

struct CropEdges {
  int32_t left, top, right, bottom;
};

inline CropEdges crop_of(const float4* boxes, int32_t mask, const MaskGeometry& g) {
  if (boxes == nullptr) return {0, 0, g.width, g.height};
  const float4 box = boxes[mask];
  return {edge_of(box.x * g.crop_x, g.width), edge_of(box.y * g.crop_y, g.height), edge_of(box.z * g.crop_x, g.width),
          edge_of(box.w * g.crop_y, g.height)};
}

inline Rows rows_at(const float* plane, int32_t y, const MaskGeometry& g) {
  const float position = sample_at(y, g.scale_y, g.shift_y, g.first_row, g.last_row);
  const auto row = static_cast<int32_t>(position);
  return {plane + row * g.grid_width, plane + min(row + 1, g.last_row) * g.grid_width,
          position - static_cast<float>(row)};
}

// The rows [top, bottom) of one mask.
inline void fill_rows(const float* plane, const CropEdges& crop, int32_t top, int32_t bottom, const MaskGeometry& g,
                      uint32_t* mask) {
  Chunk chunk;
  for (int32_t word = 0; word < g.words_per_row; word += kChunkWords) {
    lay_out(chunk, word, min(kChunkWords, g.words_per_row - word), g);
    for (int32_t y = top; y < bottom; ++y) {
      const bool inside = y >= crop.top && y < crop.bottom;
      fill_row(chunk, rows_at(plane, y, g), crop.left - 32 * word, inside ? crop.right - 32 * word : INT32_MIN,
               mask + static_cast<int64_t>(y) * g.words_per_row + word);
    }
  }
}

}  // namespace

// The blocks of a mask become shares of its rows.
void upsample_masks(const vrt::HostBlocks& blocks, const float* logits, const int32_t* planes, const int32_t* count,
                    const float4* crop_boxes, MaskGeometry g, uint32_t* words) {
  const auto shares = static_cast<int64_t>(blocks.shape.grid.x) * blocks.shape.grid.y;
  const auto end = static_cast<int64_t>(blocks.first + blocks.count);
  for (auto block = static_cast<int64_t>(blocks.first); block < end;) {
    const auto mask = static_cast<int32_t>(block / shares);
    const int64_t next = min((mask + int64_t{1}) * shares, end);
    if (mask >= *count) return;
    const auto top = static_cast<int32_t>(g.height * (block % shares) / shares);
    const auto bottom = static_cast<int32_t>(g.height * (block % shares + next - block) / shares);
    const float* plane =
        logits + static_cast<int64_t>(planes == nullptr ? mask : planes[mask]) * g.grid_width * g.grid_height;
    fill_rows(plane, crop_of(crop_boxes, mask, g), top, bottom, g,
              words + static_cast<int64_t>(mask) * g.words_per_row * g.height);
    block = next;
  }
}

}  // namespace VRT_HOST_NAMESPACE
