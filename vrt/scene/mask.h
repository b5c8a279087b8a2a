// Instance masks as bits, in host or in device memory.
//
//   vrt::MaskView mask{.size = {176, 144}, .words = words};
//   if (vrt::is_set(mask, 12, 40)) { ... }
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "vrt/base/export.h"
#include "vrt/device/memory.h"
#include "vrt/image/image.h"

namespace vrt {

/// Words of one row of a mask: 32 pixels a word, rows padded to whole words.
[[nodiscard]] constexpr std::size_t mask_words_per_row(std::int32_t width) noexcept {
  return (static_cast<std::size_t>(width) + 31) / 32;
}
/// Words of a whole mask.
[[nodiscard]] constexpr std::size_t mask_words(Size size) noexcept {
  return mask_words_per_row(size.width) * static_cast<std::size_t>(size.height);
}

/// One mask over a picture or over a network's grid; bit b of word w of a row is pixel 32 * w + b. Holds
/// mask_words(size) words that somebody else owns.
struct MaskView {
  Size size;
  std::span<const std::uint32_t> words;
};

/// The same in device memory.
struct DeviceMaskView {
  Size size;
  DeviceSpan<const std::uint32_t> words;
};

/// Whether a pixel belongs to the mask; false outside the mask's size.
[[nodiscard]] VRT_API bool is_set(const MaskView& mask, std::int32_t x, std::int32_t y) noexcept;

/// Pixels that belong to the mask.
[[nodiscard]] VRT_API std::size_t count_set(const MaskView& mask) noexcept;

}  // namespace vrt
