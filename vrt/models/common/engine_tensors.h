// Internal (not installed): finding a family's inputs and outputs among an engine's.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/engine/engine.h"
#include "vrt/image/image.h"

namespace vrt {

/// Name, element type and shape of each, for messages.
[[nodiscard]] std::string describe_tensors(std::span<const TensorInfo> tensors);

/// The size of the engine's only input, float32 [B, 3, H, W]. Throws kInvalidArgument naming `family` and what was found otherwise.
[[nodiscard]] Size picture_input_of(const Engine& engine, std::string_view family);

/// Adds to `options` that the only input is [1, 3, height, width], its first extent open where a batch that changes is asked for.
void set_picture_input(EngineOptions& options, Size input);

/// Positions of the float32 tensors of that shape, in the network's order. An extent of kDynamic, of either, fits all: so the same
/// rule holds for an engine and for what a file says of itself.
[[nodiscard]] std::vector<std::size_t> outputs_of_shape(std::span<const TensorInfo> outputs, const Shape& shape);

/// Whether there is one tensor, and it is such a one.
[[nodiscard]] bool is_only(std::span<const TensorInfo> tensors, const Shape& shape);

}  // namespace vrt
