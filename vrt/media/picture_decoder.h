// Internal (not installed): still pictures.
#pragma once

#include <filesystem>

#include "vrt/media/decoded_frame.h"

namespace vrt::detail {

/// Decodes a picture file: JPEG, PNG, BMP, TIFF, WebP, GIF, PNM, told by its content. Of an animated one it takes the first
/// frame. `name` is what errors and the frame call it. Throws kNotFound, kIo, kCorrupt (no picture, damaged, cut),
/// kUnsupported (a variant FFmpeg cannot read, or more than kMaxPixels).
[[nodiscard]] DecodedFrame decode_picture(const std::filesystem::path& file, const std::string& name);

}  // namespace vrt::detail
