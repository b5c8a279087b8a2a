// Internal (not installed): turns pictures upright.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "vrt/image/image.h"

struct AVFrame;

namespace vrt::detail {

/// Where the pixel (x, y) of the upright picture lies in the stored one, W×H: at (x, y), or at (y, x) if `transposed`; then
/// the stored column counts from the right if `flip_x`, the stored row from the bottom if `flip_y`.
struct Orientation {
  bool transposed = false;
  bool flip_x = false;
  bool flip_y = false;
  friend bool operator==(const Orientation&, const Orientation&) = default;
};

/// The eight values of EXIF 2.32, tag 0x0112; any other value means upright.
[[nodiscard]] Orientation orientation_of_exif(long value) noexcept;

/// From a display matrix as FFmpeg and ISO 14496-12 have it (nine integers, row vectors); the nearest of the eight.
[[nodiscard]] Orientation orientation_of_matrix(const std::int32_t* matrix) noexcept;

/// What a decoded frame says of itself, EXIF first; upright if nothing.
[[nodiscard]] Orientation orientation_of_frame(const AVFrame& frame) noexcept;

/// The picture's size when upright.
[[nodiscard]] Size upright_size(Size stored, Orientation orientation) noexcept;

/// One plane of elements of 1 to 4 bytes; pitches in bytes, `from`'s may be negative.
struct StoredPlane {
  const std::uint8_t* data = nullptr;
  std::ptrdiff_t pitch = 0;
  Size size;
  int element_bytes = 1;
};

/// Copies a plane upright to `to`, whose rows are `to_pitch` bytes apart.
void copy_upright(const StoredPlane& from, Orientation orientation, std::uint8_t* to, std::size_t to_pitch);

}  // namespace vrt::detail
