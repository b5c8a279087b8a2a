#include "vrt/scene/depth_map.h"

#include <cmath>

namespace vrt {

std::optional<float> depth_at(const DepthMapView& map, std::int32_t x, std::int32_t y) noexcept {
  if (x < 0 || y < 0 || x >= map.size.width || y >= map.size.height) return std::nullopt;
  const float metres =
      map.metres[static_cast<std::size_t>(y) * static_cast<std::size_t>(map.size.width) + static_cast<std::size_t>(x)];
  if (!std::isfinite(metres) || metres <= 0) return std::nullopt;
  return metres;
}

}  // namespace vrt
