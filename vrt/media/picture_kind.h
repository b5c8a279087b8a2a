// Internal (not installed): which files are pictures, by content and by name.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "vrt/media/ffmpeg.h"

namespace vrt::detail {

/// How many bytes of a file `picture_kind_of` wants to see at least.
inline constexpr std::size_t kPictureHeadBytes = 64;

struct PictureKind {
  std::string_view name;  ///< "JPEG", for messages.
  AVCodecID codec = AV_CODEC_ID_NONE;
};

/// By the first bytes of the file; nullptr for what is no picture. Static storage.
[[nodiscard]] const PictureKind* picture_kind_of(std::span<const std::uint8_t> head) noexcept;

/// True for the extensions that are read from folders, in any case: .jpg .jpeg .jpe .png .apng .bmp .tif .tiff .webp .gif
/// .ppm .pgm .pbm .pnm.
[[nodiscard]] bool has_picture_extension(const std::filesystem::path& file);

/// The extension in lower case, with its dot.
[[nodiscard]] std::string lower_extension(const std::filesystem::path& file);

}  // namespace vrt::detail
