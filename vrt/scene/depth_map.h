// Depth for each pixel, in host or in device memory: metres, or how near things are without a unit. The two are different types.
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

/// Inverse depth up to a factor and an offset that nobody knows: greater is nearer. Not finite means "not known". Otherwise as DepthMapView.
struct RelativeDepthMapView {
  Size size;
  std::span<const float> nearness;
};

/// The same in device memory.
struct DeviceRelativeDepthMapView {
  Size size;
  DeviceSpan<const float> nearness;
};

/// The depth of one of the map's own pixels; nothing where it is not known or outside the map.
[[nodiscard]] VRT_API std::optional<float> depth_at(const DepthMapView& map, std::int32_t x, std::int32_t y) noexcept;

}  // namespace vrt
