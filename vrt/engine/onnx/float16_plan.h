// Internal (not installed): which nodes of an ONNX graph compute in float16.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "vrt/engine/onnx/element_types.h"
#include "vrt/engine/onnx/float16_rules.h"
#include "vrt/engine/onnx/model.h"

namespace vrt::onnx {

/// The largest magnitude that a run showed, by the tensor's name.
using LargestMagnitudes = std::map<std::string, float>;

/// The decision for one node.
struct NodePlan {
  bool touches_floats = false;  ///< Reads or makes float32 tensors.
  bool float16 = false;
  std::string reason;  ///< Why it stays in float32, though it touches floats.
};

struct Float16Plan {
  ElementTypes types;
  std::vector<NodePlan> nodes;  ///< One for each node of the outer graph, in its order.
};

/// Decides for each node of the model's outer graph by the rules, by the values of the initialisers, and by the ranges of `largest`,
/// which may be empty. The nodes have to be in order.
[[nodiscard]] Float16Plan plan_float16(const Model& model, const LargestMagnitudes& largest);

/// Whether a node's input takes the type that the node computes in and is a float32 tensor.
[[nodiscard]] bool takes_float(const Node& node, int input, const ElementTypes& types);

}  // namespace vrt::onnx
