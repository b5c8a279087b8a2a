// Internal (not installed): from a decoder's frame to a packed, upright picture of one of vrt's formats.
#pragma once

#include <cstdint>

#include "vrt/media/orientation.h"
#include "vrt/media/swscale.h"

namespace vrt::detail {

/// What the reader knows of a frame's colours beyond the frame itself.
struct ColorHints {
  bool is_picture = false;                    ///< A still picture, not a video.
  YuvMatrix unspecified = YuvMatrix::kBt601;  ///< What YUV without a stated matrix means.
};

/// How a frame is delivered.
struct Delivery {
  PixelFormat format = PixelFormat::kI420;
  ColorSpace color;
  bool converts = false;  ///< By swscale; else the planes are copied.
  SwsColor source_color;  ///< For the conversion.
  SwsColor target_color;
};

/// Straight: yuv420p and yuva420p as I420, nv12, rgb24, bgr24, rgba, grey of full range. Everything else is converted: YUV of
/// a video with a BT.601 or BT.709 matrix and grey of limited range to I420 with matrix and range kept, the rest to RGB8.
/// Alpha is ignored: the stored colours count, however transparent. Throws kUnsupported for a matrix FFmpeg cannot convert.
[[nodiscard]] Delivery delivery_of(const AVFrame& frame, ColorHints hints);

/// Writes pictures into memory of the caller. Keeps scratch from frame to frame.
class PixelWriter {
 public:
  /// Writes `frame` packed (ImageView::packed) and upright to `to`, packed_bytes of the upright size. Where a side that is
  /// mirrored is odd, chroma moves by half a chroma sample.
  void write(const AVFrame& frame, const Delivery& delivery, Orientation orientation, std::uint8_t* to);

 private:
  SwsConverter converter_;
};

}  // namespace vrt::detail
