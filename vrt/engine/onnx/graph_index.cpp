#include "vrt/engine/onnx/graph_index.h"

namespace vrt::onnx {

GraphIndex::GraphIndex(const Graph& graph) : graph_(graph) {
  for (int index = 0; index < graph.node_size(); ++index) {
    for (const std::string& output : graph.node(index).output()) {
      if (!output.empty()) producers_.emplace(output, index);
    }
    for (const std::string& name : names_read(graph.node(index))) readers_[name].push_back(index);
  }
  for (const Tensor& tensor : graph.initializer()) initializers_.emplace(tensor.name(), &tensor);
}

int GraphIndex::producer(const std::string& name) const {
  const auto found = producers_.find(name);
  return found == producers_.end() ? -1 : found->second;
}

const Node* GraphIndex::producer(const Node& node, int input) const {
  const int index = producer(input_name(node, input));
  return index < 0 ? nullptr : &graph_.node(index);
}

const std::vector<int>& GraphIndex::readers(const std::string& name) const {
  static const std::vector<int> none;
  const auto found = readers_.find(name);
  return found == readers_.end() ? none : found->second;
}

const Tensor* GraphIndex::initializer(const std::string& name) const {
  const auto found = initializers_.find(name);
  return found == initializers_.end() ? nullptr : found->second;
}

}  // namespace vrt::onnx
