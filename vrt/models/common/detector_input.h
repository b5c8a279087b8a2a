// Internal (not installed): what detectors check of a network's input and say of its outputs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "vrt/engine/engine.h"
#include "vrt/image/image.h"

namespace vrt {

/// The size of the network's only input, float32 [1, 3, H, W]. Throws kInvalidArgument naming `family` and what was found.
[[nodiscard]] Size picture_input_of(const Engine& engine, std::string_view family);

/// "'dets' float32 [1, 300, 4], …"; "none" where there are none.
[[nodiscard]] std::string describe_tensors(std::span<const TensorInfo> tensors);

}  // namespace vrt
