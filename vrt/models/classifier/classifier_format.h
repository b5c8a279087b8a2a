// Internal (not installed): how a classifier's output is told from others.
#pragma once

#include <span>

#include "vrt/engine/tensor_view.h"

namespace vrt {

/// Whether the only output is float32 [1, C]; extents that are not known fit.
[[nodiscard]] bool is_classifier_output(std::span<const TensorInfo> outputs);

}  // namespace vrt
