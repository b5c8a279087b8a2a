#include "vrt/engine/onnx/exposed_values.h"

#include <set>

#include "vrt/base/fail.h"
#include "vrt/engine/onnx/model.h"
#include "vrt/engine/onnx/model_file.h"
#include "vrt/engine/onnx/order.h"

namespace vrt::onnx {
namespace {

namespace fs = std::filesystem;

std::set<std::string> names_of_outputs(const Graph& graph) {
  std::set<std::string> names;
  for (const ValueInfo& output : graph.output()) names.insert(output.name());
  return names;
}

/// What is known of a value's type and shape; some backends want to be told.
const ValueInfo* find_declared(const Graph& graph, const std::string& value) {
  for (const ValueInfo& info : graph.value_info()) {
    if (info.name() == value) return &info;
  }
  return nullptr;
}

}  // namespace

std::vector<NodeValue> list_node_values(const fs::path& file) {
  Model model = parse_model(file);
  sort_nodes(model);
  const Graph& graph = model.graph();
  std::vector<NodeValue> values;
  for (const Node& node : graph.node()) {
    if (node.output_size() == 0 || node.output(0).empty()) continue;
    NodeValue& value = values.emplace_back(NodeValue{node.output(0), name_of(node), node.op_type()});
    for (int i = 0; i < graph.output_size(); ++i)
      if (graph.output(i).name() == value.value) value.output = i;
  }
  return values;
}

void expose_values(const fs::path& file, std::span<const std::string> values, const fs::path& target) {
  Model model = read_model(file);
  Graph& graph = *model.mutable_graph();
  std::set<std::string> outputs = names_of_outputs(graph);
  std::set<std::string> made;
  for (const Node& node : graph.node()) made.insert(node.output().begin(), node.output().end());
  for (const std::string& value : values) {
    require(made.count(value) > 0 && outputs.insert(value).second,
            "'{}' is not made by a node of '{}', or is an output of it already", value, file.string());
    ValueInfo* output = graph.add_output();
    output->set_name(value);
    if (const ValueInfo* declared = find_declared(graph, value)) *output = *declared;
  }
  write_model(model, target);
}

}  // namespace vrt::onnx
