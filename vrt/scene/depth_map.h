// Metric depth for each pixel, in host or in device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "vrt/base/export.h"
#include "vrt/device/memory.h"
#include "vrt/image/image.h"

namespace vrt {

/// Metres along the optical axis, row after row without padding; 0, negative and non-finite values mean "not known".
/// `size` is the map's own; it covers the whole picture, whatever the picture's size. Owns nothing.
struct DepthMapView {
  Size size;
  std::span<const float> metres;
};

/// The same in device memory.
struct DeviceDepthMapView {
  Size size;
  DeviceSpan<const float> metres;
};

/// The depth of one of the map's own pixels; nothing where it is not known or outside the map.
[[nodiscard]] VRT_API std::optional<float> depth_at(const DepthMapView& map, std::int32_t x, std::int32_t y) noexcept;

}  // namespace vrt
