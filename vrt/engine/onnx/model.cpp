#include "vrt/engine/onnx/model.h"

#include <fmt/format.h>

#include <algorithm>

namespace vrt::onnx {
namespace {

template <typename Nodes>
void for_each_graph_of(Nodes& nodes, const std::function<void(Graph&)>& use) {
  for (Node& node : nodes) {
    for (Attribute& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) for_each_graph(*attribute.mutable_g(), use);
      for (Graph& graph : *attribute.mutable_graphs()) for_each_graph(graph, use);
    }
  }
}

void use_sparse(vrt_onnx::SparseTensorProto& tensor, const std::function<void(Tensor&)>& use) {
  if (tensor.has_values()) use(*tensor.mutable_values());
  if (tensor.has_indices()) use(*tensor.mutable_indices());
}

template <typename Nodes>
void for_each_tensor_of(Nodes& nodes, const std::function<void(Tensor&)>& use) {
  for (Node& node : nodes) {
    for (Attribute& attribute : *node.mutable_attribute()) {
      if (attribute.has_t()) use(*attribute.mutable_t());
      if (attribute.has_sparse_tensor()) use_sparse(*attribute.mutable_sparse_tensor(), use);
      for (Tensor& tensor : *attribute.mutable_tensors()) use(tensor);
      for (auto& tensor : *attribute.mutable_sparse_tensors()) use_sparse(tensor, use);
    }
  }
}

void add_names_read(const Node& node, std::set<std::string>& names);

/// What a subgraph takes from around it.
void add_free_names(const Graph& graph, std::set<std::string>& names) {
  std::set<std::string> read;
  for (const Node& node : graph.node()) add_names_read(node, read);
  for (const ValueInfo& output : graph.output()) read.insert(output.name());
  for (const Node& node : graph.node()) {
    for (const std::string& output : node.output()) read.erase(output);
  }
  for (const ValueInfo& input : graph.input()) read.erase(input.name());
  for (const Tensor& tensor : graph.initializer()) read.erase(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) read.erase(tensor.values().name());
  names.merge(read);
}

void add_names_read(const Node& node, std::set<std::string>& names) {
  for (const std::string& input : node.input()) {
    if (!input.empty()) names.insert(input);
  }
  for (const Attribute& attribute : node.attribute()) {
    if (attribute.has_g()) add_free_names(attribute.g(), names);
    for (const Graph& graph : attribute.graphs()) add_free_names(graph, names);
  }
}

}  // namespace

void for_each_graph(Graph& graph, const std::function<void(Graph&)>& use) {
  use(graph);
  for_each_graph_of(*graph.mutable_node(), use);
}

void for_each_tensor(Model& model, const std::function<void(Tensor&)>& use) {
  const auto use_graph = [&](Graph& graph) {
    for (Tensor& tensor : *graph.mutable_initializer()) use(tensor);
    for (auto& tensor : *graph.mutable_sparse_initializer()) use_sparse(tensor, use);
    for_each_tensor_of(*graph.mutable_node(), use);
  };
  for_each_graph(*model.mutable_graph(), use_graph);
  for (auto& function : *model.mutable_functions()) {
    for_each_tensor_of(*function.mutable_node(), use);
    for_each_graph_of(*function.mutable_node(), use_graph);
  }
}

std::set<std::string> names_read(const Node& node) {
  std::set<std::string> names;
  add_names_read(node, names);
  return names;
}

const std::string& input_name(const Node& node, int input) {
  static const std::string none;
  return input < node.input_size() ? node.input(input) : none;
}

const Attribute* find_attribute(const Node& node, const std::string& name) {
  const auto found = std::find_if(node.attribute().begin(), node.attribute().end(),
                                  [&](const Attribute& attribute) { return attribute.name() == name; });
  return found == node.attribute().end() ? nullptr : &*found;
}

std::string name_of(const Node& node) {
  if (!node.name().empty() || node.output().empty()) return node.name();
  return node.output(0);
}

std::string describe(const Node& node) { return fmt::format("node '{}' ({})", name_of(node), node.op_type()); }

std::int64_t operator_set(const Model& model) {
  for (const auto& import : model.opset_import()) {
    if (import.domain().empty() || import.domain() == "ai.onnx") return import.version();
  }
  return 0;
}

}  // namespace vrt::onnx
