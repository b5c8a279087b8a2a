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

// A tile: a warp has a column of words and goes through it 32 rows at a time, a lane a row, so that the lanes of a warp blend the
// same columns of logits, and that outlines, which cost the most, cross few warps at a time.
constexpr int32_t kMaskTileRows = 128;
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

// Brings the region's logits to shared memory, where there is room for them. A warp a row.
__device__ inline void mask_stage(MaskTile* tile, MaskRegion* region, int32_t warp, int32_t lane) {
  if (region->columns * region->rows > kMaskRegion) return;
  for (int32_t row = warp; row < region->rows; row += kMaskTileWords) {
    for (int32_t column = lane; column < region->columns; column += 32) {
      tile->logits[row * region->columns + column] = __ldg(region->values + row * region->stride + column);
    }
  }
  region->values = tile->logits;
  region->stride = region->columns;
}

__device__ inline float mask_column(const MaskRows& rows, int32_t column) {
  return (1.0f - rows.share) * rows.upper[column] + rows.share * rows.lower[column];
}

// The columns of logits under the pixels of a warp's word.
struct MaskColumns {
  int32_t first_pixel;  // In the tile.
  int32_t first;        // In the region.
  int32_t count;
  uint32_t changes;       // Bit b: pixel b has other columns than the one before.
  int32_t x;              // The first pixel in the mask.
  float pixels;           // From one column to the next one.
  bool cross_where_seen;  // Whether mask_crossing is off by less than a pixel.
  int32_t sign;           // mask_sign_of_row of the region's row of the lane's number.
};

__device__ inline MaskColumns mask_columns(const MaskTile& tile, const MaskRegion& region, int32_t x,
                                           int32_t first_pixel, int32_t lane, const MaskGeometry& g) {
  const int32_t own = tile.column[first_pixel + lane];
  const int32_t first = tile.column[first_pixel];
  const int32_t last = min(tile.column[first_pixel + 31] + 1, g.last_column);
  const bool changes = lane == 0 || own != tile.column[first_pixel + max(lane, 1) - 1];
  // Positions on the grid are right to 1e-4 up to 1024 columns; that is far less than a pixel, of which 128 lie on a column at most.
  const bool fine = g.scale_x >= 1.0f / 128 && g.scale_x <= 0.25f && g.last_column <= 1024;
  return {first_pixel,
          first - region.first_column,
          last - first + 1,
          __ballot_sync(kMaskLanes, changes),
          x + first_pixel,
          1.0f / g.scale_x,
          fine,
          0};
}

// Of the region's row `row` under the warp's word: 1: every logit is above 0, and so is what is blended of such rows; -1: none is; 0: pixels
// have to be blended. Rows with numbers so great or so near to 0 that a blend of them could be another are among the latter.
__device__ inline int32_t mask_sign_of_row(const MaskRegion& region, const MaskColumns& columns, int32_t row) {
  bool all_above = row < region.rows;
  bool none_above = all_above;
  for (int32_t column = 0; column < columns.count && (all_above || none_above); ++column) {
    const float value = region.values[row * region.stride + columns.first + column];
    all_above = all_above && value >= 1e-30f && value <= FLT_MAX;
    none_above = none_above && value <= 0.0f && value >= -FLT_MAX;
  }
  return all_above ? 1 : (none_above ? -1 : 0);
}

// Whether a pixel's blended logit is above 0.
__device__ inline bool mask_is_above(float share, float left, float right) {
  return (1.0f - share) * left + share * right > 0.0f;
}

