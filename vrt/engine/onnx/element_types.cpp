#include "vrt/engine/onnx/element_types.h"

#include <functional>

#include "vrt/engine/onnx/float16_rules.h"

namespace vrt::onnx {
namespace {

std::int32_t input_type(const Node& node, int index, const ElementTypes& types) {
  return type_of(types, input_name(node, index));
}

/// Of an attribute that holds a type; `otherwise` where it is not there.
std::int32_t type_attribute(const Node& node, const char* name, std::int32_t otherwise) {
  const Attribute* attribute = find_attribute(node, name);
  return attribute != nullptr ? static_cast<std::int32_t>(attribute->i()) : otherwise;
}

std::int32_t constant_type(const Node& node) {
  if (const Attribute* value = find_attribute(node, "value")) return value->t().data_type();
  if (find_attribute(node, "value_float") != nullptr || find_attribute(node, "value_floats") != nullptr) {
    return Tensor::FLOAT;
  }
  const bool integer = find_attribute(node, "value_int") != nullptr || find_attribute(node, "value_ints") != nullptr;
  return integer ? Tensor::INT64 : Tensor::UNDEFINED;
}

using TypeRule = std::function<std::int32_t(const Node&, const ElementTypes&)>;

TypeRule as_input(int index) {
  return [index](const Node& node, const ElementTypes& types) { return input_type(node, index, types); };
}

/// Operators whose first output is of a type of their own.
const std::unordered_map<std::string, TypeRule>& own_rules() {
  static const std::unordered_map<std::string, TypeRule> rules = {
      {"Cast", [](const Node& node, auto&) { return type_attribute(node, "to", Tensor::UNDEFINED); }},
      {"Constant", [](const Node& node, auto&) { return constant_type(node); }},
      {"ConstantOfShape",
       [](const Node& node, auto&) {
         return find_attribute(node, "value") != nullptr ? constant_type(node) : std::int32_t{Tensor::FLOAT};
       }},
      {"CastLike", as_input(1)},
      {"DequantizeLinear", as_input(1)},
      {"OneHot", as_input(2)},
      {"Where", as_input(1)},
      {"RandomNormal", [](const Node& node, auto&) { return type_attribute(node, "dtype", Tensor::FLOAT); }},
      {"RandomUniform", [](const Node& node, auto&) { return type_attribute(node, "dtype", Tensor::FLOAT); }},
      {"EyeLike",
       [](const Node& node, auto& types) { return type_attribute(node, "dtype", input_type(node, 0, types)); }},
  };
  return rules;
}

std::int32_t first_output_type(const Node& node, const ElementTypes& types) {
  const OperatorRule* rule = find_rule(node);
  const auto own = own_rules().find(node.op_type());
  if (own != own_rules().end() && node.domain().empty()) return own->second(node, types);
  if (rule == nullptr || rule->output == OutputType::kUnknown) return Tensor::UNDEFINED;
  if (rule->output == OutputType::kBool) return Tensor::BOOL;
  return rule->output == OutputType::kInt64 ? std::int32_t{Tensor::INT64} : input_type(node, 0, types);
}

/// What the body of a control-flow node declares for an output; a loop's condition comes first among its body's.
std::int32_t body_type(const Node& node, const char* body, int index) {
  const Attribute* attribute = find_attribute(node, body);
  if (attribute == nullptr || index >= attribute->g().output_size()) return Tensor::UNDEFINED;
  return attribute->g().output(index).type().tensor_type().elem_type();
}

std::int32_t output_type(const Node& node, int index, const ElementTypes& types) {
  const std::string& op = node.op_type();
  if (op == "If") return body_type(node, "then_branch", index);
  if (op == "Loop") return body_type(node, "body", index + 1);
  if (op == "Scan") return body_type(node, "body", index);
  const bool indices = op == "TopK" || op == "MaxPool" || op == "Unique";
  if (index > 0 && indices) return Tensor::INT64;
  if (index > 0 && op == "Dropout") return Tensor::UNDEFINED;
  return first_output_type(node, types);
}

void add_declared(const google::protobuf::RepeatedPtrField<ValueInfo>& values, ElementTypes& types) {
  for (const ValueInfo& value : values) {
    if (value.type().has_tensor_type()) types.emplace(value.name(), value.type().tensor_type().elem_type());
  }
}

}  // namespace

std::int32_t type_of(const ElementTypes& types, const std::string& name) {
  const auto found = types.find(name);
  return found == types.end() ? std::int32_t{Tensor::UNDEFINED} : found->second;
}

ElementTypes find_element_types(const Model& model) {
  const Graph& graph = model.graph();
  ElementTypes types;
  add_declared(graph.input(), types);
  add_declared(graph.output(), types);
  add_declared(graph.value_info(), types);
  for (const Tensor& tensor : graph.initializer()) types[tensor.name()] = tensor.data_type();
  for (const Node& node : graph.node()) {
    for (int index = 0; index < node.output_size(); ++index) {
      const std::int32_t type = output_type(node, index, types);
      if (type != Tensor::UNDEFINED) types[node.output(index)] = type;
    }
  }
  types.erase("");
  return types;
}

}  // namespace vrt::onnx
