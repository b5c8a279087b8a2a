// For tests: small ONNX models, and graphs to look at.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "vrt/engine/onnx/model.h"

namespace vrt::testing {

/// A model that grows call by call. It is written as it is: wrong where a test makes it wrong.
class OnnxBuilder {
 public:
  explicit OnnxBuilder(std::int64_t operator_set = 17) {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(operator_set);
    graph().set_name("test");
  }

  [[nodiscard]] onnx::Model& model() { return model_; }
  [[nodiscard]] onnx::Graph& graph() { return *model_.mutable_graph(); }

  /// An extent of -1 is the symbol "n".
  onnx::ValueInfo& input(const std::string& name, std::vector<std::int64_t> extents,
                         std::int32_t type = onnx::Tensor::FLOAT) {
    return describe(*graph().add_input(), name, extents, type);
  }
  onnx::ValueInfo& output(const std::string& name, std::vector<std::int64_t> extents,
                          std::int32_t type = onnx::Tensor::FLOAT) {
    return describe(*graph().add_output(), name, extents, type);
  }

  onnx::Node& node(const std::string& type, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs) {
    return add_node(graph(), type, inputs, outputs);
  }

  static onnx::Node& add_node(onnx::Graph& graph, const std::string& type, const std::vector<std::string>& inputs,
                              const std::vector<std::string>& outputs) {
    onnx::Node& node = *graph.add_node();
    node.set_op_type(type);
    for (const std::string& name : inputs) node.add_input(name);
    for (const std::string& name : outputs) node.add_output(name);
    return node;
  }

  /// An initialiser of rank 1, or a scalar for one value.
  onnx::Tensor& floats(const std::string& name, std::vector<float> values) {
    onnx::Tensor& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::Tensor::FLOAT);
    if (values.size() != 1) tensor.add_dims(static_cast<std::int64_t>(values.size()));
    tensor.mutable_float_data()->Add(values.begin(), values.end());
    return tensor;
  }
  onnx::Tensor& integers(const std::string& name, std::vector<std::int64_t> values) {
    onnx::Tensor& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::Tensor::INT64);
    tensor.add_dims(static_cast<std::int64_t>(values.size()));
    tensor.mutable_int64_data()->Add(values.begin(), values.end());
    return tensor;
  }

  std::filesystem::path write(const std::filesystem::path& file) const {
    std::ofstream(file, std::ios::binary) << model_.SerializeAsString();
    return file;
  }

  static onnx::ValueInfo& describe(onnx::ValueInfo& value, const std::string& name,
                                   const std::vector<std::int64_t>& extents, std::int32_t type = onnx::Tensor::FLOAT) {
    value.set_name(name);
    auto& tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    tensor.mutable_shape();
    for (const std::int64_t extent : extents) {
      auto& dimension = *tensor.mutable_shape()->add_dim();
      extent < 0 ? dimension.set_dim_param("n") : dimension.set_dim_value(extent);
    }
    return value;
  }

 private:
  onnx::Model model_;
};

inline void set_integer(onnx::Node& node, const std::string& name, std::int64_t value) {
  onnx::Attribute& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::Attribute::INT);
  attribute.set_i(value);
}

/// "Cast(x)=x_float16" for each node, in order.
inline std::vector<std::string> node_texts(const onnx::Graph& graph) {
  std::vector<std::string> texts;
  const auto joined = [](const auto& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
    return text;
  };
  for (const onnx::Node& node : graph.node()) {
    texts.push_back(node.op_type() + "(" + joined(node.input()) + ")=" + joined(node.output()));
  }
  return texts;
}

}  // namespace vrt::testing
