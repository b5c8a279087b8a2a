// Internal: the CPU as a device.
#pragma once

#include "vrt/device/backend.h"

namespace vrt::cpu {

/// Never destroyed.
[[nodiscard]] detail::DeviceBackend& cpu_device();

}  // namespace vrt::cpu
