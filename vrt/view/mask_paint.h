// Internal (not installed): masks painted onto RGB8 pixels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "vrt/image/image.h"
#include "vrt/scene/mask.h"

namespace vrt::detail {

/// Rows of a picture that somebody else owns.
struct RgbRows {
  std::uint8_t* data = nullptr;
  std::size_t pitch_bytes = 0;
};

/// Paints the mask's pixels onto a picture that is `enlargement` times as large: those whose four neighbours belong to the mask
/// become 3/8 `colour`, the others, the outline, `colour`. Beyond the mask's size nothing belongs to it.
void paint_mask(const RgbRows& picture, std::int32_t enlargement, const MaskView& mask,
                const std::array<std::uint8_t, 3>& colour);

}  // namespace vrt::detail
