// How a source picture is mapped onto a network's input, and exactly back.
//
// Pixel centres are at half-integers: u_source = (u_target + 0.5) * scale - 0.5. Forward and inverse share one set of
// integers (the region of the target that the picture fills, the region of the source that is used).
#pragma once

#include <cstdint>

#include "vrt/base/export.h"
#include "vrt/image/image.h"

namespace vrt {

/// How a source's shape becomes the target's.
enum class ResizeMode : std::int32_t {
  kStretch,    ///< The whole source fills the whole target; the aspect ratio is not kept.
  kLetterbox,  ///< The whole source, aspect kept, padded to the target.
  kCrop,  ///< The target is filled, aspect kept; what sticks out of the source is cut off evenly. As a crop box: at its
          ///< edges the filter still sees the picture's pixels beyond.
};

/// Where a letterbox puts its padding.
enum class PadPosition : std::int32_t {
  kCenter,       ///< Half the padding (rounded down) before, the rest behind.
  kBottomRight,  ///< The picture starts at the top left.
};

/// A rectangle of whole pixels.
struct Region {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t width = 0;
  std::int32_t height = 0;
  friend bool operator==(const Region&, const Region&) = default;
};

/// A point in pixel coordinates, (0, 0) being the outer corner of the first pixel.
struct PointF {
  float x = 0;
  float y = 0;
};

/// The mapping between a source picture and a target. `used` (of the source) is scaled onto `filled` (of the target).
struct VRT_API ResizeMapping {
  Size source;
  Size target;
  Region used;
  Region filled;

  /// Throws kInvalidArgument for an empty source or target.
  [[nodiscard]] static ResizeMapping make(ResizeMode mode, Size source, Size target,
                                          PadPosition pad = PadPosition::kCenter);

  /// Source pixels for each target pixel, per axis.
  [[nodiscard]] double scale_x() const noexcept { return double(used.width) / filled.width; }
  [[nodiscard]] double scale_y() const noexcept { return double(used.height) / filled.height; }
  /// Corner coordinates (as of boxes), source to target and back; not clipped.
  [[nodiscard]] PointF to_target(PointF source_point) const noexcept;
  [[nodiscard]] PointF to_source(PointF target_point) const noexcept;
};

}  // namespace vrt
