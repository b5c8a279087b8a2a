#include "vrt/engine/onnx/simplify.h"

#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "vrt/engine/onnx/graph_index.h"
#include "vrt/engine/onnx/tensor.h"
#include "vrt/engine/onnx/unique_names.h"

namespace vrt::onnx {
namespace {

void set_floats(Tensor& tensor, const std::string& name, const std::vector<float>& values) {
  tensor.Clear();
  tensor.set_name(name);
  tensor.set_data_type(Tensor::FLOAT);
  tensor.add_dims(static_cast<std::int64_t>(values.size()));
  tensor.set_raw_data(std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
}

std::set<std::string> output_names(const Graph& graph) {
  std::set<std::string> names;
  for (const ValueInfo& output : graph.output()) names.insert(output.name());
  return names;
}

/// The tensor that a Constant node stands for, where it is one of floats.
std::optional<Tensor> constant_floats(const Node& node) {
  Tensor tensor;
  if (const Attribute* value = find_attribute(node, "value")) {
    tensor = value->t();
    if (tensor.data_type() != Tensor::FLOAT) return std::nullopt;
  } else if (const Attribute* scalar = find_attribute(node, "value_float")) {
    set_floats(tensor, "", {scalar->f()});
    tensor.clear_dims();
  } else if (const Attribute* list = find_attribute(node, "value_floats")) {
    set_floats(tensor, "", {list->floats().begin(), list->floats().end()});
  } else {
    return std::nullopt;
  }
  tensor.set_name(node.output(0));
  return tensor;
}

/// Scale and shift of a batch normalisation without statistics.
struct Folded {
  std::vector<float> scale;
  std::vector<float> shift;
};

std::optional<Folded> fold(const Node& node, const GraphIndex& index) {
  std::vector<std::vector<float>> given;
  for (int input = 1; input < node.input_size(); ++input) {
    const Tensor* tensor = index.initializer(node.input(input));
    if (tensor == nullptr || tensor->data_type() != Tensor::FLOAT) return std::nullopt;
    given.push_back(float_values(*tensor));
    if (given.back().size() != given.front().size()) return std::nullopt;
  }
  if (given.size() != 4) return std::nullopt;
  const Attribute* epsilon = find_attribute(node, "epsilon");
  Folded folded;
  for (std::size_t channel = 0; channel < given[0].size(); ++channel) {
    const double variance = given[3][channel] + static_cast<double>(epsilon != nullptr ? epsilon->f() : 1e-5F);
    if (!(variance > 0)) return std::nullopt;
    const double scale = given[0][channel] / std::sqrt(variance);
    folded.scale.push_back(static_cast<float>(scale));
    folded.shift.push_back(static_cast<float>(given[1][channel] - given[2][channel] * scale));
  }
  return folded;
}

void set_epsilon_zero(Node& node) {
  for (Attribute& attribute : *node.mutable_attribute()) {
    if (attribute.name() == "epsilon") return attribute.set_f(0);
  }
  Attribute& epsilon = *node.add_attribute();
  epsilon.set_name("epsilon");
  epsilon.set_type(Attribute::FLOAT);
  epsilon.set_f(0);
}

void set_parameters(Graph& graph, Node& node, const Folded& folded, UniqueNames& names) {
  const std::size_t channels = folded.scale.size();
  const std::vector<float> parameters[] = {folded.scale, folded.shift, std::vector<float>(channels, 0.F),
                                           std::vector<float>(channels, 1.F)};
  const char* const suffixes[] = {"_scale", "_shift", "_mean", "_variance"};
  for (int input = 0; input < 4; ++input) {
    const std::string name = names.make(name_of(node) + suffixes[input]);
    set_floats(*graph.add_initializer(), name, parameters[input]);
    node.set_input(input + 1, name);
  }
  set_epsilon_zero(node);
}

}  // namespace

void lift_float_constants(Graph& graph) {
  const std::set<std::string> outputs = output_names(graph);
  google::protobuf::RepeatedPtrField<Node> nodes;
  for (Node& node : *graph.mutable_node()) {
    const bool is_constant = node.op_type() == "Constant" && node.domain().empty() && node.output_size() == 1;
    std::optional<Tensor> tensor =
        is_constant && outputs.count(node.output(0)) == 0 ? constant_floats(node) : std::nullopt;
    if (tensor) {
      graph.add_initializer()->Swap(&*tensor);
    } else {
      nodes.Add()->Swap(&node);
    }
  }
  graph.mutable_node()->Swap(&nodes);
}

void fold_batch_normalisations(Graph& graph) {
  UniqueNames names(graph);
  std::vector<std::pair<int, Folded>> found;
  const GraphIndex index(graph);
  for (int position = 0; position < graph.node_size(); ++position) {
    const Node& node = graph.node(position);
    if (node.op_type() != "BatchNormalization" || !node.domain().empty() || node.output_size() != 1) continue;
    if (std::optional<Folded> folded = fold(node, index)) found.emplace_back(position, std::move(*folded));
  }
  for (const auto& [position, folded] : found) set_parameters(graph, *graph.mutable_node(position), folded, names);
  drop_unread_floats(graph);
}

void drop_unread_floats(Graph& graph) {
  std::set<std::string> read = output_names(graph);
  for (const Node& node : graph.node()) read.merge(names_read(node));
  google::protobuf::RepeatedPtrField<Tensor> kept;
  for (Tensor& tensor : *graph.mutable_initializer()) {
    const bool is_read = tensor.data_type() != Tensor::FLOAT || read.count(tensor.name()) > 0;
    if (is_read) kept.Add()->Swap(&tensor);
  }
  graph.mutable_initializer()->Swap(&kept);
}

}  // namespace vrt::onnx
