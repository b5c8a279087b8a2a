// Internal (not installed): how OSNet's input and output are told from others.
#pragma once

#include <cstdint>
#include <span>

#include "vrt/engine/tensor_view.h"

namespace vrt {

/// Whether the only input is float32 [B, 3, 256, 128]; extents that are not known fit.
[[nodiscard]] bool is_osnet_input(std::span<const TensorInfo> inputs);
/// Whether the only output is float32 [batch, C].
[[nodiscard]] bool is_osnet_output(std::span<const TensorInfo> outputs, std::int64_t batch);

}  // namespace vrt
