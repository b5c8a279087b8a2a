// Instance masks from logits on a coarse grid: blended bilinearly to any size, then thresholded at 0, as bits. No barriers.
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
VRT_SHARED_TYPES_END

constexpr int32_t kMostShortcutColumns =
    12;  // Columns under a word's pixels, beyond which they are not looked over first.

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

// Bits of the pixels [begin, end) of a word whose blended logit is above 0. The pixels' columns only rise.
__device__ inline uint32_t mask_bits(const MaskRows& rows, int32_t first_pixel, int32_t begin, int32_t end,
                                     const MaskGeometry& g) {
  int32_t column = -1;
  float left = 0.0f;
  float right = 0.0f;
  uint32_t bits = 0;
  for (int32_t bit = begin; bit < end; ++bit) {
    const float position = mask_sample_at(first_pixel + bit, g.scale_x, g.shift_x, g.first_column, g.last_column);
    const int32_t at = static_cast<int32_t>(position);
    if (at != column) {
      left = at == column + 1 && column >= 0 ? right : mask_column(rows, at);
      right = mask_column(rows, min(at + 1, g.last_column));
      column = at;
    }
    const float share = position - static_cast<float>(at);
    const float value = (1.0f - share) * left + share * right;
    bits |= static_cast<uint32_t>(value > 0.0f) << bit;
  }
  return bits;
}

// 1: every logit under the pixels is above 0, and so is what is blended of them; -1: none is; 0: they have to be blended.
__device__ inline int32_t mask_common_sign(const MaskRows& rows, int32_t first_pixel, int32_t begin, int32_t end,
                                           const MaskGeometry& g) {
  const float from = mask_sample_at(first_pixel + begin, g.scale_x, g.shift_x, g.first_column, g.last_column);
  const float to = mask_sample_at(first_pixel + end - 1, g.scale_x, g.shift_x, g.first_column, g.last_column);
  const int32_t first = static_cast<int32_t>(from);
  const int32_t last = min(static_cast<int32_t>(to) + 1, g.last_column);
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

// The first whole pixel at or behind a box's edge, within the mask.
__device__ inline int32_t mask_edge(float edge, int32_t limit) { return min(max(__float2int_ru(edge), 0), limit); }

// One thread a word of a mask: words along x, masks along y. Mask i is made of the plane planes[i] of `logits`, or of plane i
// where `planes` is null. With `crop_boxes` (pixels of the picture), pixel x counts only if x1 <= x < x2, and so for y.
// Masks from `*count` on are left as they are. Bits behind a row's last pixel are 0.
extern "C" __global__ void upsample_masks(const float* __restrict__ logits, const int32_t* __restrict__ planes,
                                          const int32_t* __restrict__ count, const float4* __restrict__ crop_boxes,
                                          MaskGeometry g, uint32_t* __restrict__ words) {
  const int32_t mask = static_cast<int32_t>(blockIdx.y);
  const int32_t index = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (index >= g.words_per_row * g.height || mask >= __ldg(count)) return;
  const int32_t y = index / g.words_per_row;
  const int32_t first_pixel = index % g.words_per_row * 32;
  int32_t begin = 0;
  int32_t end = min(32, g.width - first_pixel);
  if (crop_boxes != nullptr) {
    const float4 box = __ldg(crop_boxes + mask);
    begin = max(begin, mask_edge(box.x * g.crop_x, g.width) - first_pixel);
    end = min(end, mask_edge(box.z * g.crop_x, g.width) - first_pixel);
    if (y < mask_edge(box.y * g.crop_y, g.height) || y >= mask_edge(box.w * g.crop_y, g.height)) end = begin;
  }
  uint32_t bits = 0;
  if (begin < end) {
    const int32_t plane = planes == nullptr ? mask : __ldg(planes + mask);
    const int64_t first = static_cast<int64_t>(plane) * g.grid_width * g.grid_height;
    const MaskRows rows = mask_rows_at(logits + first, y, g);
    const int32_t sign = mask_common_sign(rows, first_pixel, begin, end, g);
    const uint32_t covered = (0xFFFFFFFFu >> (32 - (end - begin))) << begin;
    bits = sign > 0 ? covered : (sign < 0 ? 0u : mask_bits(rows, first_pixel, begin, end, g));
  }
  words[static_cast<int64_t>(mask) * g.words_per_row * g.height + index] = bits;
}
