// Internal: The self-test's checks of what devices and engines promise: memory, graphs, clocks, waits, repeatable networks.
#pragma once

#include <vector>

#include "vrt/pipeline/selftest.h"

namespace vrt {

[[nodiscard]] std::vector<SelfTestCheck> contract_checks(const SelfTestOptions& options);

}  // namespace vrt
