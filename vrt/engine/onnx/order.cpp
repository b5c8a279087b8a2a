#include "vrt/engine/onnx/order.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "vrt/base/fail.h"

namespace vrt::onnx {
namespace {

/// The names that a graph's nodes may read, and those of the graphs around it.
struct Scope {
  const Scope* outer = nullptr;
  std::unordered_set<std::string> names = {};

  [[nodiscard]] bool has(const std::string& name) const {
    return names.count(name) > 0 || (outer != nullptr && outer->has(name));
  }
};

/// Who waits for whom in one graph.
struct Dependencies {
  std::vector<std::vector<int>> users;  ///< Of each node.
  std::vector<int> missing;             ///< How many nodes each still waits for.
};

using Producers = std::unordered_map<std::string, int>;

void add_given_names(const Graph& graph, Scope& scope) {
  for (const ValueInfo& input : graph.input()) {
    if (!scope.names.insert(input.name()).second) {
      fail(ErrorCode::kCorrupt, "the graph has two inputs '{}'", input.name());
    }
  }
  std::unordered_set<std::string> initializers;
  for (const Tensor& tensor : graph.initializer()) {
    if (!initializers.insert(tensor.name()).second) {
      fail(ErrorCode::kCorrupt, "the graph has two initialisers '{}'", tensor.name());
    }
  }
  scope.names.merge(initializers);
  for (const auto& tensor : graph.sparse_initializer()) scope.names.insert(tensor.values().name());
}

Producers find_producers(const Graph& graph, const Scope& scope) {
  Producers producers;
  for (int index = 0; index < graph.node_size(); ++index) {
    if (graph.node(index).output().empty()) {
      fail(ErrorCode::kCorrupt, "node '{}' ({}) makes nothing", graph.node(index).name(), graph.node(index).op_type());
    }
    for (const std::string& output : graph.node(index).output()) {
      if (output.empty()) continue;
      if (scope.names.count(output) > 0 || !producers.emplace(output, index).second) {
        fail(ErrorCode::kCorrupt, "{} makes '{}', which is there already", describe(graph.node(index)), output);
      }
    }
  }
  return producers;
}

Dependencies find_dependencies(const Graph& graph, const Producers& producers, const Scope& scope) {
  const auto count = static_cast<std::size_t>(graph.node_size());
  Dependencies found{std::vector<std::vector<int>>(count), std::vector<int>(count, 0)};
  for (int index = 0; index < graph.node_size(); ++index) {
    for (const std::string& name : names_read(graph.node(index))) {
      const auto producer = producers.find(name);
      if (producer != producers.end()) {
        found.users[static_cast<std::size_t>(producer->second)].push_back(index);
        ++found.missing[static_cast<std::size_t>(index)];
      } else if (!scope.has(name)) {
        fail(ErrorCode::kCorrupt, "{} reads '{}', which nothing makes", describe(graph.node(index)), name);
      }
    }
  }
  return found;
}

/// Of the nodes that are ready always the first one, so that an ordered graph keeps its order.
std::vector<int> order_of(const Graph& graph, Dependencies dependencies) {
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int index = 0; index < graph.node_size(); ++index) {
    if (dependencies.missing[static_cast<std::size_t>(index)] == 0) ready.push(index);
  }
  std::vector<int> order;
  while (!ready.empty()) {
    const int index = ready.top();
    ready.pop();
    order.push_back(index);
    for (const int user : dependencies.users[static_cast<std::size_t>(index)]) {
      if (--dependencies.missing[static_cast<std::size_t>(user)] == 0) ready.push(user);
    }
  }
  if (order.size() < dependencies.missing.size()) {
    const auto stuck =
        std::find_if(dependencies.missing.begin(), dependencies.missing.end(), [](int n) { return n > 0; });
    fail(ErrorCode::kCorrupt, "{} waits for its own output",
         describe(graph.node(static_cast<int>(stuck - dependencies.missing.begin()))));
  }
  return order;
}

void reorder(Graph& graph, const std::vector<int>& order) {
  if (std::is_sorted(order.begin(), order.end())) return;
  google::protobuf::RepeatedPtrField<Node> sorted;
  for (const int index : order) sorted.Add()->Swap(graph.mutable_node(index));
  graph.mutable_node()->Swap(&sorted);
}

void sort_graph(Graph& graph, const Scope* outer) {
  Scope scope{outer};
  add_given_names(graph, scope);
  const Producers producers = find_producers(graph, scope);
  reorder(graph, order_of(graph, find_dependencies(graph, producers, scope)));
  for (const auto& [name, index] : producers) scope.names.insert(name);
  for (const ValueInfo& output : graph.output()) {
    if (!scope.has(output.name())) fail(ErrorCode::kCorrupt, "nothing makes the graph's output '{}'", output.name());
  }
  for (Node& node : *graph.mutable_node()) {
    for (Attribute& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) sort_graph(*attribute.mutable_g(), &scope);
      for (Graph& inner : *attribute.mutable_graphs()) sort_graph(inner, &scope);
    }
  }
}

}  // namespace

void sort_nodes(Model& model) { sort_graph(*model.mutable_graph(), nullptr); }

}  // namespace vrt::onnx
