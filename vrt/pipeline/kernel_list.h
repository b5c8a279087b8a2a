// Internal: every kernel of the program, for the tool and for tests.
#pragma once

#include <vector>

#include "vrt/device/kernel.h"

namespace vrt {

/// The kernel sources of all layers, lowest layer first.
[[nodiscard]] std::vector<const KernelSource*> all_kernel_sources();

}  // namespace vrt
