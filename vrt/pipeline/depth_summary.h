// Internal (not installed): what a depth map says in a few numbers.
#pragma once

#include <optional>

#include "vrt/base/export.h"
#include "vrt/scene/depth_map.h"

namespace vrt {

/// Of a map's known values; all are values of the map. `median` is the one in the middle, the lower of two.
struct DepthSummary {
  float known = 0;  ///< The share of pixels whose value is known.
  std::optional<float> least;
  std::optional<float> median;
  std::optional<float> greatest;
};

/// Exact, in two passes over the map whatever its values are. Throws kInvalidArgument for a map without a value for each pixel.
[[nodiscard]] VRT_API DepthSummary summarize(const DepthMapView& map);
/// The same of relative depth.
[[nodiscard]] VRT_API DepthSummary summarize(const RelativeDepthMapView& map);

}  // namespace vrt
