// Internal (not installed): who makes and who reads what in an ONNX graph.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "vrt/engine/onnx/model.h"

namespace vrt::onnx {

/// Positions of nodes in a graph that stays as it is while this is in use.
class GraphIndex {
 public:
  explicit GraphIndex(const Graph& graph);

  [[nodiscard]] const Graph& graph() const noexcept { return graph_; }
  /// The node that makes `name`; -1 for what is given or not there.
  [[nodiscard]] int producer(const std::string& name) const;
  /// The node that makes a node's input; null likewise.
  [[nodiscard]] const Node* producer(const Node& node, int input) const;
  /// The nodes that read `name`, themselves or in their subgraphs.
  [[nodiscard]] const std::vector<int>& readers(const std::string& name) const;
  /// The initialiser of that name, or null.
  [[nodiscard]] const Tensor* initializer(const std::string& name) const;

 private:
  const Graph& graph_;
  std::unordered_map<std::string, int> producers_;
  std::unordered_map<std::string, std::vector<int>> readers_;
  std::unordered_map<std::string, const Tensor*> initializers_;
};

}  // namespace vrt::onnx
