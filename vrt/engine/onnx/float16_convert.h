// Internal (not installed): an ONNX model in float16, with float32 inputs and outputs. docs/fp16.md tells what for and how.
#pragma once

#include "vrt/engine/model_preparation.h"
#include "vrt/engine/onnx/float16_plan.h"
#include "vrt/engine/onnx/model.h"

namespace vrt::onnx {

/// The first operator set whose casts and broadcasts are those of today.
inline constexpr std::int64_t kFirstOperatorSetForFloat16 = 7;

/// Brings the model into the form that can be planned: float constants become initialisers, and a batch normalisation of constants becomes
/// one of mean 0 and variance 1, whose parameters float16 can hold. What the network computes stays. Throws kUnsupported
/// for operator sets before kFirstOperatorSetForFloat16.
void prepare_for_float16(Model& model);

/// Converts a model that prepare_for_float16 has seen. Float16 forms of tensors are named "<name>_float16". Each tensor is
/// cast at most once in each direction, and an initialiser that both sides read is there twice.
detail::PreparationReport convert_to_float16(Model& model, const LargestMagnitudes& largest);

}  // namespace vrt::onnx
