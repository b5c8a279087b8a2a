// Internal (not installed): one conversion of FFmpeg's swscale with the colour matrix and range named.
#pragma once

#include "vrt/media/ffmpeg.h"

namespace vrt::detail {

/// How samples stand for colours: one of swscale's SWS_CS_… matrices and the range. RGB: limited, matrix without effect.
struct SwsColor {
  int matrix = SWS_CS_ITU709;
  YuvRange range = YuvRange::kLimited;
};

[[nodiscard]] SwsColor sws_color(ColorSpace color) noexcept;

/// The same layout without the "j" that once meant full range, which swscale warns about.
[[nodiscard]] AVPixelFormat without_j(AVPixelFormat format) noexcept;

/// Converts frames, sizes unchanged; keeps its tables and its result's memory from frame to frame.
class SwsConverter {
 public:
  /// The result lives until the next call. Throws kUnsupported for a layout that swscale cannot read.
  [[nodiscard]] const AVFrame& convert(const AVFrame& from, SwsColor from_color, AVPixelFormat format, SwsColor color);

 private:
  ScalerPtr scaler_;
  FramePtr result_;
};

}  // namespace vrt::detail
