#include "vrt/media/exif_orientation.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace vrt::detail {
namespace {

using Bytes = std::span<const std::uint8_t>;

enum class Order { kLittleEndian, kBigEndian };

/// The number that is `count` bytes long at `offset`; 0 where the bytes end before.
std::uint32_t number_at(Bytes bytes, std::size_t offset, std::size_t count, Order order) {
  if (offset > bytes.size() || bytes.size() - offset < count) return 0;
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = order == Order::kBigEndian ? i : count - 1 - i;
    value = value << 8 | bytes[offset + place];
  }
  return value;
}

bool holds_at(Bytes bytes, std::size_t offset, std::string_view text) {
  if (offset > bytes.size() || bytes.size() - offset < text.size()) return false;
  return std::equal(text.begin(), text.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

/// The content of a PNG's chunk of that name; empty if there is none.
Bytes find_chunk(Bytes png, std::string_view name) {
  constexpr std::size_t kSignature = 8;
  constexpr std::size_t kAround = 12;  // Length and name before the content, a checksum behind it.
  for (std::size_t at = kSignature; at + kAround <= png.size();) {
    const std::size_t length = number_at(png, at, 4, Order::kBigEndian);
    if (length > png.size() - at - kAround) break;
    if (holds_at(png, at + 4, name)) return png.subspan(at + 8, length);
    at += kAround + length;
  }
  return {};
}

}  // namespace

Orientation orientation_of_tiff(Bytes bytes) noexcept {
  constexpr std::uint32_t kOrientation = 0x0112;
  constexpr std::uint32_t kShort = 3;
  constexpr std::size_t kEntryBytes = 12;
  using std::string_view_literals::operator""sv;
  const bool little = holds_at(bytes, 0, "II*\0"sv);
  if (!little && !holds_at(bytes, 0, "MM\0*"sv)) return {};
  const Order order = little ? Order::kLittleEndian : Order::kBigEndian;
  const std::size_t directory = number_at(bytes, 4, 4, order);
  const std::size_t entries = number_at(bytes, directory, 2, order);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + i * kEntryBytes;
    if (number_at(bytes, entry, 2, order) != kOrientation) continue;
    return number_at(bytes, entry + 2, 2, order) == kShort ? orientation_of_exif(number_at(bytes, entry + 8, 2, order))
                                                           : Orientation{};
  }
  return {};
}

Orientation orientation_of_file(const PictureKind& kind, Bytes file) noexcept {
  if (kind.codec == AV_CODEC_ID_TIFF) return orientation_of_tiff(file);
  return kind.codec == AV_CODEC_ID_PNG ? orientation_of_tiff(find_chunk(file, "eXIf")) : Orientation{};
}

}  // namespace vrt::detail
