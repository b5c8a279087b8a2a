// Internal: The self-test's checks of kernels: every kernel of the image and models layers, through the front ends that
// programs use, on seeded inputs.
#pragma once

#include <vector>

#include "vrt/pipeline/selftest.h"

namespace vrt {

/// On a GPU the reference is the CPU's baseline build; on the CPU the build that the processor would use is compared with that
/// one, which needs a processor that has a better one. Bits are equal but for CenterFace's boxes and landmarks, where a
/// transcendental function is involved.
[[nodiscard]] std::vector<SelfTestCheck> kernel_checks();

}  // namespace vrt
