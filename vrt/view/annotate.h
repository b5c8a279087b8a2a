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
#include "vrt/scene/depth_map.h"
#include "vrt/scene/detection.h"
#include "vrt/scene/mask.h"

namespace vrt {

namespace detail {
enum class DepthScale : std::int32_t;
}  // namespace detail

/// A drawable copy of a picture, RGB8 in host memory. Small pictures are enlarged by a whole factor, so that lines and text
/// are legible; what is drawn is enlarged with them. Reuses its memory from frame to frame. Used from one thread.
///
/// Everything that draws takes coordinates in the picture's own pixels, cuts off what lies outside, and throws kInvalidArgument before
/// the first `set`. Colours go with the class id, the same in every frame.
class VRT_API Canvas {
 public:
  /// The factor by which pictures of this size are enlarged: the least that makes the shorter side at least 360 pixels, as
  /// far as the longer one stays within 1280. At least 1.
  [[nodiscard]] static std::int32_t enlargement_for(Size picture) noexcept;

  /// Replaces the content by a host picture of any format. Throws kInvalidArgument for an invalid view or one of another
  /// device.
  void set(const ImageView& picture);
  /// Draws boxes, labels with scores, and keypoints; labels are moved inside. Keypoints of confidence 0 are left out. The 17
  /// keypoints of a person (no label, or "person") are joined by COCO's limbs where both ends have a confidence of 0.25 at least.
  /// `masks` belong to the first detections and are laid under all boxes, translucent with an outline. Throws kInvalidArgument
  /// for more masks than detections and for masks of another size than the picture's.
  void draw(std::span<const Detection> detections, std::span<const MaskView> masks = {});
  /// Draws a dot for each point of confidence above 0.
  void draw_features(std::span<const Keypoint> points);
  /// Writes lines in the upper left corner, below those that were written since `set`.
  void write(std::span<const std::string> lines);
  /// Adds a panel of the picture's size with the map in colours, the nearest red and the farthest blue, black where nothing is known:
  /// below a wide or square picture, to the right of a high one, behind the panels that are there. Its corner says from how many
  /// metres to how many. Throws kInvalidArgument for a map without a value for each of its pixels.
  void add_depth(const DepthMapView& map);
  /// The same of relative depth; its corner says nothing.
  void add_depth(const RelativeDepthMapView& map);
  /// The result, panels included; valid until the next call that changes it.
  [[nodiscard]] ImageView view() const noexcept;

 private:
  [[nodiscard]] std::size_t pitch_bytes() const noexcept { return static_cast<std::size_t>(whole_.width) * 3; }
  void require_picture() const;
  void draw_masks(std::span<const Detection> detections, std::span<const MaskView> masks);
  [[nodiscard]] std::uint8_t* add_panel();
  void add_panel_of(std::span<const float> values, Size map, detail::DepthScale scale);

  Size picture_;  ///< As it was given.
  Size size_;     ///< Of the enlarged picture.
  Size whole_;    ///< With panels.
  std::int32_t enlargement_ = 1;
  std::int32_t text_bottom_ = 0;        ///< Where the next line of text begins.
  std::vector<std::uint8_t> original_;  ///< The picture or a map in RGB8 before it is enlarged.
  std::vector<std::uint8_t> rows_;      ///< Scratch of the colour conversion.
  std::vector<std::uint8_t> pixels_;    ///< May be larger than what is in use.
};

/// The library that draws and its version, e.g. "OpenCV 4.6.0".
[[nodiscard]] VRT_API std::string drawing_library();

}  // namespace vrt
