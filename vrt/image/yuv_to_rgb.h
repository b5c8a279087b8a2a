// Internal (not installed): how YUV becomes RGB, in exact numbers; preprocessing and drawing round them to fixed point, each its own.
#pragma once

#include "vrt/base/export.h"
#include "vrt/image/image.h"

namespace vrt::detail {

/// R = luma (Y - luma_offset) + red_cr (Cr - 128), and so on.
struct YuvToRgb {
  int luma_offset = 0;
  double luma = 1;
  double red_cr = 0;
  double green_cb = 0;
  double green_cr = 0;
  double blue_cb = 0;
};

[[nodiscard]] VRT_API YuvToRgb yuv_to_rgb(ColorSpace color);

}  // namespace vrt::detail
