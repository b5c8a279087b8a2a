// Internal (not installed): the orientation that PNG and TIFF files carry, which FFmpeg's decoders do not all hand on.
#pragma once

#include <cstdint>
#include <span>

#include "vrt/media/orientation.h"
#include "vrt/media/picture_kind.h"

namespace vrt::detail {

/// The orientation in a TIFF structure (TIFF 6.0, section 2, tag 0x0112 of the first directory), as EXIF and TIFF files have
/// it; upright if there is none, or the structure is damaged.
[[nodiscard]] Orientation orientation_of_tiff(std::span<const std::uint8_t> bytes) noexcept;

/// The orientation in a whole PNG (its eXIf chunk) or TIFF file; upright for every other kind.
[[nodiscard]] Orientation orientation_of_file(const PictureKind& kind, std::span<const std::uint8_t> file) noexcept;

}  // namespace vrt::detail
