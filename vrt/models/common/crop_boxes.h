// Internal (not installed): boxes as kernels write them, seen as the preprocessor's crops.
#pragma once

#include "vrt/device/memory.h"
#include "vrt/device/vector_types.h"
#include "vrt/image/preprocessor.h"

namespace vrt {

/// The same memory: both are x1, y1, x2, y2.
[[nodiscard]] inline DeviceSpan<const CropBox> as_crop_boxes(DeviceSpan<const kernels::float4> boxes) noexcept {
  static_assert(sizeof(CropBox) == sizeof(kernels::float4));
  return DeviceSpan<const CropBox>::from_raw(reinterpret_cast<const CropBox*>(boxes.data()), boxes.size());
}

}  // namespace vrt
