#include "vrt/engine/onnx/probes.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <vector>

#include "vrt/engine/onnx/element_types.h"
#include "vrt/engine/onnx/unique_names.h"

namespace vrt::onnx {
namespace {

bool has_open_size(const Node& node) {
  static const std::set<std::string> operators = {
      "NonZero", "NonMaxSuppression", "Unique", "Compress", "If", "Loop", "Scan", "Range"};
  return operators.count(node.op_type()) > 0;
}

/// The float tensors that nodes make and whose sizes do not depend on data, and the float inputs.
std::vector<std::string> tensors_to_probe(const Model& model) {
  const ElementTypes types = find_element_types(model);
  const auto is_float = [&](const std::string& name) { return type_of(types, name) == Tensor::FLOAT; };
  std::vector<std::string> names;
  for (const ValueInfo& input : model.graph().input()) {
    if (is_float(input.name())) names.push_back(input.name());
  }
  std::unordered_set<std::string> open;
  for (const Node& node : model.graph().node()) {
    const std::set<std::string> read = names_read(node);
    const bool is_open = has_open_size(node) || std::any_of(read.begin(), read.end(), [&](const std::string& name) {
                           return open.count(name) > 0;
                         });
    for (const std::string& output : node.output()) {
      if (is_open) open.insert(output);
      if (!is_open && is_float(output)) names.push_back(output);
    }
  }
  return names;
}

void add_node(Graph& graph, const char* type, const std::string& from, const std::string& to) {
  Node& node = *graph.add_node();
  node.set_op_type(type);
  node.set_name(to);
  node.add_input(from);
  node.add_output(to);
}

void add_attribute(Node& node, const char* name, std::int64_t value) {
  Attribute& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(Attribute::INT);
  attribute.set_i(value);
}

}  // namespace

std::map<std::string, std::string> add_probes(Model& model) {
  const std::vector<std::string> tensors = tensors_to_probe(model);
  Graph& graph = *model.mutable_graph();
  UniqueNames names(graph);
  graph.clear_output();
  std::map<std::string, std::string> probes;
  for (const std::string& tensor : tensors) {
    const std::string magnitudes = names.make("vrt_magnitudes_" + std::to_string(probes.size()));
    const std::string largest = names.make("vrt_largest_" + std::to_string(probes.size()));
    add_node(graph, "Abs", tensor, magnitudes);
    add_node(graph, "ReduceMax", magnitudes, largest);
    add_attribute(*graph.mutable_node(graph.node_size() - 1), "keepdims", 0);
    ValueInfo& output = *graph.add_output();
    output.set_name(largest);
    output.mutable_type()->mutable_tensor_type()->set_elem_type(Tensor::FLOAT);
    output.mutable_type()->mutable_tensor_type()->mutable_shape();
    probes.emplace(largest, tensor);
  }
  return probes;
}

}  // namespace vrt::onnx
