// Internal (not installed): over how many lanes a run spreads the frames of a video (model_pool.h says what a lane is).
#pragma once

#include <algorithm>
#include <cstddef>

#include "vrt/device/device.h"

namespace vrt {

/// A GPU needs one. On a CPU each has its share of the threads; more than four only compete for memory bandwidth, and each holds its
/// own activations.
[[nodiscard]] inline std::size_t lanes_for_video(Device device) {
  constexpr std::size_t kMostOnCpu = 4;
  if (!device.is_cpu()) return 1;
  return std::min(static_cast<std::size_t>(std::max(1, describe(device).parallel_units)), kMostOnCpu);
}

}  // namespace vrt
