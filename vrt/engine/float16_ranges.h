// Internal (not installed): what a float32 network's tensors hold on sample inputs, to find those that float16 cannot.
#pragma once

#include <filesystem>
#include <span>

#include "vrt/engine/engine.h"
#include "vrt/engine/onnx/float16_plan.h"
#include "vrt/engine/onnx/model.h"

namespace vrt::detail {

/// Runs `model` (its shapes static but for the batch) on each sample with the best float32 engine of the CPU, and returns the
/// largest magnitude of each float tensor of its outer graph. The network is extended so that each tensor is reduced to
/// one number where it is made, so memory is that of a plain run. Tensors whose size depends on data may be empty and are
/// left out. The extended network is a file `scratch` for the time of the call.
/// Throws kInvalidArgument for a sample that lacks an input or has another size; as Engine::open and Stream::synchronize.
[[nodiscard]] onnx::LargestMagnitudes measure_magnitudes(const onnx::Model& model,
                                                         std::span<const SampleInputs> samples,
                                                         const std::filesystem::path& scratch,
                                                         const EngineOptions& options);

}  // namespace vrt::detail
