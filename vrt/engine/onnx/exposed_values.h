// Internal (not installed): what an ONNX network computes on its way, as outputs.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace vrt::onnx {

/// The first value that a node of the outer graph makes.
struct NodeValue {
  std::string value;
  std::string node;  ///< Its name; where it has none, the value's.
  std::string type;  ///< "Conv"
  int output = -1;   ///< Its position among the graph's outputs; -1 for an inner value.
};

/// In an order of computation. Throws as prepare_model.
[[nodiscard]] std::vector<NodeValue> list_node_values(const std::filesystem::path& model);

/// Writes a copy that has these values as further outputs, behind its own and in this order. Throws as prepare_model; kInvalidArgument
/// for a value that is not made or is an output already.
void expose_values(const std::filesystem::path& model, std::span<const std::string> values,
                   const std::filesystem::path& target);

}  // namespace vrt::onnx
