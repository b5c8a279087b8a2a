#include "vrt/media/container_end.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string_view>

#include "vrt/media/input_file.h"

namespace vrt::detail {
namespace {

using Bytes = std::span<const std::uint8_t>;

std::uint64_t big_endian(Bytes bytes) {
  std::uint64_t value = 0;
  for (const std::uint8_t byte : bytes) value = value << 8 | byte;
  return value;
}

bool starts_with(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::equal(text.begin(), text.end(), bytes.begin(), [](char a, std::uint8_t b) {
           return static_cast<std::uint8_t>(a) == b;
         });
}

// The sizes of one element's header and of the whole element; a size of 0 says "to the end of the file".
struct Element {
  std::uint64_t bytes = 0;
  bool holds_media = false;
};

Element iso_box(Bytes head) {
  static constexpr std::array<std::string_view, 3> kMedia = {"mdat", "moov", "moof"};
  if (head.size() < 16) return {};
  const Bytes type = head.subspan(4, 4);
  const bool media = std::any_of(kMedia.begin(), kMedia.end(), [type](auto name) { return starts_with(type, name); });
  const std::uint64_t size = big_endian(head.first(4));
  return {size == 1 ? big_endian(head.subspan(8, 8)) : size, media};
}

Element riff_chunk(Bytes head) {
  if (!starts_with(head, "RIFF") || head.size() < 8) return {};
  const std::array<std::uint8_t, 4> size = {head[7], head[6], head[5], head[4]};
  return {8 + big_endian(size), true};
}

// An EBML number: the leading zero bits of the first byte say how many bytes follow it. All ones mean "unknown".
Element ebml_element(Bytes head) {
  constexpr std::string_view kSegment = "\x18\x53\x80\x67";
  const std::size_t id_bytes = head.empty() ? 9 : static_cast<std::size_t>(std::countl_zero(head[0])) + 1;
  if (id_bytes > 4 || head.size() <= id_bytes) return {};
  const std::size_t size_bytes = static_cast<std::size_t>(std::countl_zero(head[id_bytes])) + 1;
  if (size_bytes > 8 || head.size() < id_bytes + size_bytes) return {};
  const std::uint64_t mask = (std::uint64_t{1} << (7 * size_bytes)) - 1;
  const std::uint64_t content = big_endian(head.subspan(id_bytes, size_bytes)) & mask;
  if (content == mask) return {};
  return {id_bytes + size_bytes + content, starts_with(head, kSegment)};
}

using ReadElement = Element (*)(Bytes head);

ReadElement container_of(Bytes head) {
  if (head.size() >= 8 && starts_with(head.subspan(4), "ftyp")) return iso_box;
  if (starts_with(head, "\x1A\x45\xDF\xA3")) return ebml_element;
  if (starts_with(head, "RIFF")) return riff_chunk;
  return nullptr;
}

}  // namespace

std::optional<std::uint64_t> announced_bytes_if_cut(const std::filesystem::path& file) {
  constexpr std::size_t kHeadBytes = 16;
  InputFile input(file);
  const ReadElement read_element = container_of(input.read(0, kHeadBytes));
  for (std::uint64_t offset = 0; read_element != nullptr && offset < input.size();) {
    const Element element = read_element(input.read(offset, kHeadBytes));
    if (element.bytes < 8) break;
    if (element.bytes > input.size() - offset) {
      // Only media that is missing counts: what others append to a file is no element at all.
      if (element.holds_media) return offset + element.bytes;
      break;
    }
    offset += element.bytes;
  }
  return std::nullopt;
}

}  // namespace vrt::detail
