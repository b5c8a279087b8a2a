// Internal (not installed): an ONNX model as protobuf reads it, and walks through it.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "vrt/engine/onnx/onnx.pb.h"

namespace vrt::onnx {

using Model = vrt_onnx::ModelProto;
using Graph = vrt_onnx::GraphProto;
using Node = vrt_onnx::NodeProto;
using Attribute = vrt_onnx::AttributeProto;
using Tensor = vrt_onnx::TensorProto;
using ValueInfo = vrt_onnx::ValueInfoProto;

/// Calls `use` for a graph and for each graph inside its nodes, outer ones first.
void for_each_graph(Graph& graph, const std::function<void(Graph&)>& use);

/// Calls `use` for each tensor with values: initialisers, and those in attributes, in subgraphs and functions too.
void for_each_tensor(Model& model, const std::function<void(Tensor&)>& use);

/// The names that a node reads: its inputs, and what its subgraphs take from the graphs around them. Omitted inputs are none.
[[nodiscard]] std::set<std::string> names_read(const Node& node);

/// The name of an input; empty where the node has no such input or leaves it out.
[[nodiscard]] const std::string& input_name(const Node& node, int input);

/// The node's attribute of that name, or null.
[[nodiscard]] const Attribute* find_attribute(const Node& node, const std::string& name);

/// "node 'conv1' (Conv)"; without a name, the first output's stands for it.
[[nodiscard]] std::string describe(const Node& node);
/// The node's name, or its first output's.
[[nodiscard]] std::string name_of(const Node& node);

/// The version of ONNX's own operator set that the model uses; 0 if none.
[[nodiscard]] std::int64_t operator_set(const Model& model);

}  // namespace vrt::onnx
