#include "vrt/scene/mask.h"

#include <bit>

namespace vrt {

bool is_set(const MaskView& mask, std::int32_t x, std::int32_t y) noexcept {
  if (x < 0 || y < 0 || x >= mask.size.width || y >= mask.size.height) return false;
  const std::size_t row = static_cast<std::size_t>(y) * mask_words_per_row(mask.size.width);
  return ((mask.words[row + static_cast<std::size_t>(x) / 32] >> (x % 32)) & 1U) != 0;
}

std::size_t count_set(const MaskView& mask) noexcept {
  const std::size_t words_per_row = mask_words_per_row(mask.size.width);
  const int spare =
      static_cast<int>(words_per_row * 32) - mask.size.width;  // Padding bits, whose value is unspecified.
  std::size_t count = 0;
  for (std::size_t i = 0; i < mask_words(mask.size); ++i) {
    const std::uint32_t valid = (i + 1) % words_per_row == 0 ? ~0U >> spare : ~0U;
    count += static_cast<std::size_t>(std::popcount(mask.words[i] & valid));
  }
  return count;
}

}  // namespace vrt
