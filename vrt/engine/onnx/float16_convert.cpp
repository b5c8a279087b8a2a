#include "vrt/engine/onnx/float16_convert.h"

#include <cstring>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "vrt/base/fail.h"
#include "vrt/engine/onnx/graph_index.h"
#include "vrt/engine/onnx/half.h"
#include "vrt/engine/onnx/simplify.h"
#include "vrt/engine/onnx/tensor.h"
#include "vrt/engine/onnx/unique_names.h"

namespace vrt::onnx {
namespace {

Tensor converted(const Tensor& tensor, const std::string& name) {
  const std::vector<float> values = float_values(tensor);
  std::string bytes(values.size() * sizeof(std::uint16_t), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t half = to_float16(values[i]);
    std::memcpy(bytes.data() + i * sizeof(half), &half, sizeof(half));
  }
  Tensor result;
  result.set_name(name);
  *result.mutable_dims() = tensor.dims();
  result.set_data_type(Tensor::FLOAT16);
  result.set_raw_data(std::move(bytes));
  return result;
}

void set_cast_type(Node& cast, std::int32_t type) {
  for (Attribute& attribute : *cast.mutable_attribute()) {
    if (attribute.name() == "to") attribute.set_i(type);
  }
}

/// Writes the graph's nodes anew, in order, with casts where a tensor goes from one side to the other.
class Converter {
 public:
  Converter(Graph& graph, const Float16Plan& plan) : graph_(graph), plan_(plan), names_(graph) {
    for (const Tensor& tensor : graph.initializer()) initializers_.emplace(tensor.name(), tensor.data_type());
  }

  void run() {
    google::protobuf::RepeatedPtrField<Node> nodes;
    graph_.mutable_node()->Swap(&nodes);
    for (int index = 0; index < nodes.size(); ++index) add(nodes[index], plan_.nodes[static_cast<std::size_t>(index)]);
    for (const ValueInfo& output : graph_.output()) need_float32(output.name());
    add_converted_initializers();
    convert_value_info();
    drop_unread_floats(graph_);
  }

 private:
  void add(Node& node, const NodePlan& plan) {
    const OperatorRule* rule = find_rule(node);
    if (plan.float16) {
      convert(node);
    } else if (rule != nullptr && rule->compute == OperatorRule::Compute::kEither) {
      take_what_is_there(node);
    } else {
      for (const std::string& name : names_read(node)) need_float32(name);
    }
    graph_.add_node()->Swap(&node);
  }

  void convert(Node& node) {
    for (int input = 0; input < node.input_size(); ++input) {
      if (takes_float(node, input, plan_.types)) {
        node.set_input(input, float16_of(node.input(input)));
      } else if (!node.input(input).empty()) {
        need_float32(node.input(input));
      }
    }
    for (int output = 0; output < node.output_size(); ++output) {
      if (type_of(plan_.types, node.output(output)) != Tensor::FLOAT) continue;
      const std::string name = names_.make(node.output(output) + "_float16");
      float16_.emplace(node.output(output), name);
      only_float16_.insert(node.output(output));
      node.set_output(output, name);
    }
    if (node.op_type() == "Cast") set_cast_type(node, Tensor::FLOAT16);
  }

  void take_what_is_there(Node& node) {
    for (std::string& input : *node.mutable_input()) {
      if (only_float16_.count(input) > 0) input = float16_.at(input);
    }
  }

  std::string float16_of(const std::string& name) {
    const auto [found, is_new] = float16_.try_emplace(name);
    if (!is_new) return found->second;
    found->second = names_.make(name + "_float16");
    if (initializers_.count(name) > 0) {
      converted_.insert(name);
    } else {
      add_cast(name, found->second, Tensor::FLOAT16);
    }
    return float16_.at(name);
  }

  void need_float32(const std::string& name) {
    if (only_float16_.erase(name) == 0) return;
    add_cast(float16_.at(name), name, Tensor::FLOAT);
  }

  void add_cast(const std::string& from, const std::string& to, std::int32_t type) {
    Node& cast = *graph_.add_node();
    cast.set_op_type("Cast");
    cast.set_name(names_.make("cast_to_" + to));
    cast.add_input(from);
    cast.add_output(to);
    Attribute& attribute = *cast.add_attribute();
    attribute.set_name("to");
    attribute.set_type(Attribute::INT);
    attribute.set_i(type);
  }

  void add_converted_initializers() {
    const int count = graph_.initializer_size();
    for (int index = 0; index < count; ++index) {
      const std::string& name = graph_.initializer(index).name();
      if (converted_.count(name) == 0) continue;
      Tensor tensor = converted(graph_.initializer(index), float16_.at(name));
      graph_.add_initializer()->Swap(&tensor);
    }
  }

  void convert_value_info() {
    for (ValueInfo& value : *graph_.mutable_value_info()) {
      if (only_float16_.count(value.name()) == 0) continue;
      value.set_name(float16_.at(value.name()));
      value.mutable_type()->mutable_tensor_type()->set_elem_type(Tensor::FLOAT16);
    }
  }

  Graph& graph_;
  const Float16Plan& plan_;
  UniqueNames names_;
  std::unordered_map<std::string, std::int32_t> initializers_;
  std::unordered_map<std::string, std::string> float16_;  ///< The float16 form of a tensor, by its name.
  std::unordered_set<std::string> only_float16_;          ///< Tensors whose float32 form does not exist (yet).
  std::unordered_set<std::string> converted_;             ///< Initialisers that have a float16 form.
};

detail::PreparationReport report_of(const Graph& graph, const Float16Plan& plan) {
  detail::PreparationReport report;
  for (int index = 0; index < graph.node_size(); ++index) {
    const NodePlan& decision = plan.nodes[static_cast<std::size_t>(index)];
    const Node& node = graph.node(index);
    if (decision.float16) {
      ++report.converted_nodes;
    } else if (decision.touches_floats) {
      report.kept.push_back({name_of(node), node.op_type(), decision.reason});
    }
  }
  return report;
}

}  // namespace

void prepare_for_float16(Model& model) {
  const std::int64_t version = operator_set(model);
  if (version < kFirstOperatorSetForFloat16) {
    fail(ErrorCode::kUnsupported,
         "operator set {} is too old to be converted to float16: export the model with {} or a later one", version,
         kFirstOperatorSetForFloat16);
  }
  lift_float_constants(*model.mutable_graph());
  fold_batch_normalisations(*model.mutable_graph());
}

detail::PreparationReport convert_to_float16(Model& model, const LargestMagnitudes& largest) {
  const Float16Plan plan = plan_float16(model, largest);
  detail::PreparationReport report = report_of(model.graph(), plan);
  Converter(*model.mutable_graph(), plan).run();
  return report;
}

}  // namespace vrt::onnx
