// Internal (not installed): what readers hand to the ring.
#pragma once

#include <string>

#include "vrt/media/ffmpeg.h"
#include "vrt/media/frame_pixels.h"

namespace vrt::detail {

/// One decoded frame, not yet upright.
struct DecodedFrame {
  FramePtr pixels;
  Orientation orientation;
  ColorHints hints;
  double time = 0;     ///< Seconds from the start; 0 for pictures.
  std::string source;  ///< As the user named it.
};

}  // namespace vrt::detail
