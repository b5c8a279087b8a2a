#include "vrt/media/webp_animation.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace vrt::detail {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t kRiffHeaderBytes = 12;   // "RIFF", size, "WEBP"
constexpr std::size_t kChunkHeaderBytes = 8;   // four letters, size
constexpr std::size_t kFrameHeaderBytes = 16;  // position, size, duration, flags

std::uint32_t little_endian(Bytes bytes) {
  return static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8 |
         static_cast<std::uint32_t>(bytes[2]) << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
}

// The content of the first chunk of that name.
std::optional<Bytes> find_chunk(Bytes chunks, std::string_view name) {
  while (chunks.size() >= kChunkHeaderBytes) {
    const std::size_t bytes = little_endian(chunks.subspan(4, 4));
    const Bytes content = chunks.subspan(kChunkHeaderBytes);
    if (bytes > content.size()) return std::nullopt;
    if (std::equal(name.begin(), name.end(), chunks.begin())) return content.first(bytes);
    chunks = content.subspan(std::min(bytes + bytes % 2, content.size()));
  }
  return std::nullopt;
}

void append(std::vector<std::uint8_t>& file, std::string_view name, std::size_t bytes) {
  file.insert(file.end(), name.begin(), name.end());
  for (int shift = 0; shift < 32; shift += 8) file.push_back(static_cast<std::uint8_t>(bytes >> shift));
}

}  // namespace

std::vector<std::uint8_t> first_frame_of_webp(Bytes file) {
  if (file.size() < kRiffHeaderBytes) return {};
  const std::optional<Bytes> frame = find_chunk(file.subspan(kRiffHeaderBytes), "ANMF");
  if (!frame || frame->size() < kFrameHeaderBytes) return {};
  const Bytes chunks = frame->subspan(kFrameHeaderBytes);
  std::vector<std::uint8_t> result;
  append(result, "RIFF", 4 + chunks.size());
  constexpr std::string_view kKind = "WEBP";
  result.insert(result.end(), kKind.begin(), kKind.end());
  result.insert(result.end(), chunks.begin(), chunks.end());
  return result;
}

}  // namespace vrt::detail
