#include "vrt/engine/onnx/unique_names.h"

namespace vrt::onnx {

UniqueNames::UniqueNames(Graph& graph) {
  for_each_graph(graph, [this](const Graph& inner) {
    for (const ValueInfo& input : inner.input()) taken_.insert(input.name());
    for (const ValueInfo& output : inner.output()) taken_.insert(output.name());
    for (const Tensor& tensor : inner.initializer()) taken_.insert(tensor.name());
    for (const auto& tensor : inner.sparse_initializer()) taken_.insert(tensor.values().name());
    for (const Node& node : inner.node()) {
      taken_.insert(node.name());
      taken_.insert(node.output().begin(), node.output().end());
    }
  });
}

std::string UniqueNames::make(const std::string& wished) {
  std::string name = wished;
  for (int number = 2; !taken_.insert(name).second; ++number) name = wished + "_" + std::to_string(number);
  return name;
}

}  // namespace vrt::onnx
