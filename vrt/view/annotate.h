// Drawing of results onto a picture, for people to look at. Host only.
//
//   vrt::Canvas canvas;
//   canvas.set(frame.host_image());
//   canvas.draw(faces.detections());
//   writer.write(canvas.view(), frame.time());
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/image/image.h"
#include "vrt/scene/detection.h"

namespace vrt {

/// A drawable copy of a picture, RGB8 in host memory. Small pictures are enlarged by a whole factor, so that lines and text
/// are legible. Reuses its memory from frame to frame. Used from one thread.
class VRT_API Canvas {
 public:
  /// The factor by which pictures of this size are enlarged: the least that makes the shorter side at least 360 pixels, as
  /// far as the longer one stays within 1280. At least 1.
  [[nodiscard]] static std::int32_t enlargement_for(Size picture) noexcept;

  /// Replaces the content by a host picture of any format. Throws kInvalidArgument for an invalid view or one of another
  /// device.
  void set(const ImageView& picture);
  /// Draws boxes, labels with scores, and keypoints, given in the picture's own pixels; what lies outside is cut off, labels
  /// are moved inside. Keypoints of confidence 0 are left out.
  void draw(std::span<const Detection> detections);
  /// The result; valid until the next `set`.
  [[nodiscard]] ImageView view() const noexcept;

 private:
  Size size_;  ///< Of the enlarged picture.
  std::int32_t enlargement_ = 1;
  std::vector<std::uint8_t> original_;  ///< The picture in RGB8 before it is enlarged; unused at factor 1.
  std::vector<std::uint8_t> rows_;      ///< Scratch of the colour conversion.
  std::vector<std::uint8_t> pixels_;
};

/// The library that draws and its version, e.g. "OpenCV 4.6.0".
[[nodiscard]] VRT_API std::string drawing_library();

}  // namespace vrt
