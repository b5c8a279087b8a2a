#include "vrt/image/yuv_to_rgb.h"

namespace vrt::detail {

// ITU-R BT.601-7 and BT.709-6: luma is kr R + kg G + kb B, from which green follows; limited range has 219 steps of luma and 224 of
// chroma.
YuvToRgb yuv_to_rgb(ColorSpace color) {
  const bool is_601 = color.matrix == YuvMatrix::kBt601;
  const double kr = is_601 ? 0.299 : 0.2126;
  const double kb = is_601 ? 0.114 : 0.0722;
  const double kg = 1 - kr - kb;
  const bool is_limited = color.range == YuvRange::kLimited;
  const double chroma = is_limited ? 255.0 / 224 : 1;
  return {.luma_offset = is_limited ? 16 : 0,
          .luma = is_limited ? 255.0 / 219 : 1,
          .red_cr = 2 * (1 - kr) * chroma,
          .green_cb = -2 * (1 - kb) * kb / kg * chroma,
          .green_cr = -2 * (1 - kr) * kr / kg * chroma,
          .blue_cb = 2 * (1 - kb) * chroma};
}

}  // namespace vrt::detail
