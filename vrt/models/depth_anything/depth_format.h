// Internal (not installed): how a depth network's output is told from others.
#pragma once

#include <span>

#include "vrt/engine/tensor_view.h"

namespace vrt {

/// Whether the only output is a map, float32 [1, h, w] or [1, 1, h, w]; extents that are not known fit.
[[nodiscard]] bool is_depth_output(std::span<const TensorInfo> outputs);

}  // namespace vrt
