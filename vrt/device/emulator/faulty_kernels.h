// For the emulator's own tests.
#pragma once

#include "vrt/device/emulator/emulated_source.h"

namespace vrt::test {
[[nodiscard]] const EmulatedSource& faulty_kernels();
}
