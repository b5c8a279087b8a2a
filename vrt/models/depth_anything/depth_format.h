// Internal (not installed): what goes into a depth network, and how its output is told from others.
#pragma once

#include <span>

#include "vrt/engine/tensor_view.h"
#include "vrt/image/preprocessor.h"

namespace vrt {

/// How a picture becomes an input of that size: stretched, normalised as ImageNet's pictures are.
[[nodiscard]] PreprocessOptions depth_preprocessing(Size input);

/// Whether the only output is a map, float32 [1, h, w] or [1, 1, h, w]; extents that are not known fit.
[[nodiscard]] bool is_depth_output(std::span<const TensorInfo> outputs);

}  // namespace vrt
