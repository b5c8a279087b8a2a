// Drawing of results onto a picture, for people to look at. Host only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/image/image.h"
#include "vrt/scene/detection.h"

namespace vrt {

/// A drawable copy of a picture, RGB8 in host memory. Small pictures are enlarged by a whole factor, so that lines and text
/// are legible. Reuses its memory from frame to frame. Used from one thread.
class VRT_API Canvas {
 public:
  /// The factor by which pictures of this size are enlarged: the least that makes the shorter side at least 360 pixels.
  [[nodiscard]] static std::int32_t enlargement_for(Size picture) noexcept;

  /// Replaces the content by a host picture of any format.
  void set(const ImageView& picture);
  /// Draws boxes, scores, labels and keypoints given in the picture's own pixels.
  void draw(std::span<const Detection> detections);
  /// The result; valid until the next `set`.
  [[nodiscard]] ImageView view() const noexcept;

 private:
  Size size_;
  std::int32_t enlargement_ = 1;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace vrt
