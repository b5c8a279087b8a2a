// Internal (not installed): depth as colours.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vrt/image/image.h"

namespace vrt::detail {

/// The least and the greatest known value of a map.
struct DepthRange {
  float least = 0;
  float greatest = 0;
};

/// What the numbers of a map mean.
enum class DepthScale : std::int32_t {
  kMetres,    ///< Above 0 and finite is known; small is near.
  kNearness,  ///< Finite is known; great is near.
};

/// Fills `rgb` (packed rows) with a colour for each value: from blue, the farthest, to red, the nearest; black where nothing is known. If all
/// known values are equal, they are near for metres and far for nearness, as in the models' own pictures. Nothing if none is known.
std::optional<DepthRange> paint_depth(std::span<const float> values, DepthScale scale, std::uint8_t* rgb);

}  // namespace vrt::detail
