// Internal: the CPU device's counters.
#pragma once

#include "vrt/device/counting.h"

namespace vrt::cpu {

/// Those of the process; usable before and after all static objects.
[[nodiscard]] detail::Counters& counted() noexcept;

}  // namespace vrt::cpu
