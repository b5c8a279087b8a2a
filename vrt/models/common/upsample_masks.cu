// Instance masks from logits on a coarse grid: blended bilinearly to any size, then thresholded at 0, as bits. One block a
// tile of a mask.
VRT_SHARED_TYPES_BEGIN
/// How the pixels of a mask lie on the grid of logits: pixel x samples the column (x + 0.5) * scale_x + shift_x.
struct MaskGeometry {
  int32_t grid_width;
  int32_t grid_height;
  int32_t first_column;  // The part of the grid that the picture covers; beyond it, its border is repeated.
  int32_t first_row;
  int32_t last_column;
  int32_t last_row;
  float scale_x;
  float scale_y;
  float shift_x;
  float shift_y;
  int32_t width;  // Of a mask, in pixels.
  int32_t height;
  int32_t words_per_row;
  float crop_x;  // Pixels of the mask for one of the picture: what takes crop boxes to the mask.
  float crop_y;
};

// A tile: a warp has a column of words, a lane a row of it, so that the lanes of a warp blend the same columns of logits, and that
// outlines, which cost the most, cross few warps.
constexpr int32_t kMaskTileRows = 32;
constexpr int32_t kMaskTileWords = 8;
VRT_SHARED_TYPES_END

constexpr int32_t kMaskTilePixels = 32 * kMaskTileWords;  // Of a row; a thread each.
constexpr int32_t kMostShortcutColumns =
    12;  // Columns under a word's pixels, beyond which they are not looked over first.

// A block's shared memory.
struct MaskTile {
  int32_t column[kMaskTilePixels];  // Of each of the tile's pixel columns: the logits on its left, ...
  float share[kMaskTilePixels];     // ... and the share of those on its right.
  uint32_t words[kMaskTileRows][kMaskTileWords + 1];  // Padded: a warp writes a column of it.
};

// Two rows of logits and the share of the lower one: what a row of pixels is blended from.
struct MaskRows {
  const float* upper;
  const float* lower;
  float share;
};

__device__ inline float mask_sample_at(int32_t pixel, float scale, float shift, int32_t first, int32_t last) {
  const float position = (static_cast<float>(pixel) + 0.5f) * scale + shift;
  return fminf(fmaxf(position, static_cast<float>(first)), static_cast<float>(last));
}

__device__ inline MaskRows mask_rows_at(const float* plane, int32_t y, const MaskGeometry& g) {
  const float position = mask_sample_at(y, g.scale_y, g.shift_y, g.first_row, g.last_row);
  const int32_t row = static_cast<int32_t>(position);
  return {plane + row * g.grid_width, plane + min(row + 1, g.last_row) * g.grid_width,
          position - static_cast<float>(row)};
}

__device__ inline float mask_column(const MaskRows& rows, int32_t column) {
  return (1.0f - rows.share) * __ldg(rows.upper + column) + rows.share * __ldg(rows.lower + column);
}

// Bits of a word's pixels whose blended logit is above 0. `pixels` is the word's first one in the tile.
__device__ inline uint32_t mask_bits(const MaskRows& rows, const MaskTile& tile, int32_t pixels, int32_t last_column) {
  int32_t column = -1;
  float left = 0.0f;
  float right = 0.0f;
  uint32_t bits = 0;
  for (int32_t first = 0; first < 32; first += 8) {
#pragma unroll
    for (int32_t i = 0; i < 8; ++i) {
      const int32_t at = tile.column[pixels + first + i];
      if (at != column) {
        left = at == column + 1 && column >= 0 ? right : mask_column(rows, at);
        right = mask_column(rows, min(at + 1, last_column));
        column = at;
      }
      const float share = tile.share[pixels + first + i];
      const float value = (1.0f - share) * left + share * right;
      bits |= static_cast<uint32_t>(value > 0.0f) << (first + i);
    }
  }
  return bits;
}

// 1: every logit of the columns [first, last] is above 0, and so is what is blended of them; -1: none is; 0: they have to be
// blended.
__device__ inline int32_t mask_common_sign(const MaskRows& rows, int32_t first, int32_t last) {
  if (last - first >= kMostShortcutColumns) return 0;
  bool all_above = true;
  bool none_above = true;
  for (int32_t column = first; column <= last; ++column) {
    const float upper = __ldg(rows.upper + column);
    const float lower = __ldg(rows.lower + column);
    all_above = all_above && upper > 0.0f && lower > 0.0f;
    none_above = none_above && upper <= 0.0f && lower <= 0.0f;  // False for NaN.
  }
  return all_above ? 1 : (none_above ? -1 : 0);
}