// Bits of a word's pixels that are above 0, one by one.
__device__ inline uint32_t mask_bits(const MaskRows& rows, const MaskTile& tile, const MaskRegion& region,
                                     const MaskColumns& columns, const MaskGeometry& g) {
  float left = 0.0f;
  float right = 0.0f;
  uint32_t bits = 0;
  for (int32_t first = 0; first < 32; first += 8) {
    const float4 low = *reinterpret_cast<const float4*>(tile.share + columns.first_pixel + first);
    const float4 high = *reinterpret_cast<const float4*>(tile.share + columns.first_pixel + first + 4);
    const float shares[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    const uint32_t changing = columns.changes >> first;
    uint32_t byte = 0;
#pragma unroll
    for (int32_t i = 0; i < 8; ++i) {
      if ((changing & (1u << i)) != 0) {
        const int32_t at = tile.column[columns.first_pixel + first + i];
        left = mask_column(rows, at - region.first_column);
        right = mask_column(rows, min(at + 1, g.last_column) - region.first_column);
      }
      byte |= mask_is_above(shares[i], left, right) ? 1u << i : 0u;
    }
    bits |= byte << first;
  }
  return bits;
}

// Neighbouring pixels of a word, [first, end), that are blended of the same two columns.
struct MaskRun {
  int32_t first, end, column;
  float left, right;
};

// Neither so great nor so near to 0 that the sign of a blend could be another than that of the exact one far from where that is 0.
__device__ inline bool mask_is_ordinary(float logit) {
  const float size = fabsf(logit);
  return size <= 1e30f && (size >= 1e-30f || size == 0.0f);
}

// The last pixel before the line from the left logit to the right one is 0; those far outside the run are cut to near it.
__device__ inline int32_t mask_crossing(const MaskRun& run, const MaskColumns& columns, const MaskGeometry& g) {
  const float column = static_cast<float>(run.column) + run.left / (run.left - run.right);
  const float pixel = (column - g.shift_x) * columns.pixels - 0.5f - static_cast<float>(columns.x);
  return min(max(static_cast<int32_t>(floorf(pixel)), run.first - 2), run.end);
}

// Bits of a run's pixels. Where both logits have one sign, all pixels have it. Else only the two pixels beside the crossing are blended:
// all others are at least nearly a pixel away from it, and rounding is much finer than that.
__device__ inline uint32_t mask_run_bits(const MaskRun& run, const MaskColumns& columns, const float* shares,
                                         const MaskGeometry& g) {
  const uint32_t all = (0xFFFFFFFFu >> (32 - (run.end - run.first))) << run.first;
  const bool left_above = run.left > 0.0f;
  const bool right_above = run.right > 0.0f;
  if (left_above == right_above) return left_above ? all : 0u;
  const int32_t crossing = mask_crossing(run, columns, g);
  const int32_t one = min(max(crossing, run.first), run.end - 1);
  const int32_t other = min(max(crossing + 1, run.first), run.end - 1);
  const uint32_t before = (1u << one) - 1u;
  const uint32_t behind = 0xFFFFFFFEu << other;
  uint32_t bits = all & ((left_above ? before : 0u) | (right_above ? behind : 0u));
  bits |= mask_is_above(shares[one], run.left, run.right) ? 1u << one : 0u;
  bits |= mask_is_above(shares[other], run.left, run.right) ? 1u << other : 0u;
  return bits;
}

// As mask_bits, run by run.
__device__ inline uint32_t mask_bits_of_runs(const MaskRows& rows, const MaskTile& tile, const MaskRegion& region,
                                             const MaskColumns& columns, const MaskGeometry& g) {
  uint32_t bits = 0;
  uint32_t begins = columns.changes;
  int32_t known = -1;  // The column whose logit is `run.right`.
  MaskRun run = {};
#pragma unroll 1
  while (begins != 0) {
    run.first = __ffs(static_cast<int32_t>(begins)) - 1;
    begins &= begins - 1;
    run.end = begins != 0 ? __ffs(static_cast<int32_t>(begins)) - 1 : 32;
    run.column = tile.column[columns.first_pixel + run.first];
    run.left = run.column == known ? run.right : mask_column(rows, run.column - region.first_column);
    known = min(run.column + 1, g.last_column);
    run.right = mask_column(rows, known - region.first_column);
    if (!mask_is_ordinary(run.left) || !mask_is_ordinary(run.right)) return mask_bits(rows, tile, region, columns, g);
    bits |= mask_run_bits(run, columns, tile.share + columns.first_pixel, g);
  }
  return bits;
}

// The pixels of the warp's word in this lane's row as bits. `covered` are those that count, in the rows of the crop.
__device__ inline uint32_t mask_word(const MaskTile& tile, const MaskRegion& region, const MaskColumns& columns,
                                     const MaskCrop& crop, uint32_t covered, int32_t y, const MaskGeometry& g) {
  // Rows that do not count look where the nearest one that does looks: there are logits.
  const float position = mask_sample_y(min(max(y, crop.top), crop.bottom - 1), g);
  const int32_t row = static_cast<int32_t>(position);
  const int32_t upper = row - region.first_row;
  const int32_t lower = min(row + 1, g.last_row) - region.first_row;
  const int32_t sign_above = __shfl_sync(kMaskLanes, columns.sign, min(upper, 31));
  const int32_t sign_below = __shfl_sync(kMaskLanes, columns.sign, min(lower, 31));
  const int32_t sign = sign_above == sign_below && lower < 32 ? sign_above : 0;
  if (y < crop.top || y >= crop.bottom) return 0;
  if (sign != 0) return sign > 0 ? covered : 0u;
  const MaskRows rows = {region.values + upper * region.stride, region.values + lower * region.stride,
                         position - static_cast<float>(row)};
  const bool by_runs = columns.cross_where_seen;  // All threads or none.
  return covered &
         (by_runs ? mask_bits_of_runs(rows, tile, region, columns, g) : mask_bits(rows, tile, region, columns, g));
}

// A warp's column of words, to tile->words.
__device__ inline void mask_words(MaskTile* tile, const MaskRegion& region, const MaskColumns& columns,
                                  const MaskCrop& crop, uint32_t covered, int32_t y, int32_t warp, int32_t lane,
                                  const MaskGeometry& g) {
#pragma unroll 1
  for (int32_t row = lane; row < kMaskTileRows && covered != 0; row += 32) {
    tile->words[row][warp] = mask_word(*tile, region, columns, crop, covered, y + row, g);
  }
}

// The words of a tile of which some pixel counts, to tile->words.
__device__ inline void mask_blend(MaskTile* tile, const float* plane, const MaskCrop& crop, int32_t x, int32_t y,
                                  int32_t warp, int32_t lane, const MaskGeometry& g) {
  MaskRegion region = mask_region(plane, crop, g);
  mask_stage(tile, &region, warp, lane);
  // Pixels that do not count look where the nearest one that does looks, too.
  const int32_t pixel = warp * 32 + lane;
  const float position = mask_sample_x(min(max(x + pixel, crop.left), crop.right - 1), g);
  const int32_t column = static_cast<int32_t>(position);
  tile->column[pixel] = column;
  tile->share[pixel] = position - static_cast<float>(column);
  __syncthreads();
  const int32_t begin = max(crop.left - x - warp * 32, 0);
  const int32_t end = min(crop.right - x - warp * 32, 32);
  const uint32_t covered = begin < end ? (0xFFFFFFFFu >> (32 - (end - begin))) << begin : 0u;
  MaskColumns columns = mask_columns(*tile, region, x, warp * 32, lane, g);
  if (covered != 0) columns.sign = mask_sign_of_row(region, columns, lane);
  if (region.values == tile->logits) {
    region.values = tile->logits;  // Says to the compiler that they are in shared memory, whose loads cost less.
    return mask_words(tile, region, columns, crop, covered, y, warp, lane, g);
  }
  mask_words(tile, region, columns, crop, covered, y, warp, lane, g);
}

// Tiles along x and y, masks along z; the block has 32 by kMaskTileWords threads. Mask i is made of the plane planes[i] of `logits`,
// or of plane i where `planes` is null. With `crop_boxes` (pixels of the picture), pixel x counts only if x1 <= x < x2, and so for
// y. Masks from `*count` on are left as they are. Bits behind a row's last pixel are 0.
extern "C" __global__ void __launch_bounds__(256)
    upsample_masks(const float* __restrict__ logits, const int32_t* __restrict__ planes,
                   const int32_t* __restrict__ count, const float4* __restrict__ crop_boxes, MaskGeometry g,
                   uint32_t* __restrict__ words) {
  __shared__ MaskTile tile;
  const int32_t mask = static_cast<int32_t>(blockIdx.z);
  if (mask >= __ldg(count)) return;
  const int32_t lane = static_cast<int32_t>(threadIdx.x);
  const int32_t warp = static_cast<int32_t>(threadIdx.y);
  const int32_t first_word = static_cast<int32_t>(blockIdx.x) * kMaskTileWords;
  const int32_t first_row = static_cast<int32_t>(blockIdx.y) * kMaskTileRows;
  const MaskCrop crop = mask_crop(crop_boxes, mask, first_word * 32, first_row, g);
  const bool counts = crop.left < crop.right && crop.top < crop.bottom;  // All threads or none.
  for (int32_t row = lane; row < kMaskTileRows; row += 32) tile.words[row][warp] = 0;
  if (counts) {
    const int64_t plane = planes == nullptr ? mask : __ldg(planes + mask);
    mask_blend(&tile, logits + plane * g.grid_width * g.grid_height, crop, first_word * 32, first_row, warp, lane, g);
  }
  __syncthreads();
  const int32_t column = lane % kMaskTileWords;
  if (first_word + column >= g.words_per_row) return;
  const int32_t rows = min(kMaskTileRows, g.height - first_row);
  uint32_t* const to = words + (static_cast<int64_t>(mask) * g.height + first_row) * g.words_per_row + first_word;
  for (int32_t row = warp * 4 + lane / kMaskTileWords; row < rows; row += 4 * kMaskTileWords) {
    to[row * g.words_per_row + column] = tile.words[row][column];
  }
}
