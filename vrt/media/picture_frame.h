// Internal (not installed): from an ImageView to the frame that an encoder takes.
#pragma once

#include "vrt/media/swscale.h"

namespace vrt::detail {

/// Throws kInvalidArgument unless `picture` is valid and in host memory.
void require_host_picture(const ImageView& picture);

/// Turns host pictures of one size into an encoder's frames. Keeps its scratch from picture to picture.
class FrameMaker {
 public:
  /// Sides that are odd are made even, the last column or row repeated, if `even` (4:2:0 encoders ask for it).
  enum class Sides { kAny, kEven };

  /// The result lives until the next call and may refer to the picture's memory.
  [[nodiscard]] const AVFrame& make(const ImageView& picture, Sides sides, AVPixelFormat format, SwsColor color);

 private:
  [[nodiscard]] const AVFrame& padded(const ImageView& picture);

  FramePtr view_;
  FramePtr padded_;
  SwsConverter converter_;
};

}  // namespace vrt::detail
