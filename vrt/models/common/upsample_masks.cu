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
constexpr int32_t kMaskRegion = 1024;                     // Logits that fit into shared memory.
constexpr uint32_t kMaskLanes = 0xffffffffu;

// The pixels of a tile that count: [left, right) and [top, bottom), in pixels of the mask.
struct MaskCrop {
  int32_t left;
  int32_t top;
  int32_t right;
  int32_t bottom;
};

// The logits under them: where they are, from row to row, and which of the grid they are.
struct MaskRegion {
  const float* values;
  int32_t stride;
  int32_t first_column;
  int32_t first_row;
  int32_t columns;
  int32_t rows;
};

// A block's shared memory.
struct MaskTile {
  alignas(
      16) float share[kMaskTilePixels];  // Of each of the tile's pixel columns: what the logits on its right count, ...
  int32_t column[kMaskTilePixels];       // ... and those on its left.
  float logits[kMaskRegion];
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

__device__ inline float mask_sample_x(int32_t x, const MaskGeometry& g) {
  return mask_sample_at(x, g.scale_x, g.shift_x, g.first_column, g.last_column);
}

__device__ inline float mask_sample_y(int32_t y, const MaskGeometry& g) {
  return mask_sample_at(y, g.scale_y, g.shift_y, g.first_row, g.last_row);
}

// The first whole pixel at or behind a box's edge, within the mask.
__device__ inline int32_t mask_edge(float edge, int32_t limit) { return min(max(__float2int_ru(edge), 0), limit); }

__device__ inline MaskCrop mask_crop(const float4* boxes, int32_t mask, int32_t x, int32_t y, const MaskGeometry& g) {
  MaskCrop crop = {x, y, min(x + kMaskTilePixels, g.width), min(y + kMaskTileRows, g.height)};
  if (boxes == nullptr) return crop;
  const float4 box = __ldg(boxes + mask);
  crop.left = max(crop.left, mask_edge(box.x * g.crop_x, g.width));
  crop.top = max(crop.top, mask_edge(box.y * g.crop_y, g.height));
  crop.right = min(crop.right, mask_edge(box.z * g.crop_x, g.width));
  crop.bottom = min(crop.bottom, mask_edge(box.w * g.crop_y, g.height));
  return crop;
}

__device__ inline MaskRegion mask_region(const float* plane, const MaskCrop& crop, const MaskGeometry& g) {
  const int32_t column = static_cast<int32_t>(mask_sample_x(crop.left, g));
  const int32_t row = static_cast<int32_t>(mask_sample_y(crop.top, g));
  const int32_t last_column = min(static_cast<int32_t>(mask_sample_x(crop.right - 1, g)) + 1, g.last_column);
  const int32_t last_row = min(static_cast<int32_t>(mask_sample_y(crop.bottom - 1, g)) + 1, g.last_row);
  return {plane + row * g.grid_width + column, g.grid_width, column, row, last_column - column + 1, last_row - row + 1};
}

// Brings the region's logits to shared memory, where there is room for them.
__device__ inline void mask_stage(MaskTile* tile, MaskRegion* region, int32_t thread) {
  const int32_t count = region->columns * region->rows;
  if (count > kMaskRegion) return;
  for (int32_t i = thread; i < count; i += kMaskTileRows * kMaskTileWords) {
    tile->logits[i] = __ldg(region->values + i / region->columns * region->stride + i % region->columns);
  }
  region->values = tile->logits;
  region->stride = region->columns;
}

__device__ inline MaskRows mask_rows_at(const MaskRegion& region, int32_t y, const MaskGeometry& g) {
  const float position = mask_sample_y(y, g);
  const int32_t row = static_cast<int32_t>(position);
  return {region.values + (row - region.first_row) * region.stride,
          region.values + (min(row + 1, g.last_row) - region.first_row) * region.stride,
          position - static_cast<float>(row)};
}

__device__ inline float mask_column(const MaskRows& rows, int32_t column) {
  return (1.0f - rows.share) * rows.upper[column] + rows.share * rows.lower[column];
}

// 1: every logit under the warp's word is above 0, and so is what is blended of them; -1: none is; 0: they have to be blended.
// Numbers so great or so near to 0 that a blend of them could be another are among the latter.
__device__ inline int32_t mask_common_sign(const MaskTile& tile, const MaskRegion& region, int32_t first_pixel,
                                           int32_t lane, const MaskGeometry& g) {
  const int32_t first = tile.column[first_pixel] - region.first_column;
  const int32_t columns = min(tile.column[first_pixel + 31] + 1, g.last_column) - region.first_column - first + 1;
  bool all_above = true;
  bool none_above = true;
  for (int32_t i = lane; i < columns * region.rows; i += 32) {
    const float value = region.values[i / columns * region.stride + first + i % columns];
    all_above = all_above && value >= 1e-30f && value <= FLT_MAX;
    none_above = none_above && value <= 0.0f && value >= -FLT_MAX;
  }
  const bool above = __ballot_sync(kMaskLanes, all_above) == kMaskLanes;
  const bool below = __ballot_sync(kMaskLanes, none_above) == kMaskLanes;
  return above ? 1 : (below ? -1 : 0);
}

// Bits of a word's pixels whose blended logit is above 0. Bit b of `changes`: pixel b has other columns of logits than the one
// before.
__device__ inline uint32_t mask_bits(const MaskRows& rows, const MaskTile& tile, const MaskRegion& region,
                                     int32_t first_pixel, uint32_t changes, const MaskGeometry& g) {
  float left = 0.0f;
  float right = 0.0f;
  uint32_t bits = 0;
  for (int32_t first = 0; first < 32; first += 8) {
    const float4 low = *reinterpret_cast<const float4*>(tile.share + first_pixel + first);
    const float4 high = *reinterpret_cast<const float4*>(tile.share + first_pixel + first + 4);
    const float shares[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    const uint32_t changing = changes >> first;
    uint32_t byte = 0;
#pragma unroll
    for (int32_t i = 0; i < 8; ++i) {
      if ((changing & (1u << i)) != 0) {
        const int32_t at = tile.column[first_pixel + first + i];
        left = mask_column(rows, at - region.first_column);
        right = mask_column(rows, min(at + 1, g.last_column) - region.first_column);
      }
      const float value = (1.0f - shares[i]) * left + shares[i] * right;
      byte |= value > 0.0f ? 1u << i : 0u;
    }
    bits |= byte << first;
  }
  return bits;
}

// The pixels of the warp's word in this lane's row as bits.
__device__ inline uint32_t mask_word(const MaskTile& tile, const MaskRegion& region, const MaskCrop& crop, int32_t x,
                                     int32_t y, int32_t first_pixel, int32_t lane, const MaskGeometry& g) {
  const int32_t begin = max(crop.left - x, 0);
  const int32_t end = min(crop.right - x, 32);
  if (begin >= end) return 0;  // The whole warp.
  const int32_t column = tile.column[first_pixel + lane];
  const uint32_t changes =
      __ballot_sync(kMaskLanes, lane == 0 || column != tile.column[first_pixel + max(lane, 1) - 1]);
  const int32_t sign = mask_common_sign(tile, region, first_pixel, lane, g);
  const uint32_t covered = (0xFFFFFFFFu >> (32 - (end - begin))) << begin;
  if (y < crop.top || y >= crop.bottom) return 0;
  if (sign != 0) return sign > 0 ? covered : 0u;
  return mask_bits(mask_rows_at(region, y, g), tile, region, first_pixel, changes, g) & covered;
}

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
  const int32_t lane = static_cast<int32_t>(threadIdx.x);
  const int32_t thread = static_cast<int32_t>(threadIdx.y * blockDim.x) + lane;
  const int32_t first_word = static_cast<int32_t>(blockIdx.x) * kMaskTileWords;
  const int32_t first_row = static_cast<int32_t>(blockIdx.y) * kMaskTileRows;
  const MaskCrop crop = mask_crop(crop_boxes, mask, first_word * 32, first_row, g);
  uint32_t bits = 0;
  if (crop.left < crop.right && crop.top < crop.bottom) {  // All threads or none.
    const int32_t plane = planes == nullptr ? mask : __ldg(planes + mask);
    MaskRegion region = mask_region(logits + static_cast<int64_t>(plane) * g.grid_width * g.grid_height, crop, g);
    mask_stage(&tile, &region, thread);
    // Pixels that do not count look where the nearest one that does looks: there are logits.
    const float position = mask_sample_x(min(max(first_word * 32 + thread, crop.left), crop.right - 1), g);
    const int32_t column = static_cast<int32_t>(position);
    tile.column[thread] = column;
    tile.share[thread] = position - static_cast<float>(column);
    __syncthreads();
    const int32_t first_pixel = static_cast<int32_t>(threadIdx.y) * 32;
    bits = mask_word(tile, region, crop, first_word * 32 + first_pixel, first_row + lane, first_pixel, lane, g);
  }
  tile.words[threadIdx.x][threadIdx.y] = bits;
  __syncthreads();
  const int32_t row = first_row + thread / kMaskTileWords;
  const int32_t word = first_word + thread % kMaskTileWords;
  if (row >= g.height || word >= g.words_per_row) return;
  words[static_cast<int64_t>(mask) * g.words_per_row * g.height + row * g.words_per_row + word] =
      tile.words[thread / kMaskTileWords][thread % kMaskTileWords];
}
