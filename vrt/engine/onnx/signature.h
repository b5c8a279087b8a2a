// Internal (not installed): what an ONNX graph says of its inputs and outputs, and new shapes for its inputs.
#pragma once

#include <string>
#include <vector>

#include "vrt/engine/engine.h"
#include "vrt/engine/onnx/model.h"

namespace vrt::onnx {

/// The name of the dimension that a changing batch leaves open.
inline constexpr const char* kBatchSymbol = "batch";

/// The tensors of a graph's inputs or outputs; see read_signature of vrt/engine/model_preparation.h. `kind` ("input") is for messages.
[[nodiscard]] std::vector<TensorInfo> describe_values(const google::protobuf::RepeatedPtrField<ValueInfo>& values,
                                                      const char* kind);

/// Gives the inputs the shapes and the changing batch of `options`. Where that changes an extent, every other shape in the file is
/// dropped: outputs keep their rank with open extents, and backends infer the rest anew. Throws kInvalidArgument, naming
/// inputs and dimensions, for shapes that do not fit and for extents that stay open.
void set_input_shapes(Model& model, const EngineOptions& options);

}  // namespace vrt::onnx
