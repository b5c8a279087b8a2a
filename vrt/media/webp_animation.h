// Internal (not installed): the first frame of an animated WebP, which FFmpeg does not decode.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vrt::detail {

/// The first frame of an animated WebP file as a WebP file of its own; empty for a still one and for a damaged one. The
/// frame may be smaller than the canvas of the animation. Layout: WebP Container Specification, chunks VP8X and ANMF.
[[nodiscard]] std::vector<std::uint8_t> first_frame_of_webp(std::span<const std::uint8_t> file);

}  // namespace vrt::detail
