// Internal: any host picture as packed RGB8.
#pragma once

#include <cstdint>
#include <vector>

#include "vrt/image/image.h"

namespace vrt::detail {

/// Fills `rgb` (packed rows of 3 * width bytes) from a valid host picture, with the matrix and range that its colour space
/// names. Each chroma sample is used for all pixels it covers. `scratch` is grown once and reused.
void to_rgb(const ImageView& picture, std::uint8_t* rgb, std::vector<std::uint8_t>& scratch);

}  // namespace vrt::detail
