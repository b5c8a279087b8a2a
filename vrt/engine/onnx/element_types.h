// Internal (not installed): what the tensors of an ONNX graph hold.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "vrt/engine/onnx/model.h"

namespace vrt::onnx {

/// A TensorProto::DataType for each name; a name that is not there is not known, or no tensor.
using ElementTypes = std::unordered_map<std::string, std::int32_t>;

/// The types of all that the model's outer graph names: from what the file says, and through its nodes in order (sort_nodes).
[[nodiscard]] ElementTypes find_element_types(const Model& model);

/// The type of a name; TensorProto::UNDEFINED where it is not known.
[[nodiscard]] std::int32_t type_of(const ElementTypes& types, const std::string& name);

}  // namespace vrt::onnx