// The pixels [begin, end) of a word as bits.
__device__ inline uint32_t mask_word(const MaskRows& rows, const MaskTile& tile, int32_t pixels, int32_t begin,
                                     int32_t end, int32_t last_column) {
  const uint32_t covered = (0xFFFFFFFFu >> (32 - (end - begin))) << begin;
  const int32_t last = min(tile.column[pixels + end - 1] + 1, last_column);
  const int32_t sign = mask_common_sign(rows, tile.column[pixels + begin], last);
  if (sign != 0) return sign > 0 ? covered : 0u;
  return mask_bits(rows, tile, pixels, last_column) & covered;
}

// The first whole pixel at or behind a box's edge, within the mask.
__device__ inline int32_t mask_edge(float edge, int32_t limit) { return min(max(__float2int_ru(edge), 0), limit); }

// Tiles along x and y, masks along z; the block has kMaskTileRows by kMaskTileWords threads. Mask i is made of the plane planes[i]
// of `logits`, or of plane i where `planes` is null. With `crop_boxes` (pixels of the picture), pixel x counts only if
// x1 <= x < x2, and so for y. Masks from `*count` on are left as they are. Bits behind a row's last pixel are 0.
extern "C" __global__ void __launch_bounds__(kMaskTileRows* kMaskTileWords)
    upsample_masks(const float* __restrict__ logits, const int32_t* __restrict__ planes,
                   const int32_t* __restrict__ count, const float4* __restrict__ crop_boxes, MaskGeometry g,
                   uint32_t* __restrict__ words) {
  __shared__ MaskTile tile;
  const int32_t mask = static_cast<int32_t>(blockIdx.z);
  if (mask >= __ldg(count)) return;
  const int32_t thread = static_cast<int32_t>(threadIdx.y * blockDim.x + threadIdx.x);
  const int32_t first_word = static_cast<int32_t>(blockIdx.x) * kMaskTileWords;
  const int32_t first_row = static_cast<int32_t>(blockIdx.y) * kMaskTileRows;
  const float position = mask_sample_at(first_word * 32 + thread, g.scale_x, g.shift_x, g.first_column, g.last_column);
  tile.column[thread] = static_cast<int32_t>(position);
  tile.share[thread] = position - static_cast<float>(tile.column[thread]);
  __syncthreads();
  const int32_t y = first_row + static_cast<int32_t>(threadIdx.x);
  const int32_t pixels = static_cast<int32_t>(threadIdx.y) * 32;
  int32_t begin = 0;
  int32_t end = y < g.height ? min(32, g.width - (first_word * 32 + pixels)) : 0;
  if (crop_boxes != nullptr) {
    const float4 box = __ldg(crop_boxes + mask);
    begin = max(begin, mask_edge(box.x * g.crop_x, g.width) - first_word * 32 - pixels);
    end = min(end, mask_edge(box.z * g.crop_x, g.width) - first_word * 32 - pixels);
    if (y < mask_edge(box.y * g.crop_y, g.height) || y >= mask_edge(box.w * g.crop_y, g.height)) end = begin;
  }
  uint32_t bits = 0;
  if (begin < end) {
    const int32_t plane = planes == nullptr ? mask : __ldg(planes + mask);
    const MaskRows rows = mask_rows_at(logits + static_cast<int64_t>(plane) * g.grid_width * g.grid_height, y, g);
    bits = mask_word(rows, tile, pixels, begin, end, g.last_column);
  }
  tile.words[threadIdx.x][threadIdx.y] = bits;
  __syncthreads();
  const int32_t row = first_row + thread / kMaskTileWords;
  const int32_t word = first_word + thread % kMaskTileWords;
  if (row >= g.height || word >= g.words_per_row) return;
  words[static_cast<int64_t>(mask) * g.words_per_row * g.height + row * g.words_per_row + word] =
      tile.words[thread / kMaskTileWords][thread % kMaskTileWords];
}
