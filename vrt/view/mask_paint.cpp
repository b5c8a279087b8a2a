#include "vrt/view/mask_paint.h"

#include <bit>

namespace vrt::detail {
namespace {

constexpr int kBits = 32;

/// A row's words, without what its padding holds; zeros for rows and words that there are not.
class MaskRow {
 public:
  MaskRow(const MaskView& mask, std::int32_t y) : count_(mask_words_per_row(mask.size.width)) {
    if (y < 0 || y >= mask.size.height) return;
    words_ = mask.words.data() + static_cast<std::size_t>(y) * count_;
    last_ = ~0U >> (static_cast<int>(count_) * kBits - mask.size.width);
  }

  [[nodiscard]] std::uint32_t operator[](std::size_t word) const {
    if (words_ == nullptr || word >= count_) return 0;
    return word + 1 == count_ ? words_[word] & last_ : words_[word];
  }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  const std::uint32_t* words_ = nullptr;
  std::size_t count_;
  std::uint32_t last_ = 0;
};

struct Blend {
  std::array<std::uint8_t, 3> colour;

  void operator()(std::uint8_t* pixel) const {
    for (std::size_t i = 0; i < 3; ++i) pixel[i] = static_cast<std::uint8_t>((5 * pixel[i] + 3 * colour[i] + 4) / 8);
  }
};

struct Replace {
  std::array<std::uint8_t, 3> colour;

  void operator()(std::uint8_t* pixel) const {
    for (std::size_t i = 0; i < 3; ++i) pixel[i] = colour[i];
  }
};

/// Where a row of the mask is in the picture.
struct Place {
  std::uint8_t* first_row;
  std::size_t pitch_bytes;
  std::size_t enlargement;

  template <typename Change>
  void change(std::size_t first, std::size_t count, const Change& change_pixel) const {
    for (std::size_t y = 0; y < enlargement; ++y) {
      std::uint8_t* pixel = first_row + y * pitch_bytes + first * enlargement * 3;
      std::uint8_t* const end = pixel + count * enlargement * 3;
      for (; pixel != end; pixel += 3) change_pixel(pixel);
    }
  }

  /// Changes the pixels of the bits that are set, a run of them at a time.
  template <typename Change>
  void change_bits(std::size_t word, std::uint32_t bits, const Change& change_pixel) const {
    std::size_t first = word * kBits;
    while (bits != 0) {
      const int gap = std::countr_zero(bits);
      bits >>= gap;
      const int run = std::countr_one(bits);
      bits = run == kBits ? 0 : bits >> run;
      first += static_cast<std::size_t>(gap);
      change(first, static_cast<std::size_t>(run), change_pixel);
      first += static_cast<std::size_t>(run);
    }
  }
};

}  // namespace

void paint_mask(const RgbRows& picture, std::int32_t enlargement, const MaskView& mask,
                const std::array<std::uint8_t, 3>& colour) {
  const auto factor = static_cast<std::size_t>(enlargement);
  for (std::int32_t y = 0; y < mask.size.height; ++y) {
    const Place place{picture.data + static_cast<std::size_t>(y) * factor * picture.pitch_bytes, picture.pitch_bytes,
                      factor};
    const MaskRow above(mask, y - 1);
    const MaskRow row(mask, y);
    const MaskRow below(mask, y + 1);
    for (std::size_t word = 0; word < row.count(); ++word) {
      const std::uint32_t bits = row[word];
      if (bits == 0) continue;
      const std::uint32_t left = bits << 1 | (word > 0 ? row[word - 1] >> (kBits - 1) : 0);
      const std::uint32_t right = bits >> 1 | row[word + 1] << (kBits - 1);
      const std::uint32_t inner = bits & left & right & above[word] & below[word];
      place.change_bits(word, inner, Blend{colour});
      place.change_bits(word, bits & ~inner, Replace{colour});
    }
  }
}

}  // namespace vrt::detail
