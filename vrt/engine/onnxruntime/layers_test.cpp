#include "vrt/engine/onnxruntime/layers.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vrt::onnxruntime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// One event of a profile.
std::string kernel(const std::string& name, const std::string& op, const std::string& provider,
                   const std::string& inputs, const std::string& outputs) {
  return R"({"cat": "Node", "name": ")" + name + R"(_kernel_time", "args": {"op_name": ")" + op +
         R"(", "provider": ")" + provider + R"(", "node_index": "7", "input_type_shape": [)" + inputs +
         R"(], "output_type_shape": [)" + outputs + "]}}";
}

std::vector<Layer> layers_of(std::initializer_list<std::string> events) {
  std::string text;
  for (const std::string& event : events) text += (text.empty() ? "[" : ", ") + event;
  return parse_profile(text + "]");
}

const std::string kCpu = "CPUExecutionProvider";
const std::string kCuda = "CUDAExecutionProvider";

TEST(OnnxRuntimeLayersTest, PrecisionIsThatOfWhatComesOut) {
  const auto layers = layers_of({
      R"({"cat": "Session", "name": "model_run"})",
      R"({"cat": "Node", "name": "a_fence_before"})",
      kernel("a", "Conv", kCuda, R"({"float16": [1,3]}, {"float16": [3]})", R"({"float16": [1,3]})"),
      kernel("b", "Cast", kCuda, R"({"float16": [1,3]})", R"({"float": [1,3]})"),
      kernel("c", "Greater", kCuda, R"({"float": [1,3]}, {"float": []})", R"({"bool": [1,3]})"),
      kernel("d", "Add", kCuda, R"({"int64": [2]}, {"int64": [2]})", R"({"int64": [2]})"),
      kernel("e", "Exp", kCuda, R"({"double": [2]})", R"({"double": [2]})"),
      kernel("a", "Conv", kCuda, R"({"float16": [1,3]}, {"float16": [3]})", R"({"float16": [1,3]})"),
  });
  std::vector<std::string> precisions;
  for (const Layer& layer : layers) precisions.push_back(layer.name + " " + layer.type + " " + layer.precision);
  EXPECT_THAT(precisions,
              ElementsAre("a Conv float16", "b Cast float32", "c Greater float32", "d Add int64", "e Exp float64"));
}

TEST(OnnxRuntimeLayersTest, ARecordOfAnotherFormIsRefused) {
  const auto status_of = [](const std::string& text) {
    try {
      static_cast<void>(parse_profile(text));
      return static_cast<std::int32_t>(VRT_BACKEND_OK);
    } catch (const backend::Failure& failure) {
      EXPECT_THAT(failure.what(), HasSubstr("record of a run has another form"));
      return failure.status();
    }
  };
  EXPECT_EQ(status_of(""), VRT_BACKEND_FAILED);
  EXPECT_EQ(status_of("[1]"), VRT_BACKEND_FAILED);
  EXPECT_EQ(status_of(R"([{"cat": "Node", "name": "a_kernel_time", "args": {}}])"), VRT_BACKEND_FAILED);
  EXPECT_EQ(status_of("[]"), VRT_BACKEND_OK);
}

TEST(OnnxRuntimeLayersTest, DescribesNamesThatAreNoText) {
  EXPECT_EQ(describe({{.name = "a\"\xff", .type = "Conv", .precision = "float16"}}),
            "{\"layers\":[{\"name\":\"a\\\"\xEF\xBF\xBD\",\"precision\":\"float16\",\"type\":\"Conv\"}]}");
}

std::string refusal_of(const std::vector<Layer>& layers, const Signature& signature) {
  try {
    require_on_gpu(layers, signature, 2);
  } catch (const backend::Failure& failure) {
    EXPECT_EQ(failure.status(), VRT_BACKEND_UNSUPPORTED);
    return failure.what();
  }
  return "";
}

Tensor tensor(const std::string& name, ONNXTensorElementDataType type, std::vector<std::int64_t> shape,
              bool batched = false) {
  return {name, type, std::move(shape), 0, batched};
}

const Tensor kImage = tensor("image", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {4, 3, 32, 32}, true);
const std::string kConv = kernel("conv", "Conv", kCuda, R"({"float": [2,3,32,32]})", R"({"float": [2,8,32,32]})");
const std::string kShape = kernel("shape", "Shape", kCuda, R"({"float": [2,3,32,32]})", R"({"int64": [4]})");
const std::string kGather = kernel("gather", "Gather", kCpu, R"({"int64": [4]}, {"int64": []})", R"({"int64": [1]})");

TEST(OnnxRuntimeLayersTest, ArithmeticOfShapesMayRunOnTheHost) {
  EXPECT_EQ(refusal_of(layers_of({kConv, kShape, kGather}), {{kImage}, {kImage}}), "");
}

TEST(OnnxRuntimeLayersTest, LayersWithoutACudaKernelAreRefusedByName) {
  const std::string nonzero =
      kernel("find", "NonMaxSuppression", kCpu, R"({"float": [2,100,4]})", R"({"int64": [9,3]})");
  EXPECT_THAT(refusal_of(layers_of({kConv, nonzero}), {{kImage}, {kImage}}), HasSubstr("'find' (NonMaxSuppression)"));
  const std::string copy = kernel("copy", "MemcpyToHost", kCuda, R"({"int64": [4]})", R"({"int64": [4]})");
  EXPECT_THAT(refusal_of(layers_of({kConv, copy, kGather}), {{kImage}, {kImage}}), HasSubstr("'gather' (Gather)"));
}

TEST(OnnxRuntimeLayersTest, InputsAndOutputsOfTheHostAreRefusedByName) {
  const Tensor count = tensor("k", ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, {1});
  EXPECT_THAT(refusal_of(layers_of({kConv}), {{kImage, count}, {kImage}}), HasSubstr("input 'k' is [1]"));
  EXPECT_THAT(
      refusal_of(layers_of({kConv, kShape}), {{kImage}, {tensor("s", ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, {4})}}),
      HasSubstr("output 's' is [4]"));
  EXPECT_EQ(refusal_of(layers_of({kConv}), {{kImage}, {tensor("s", ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, {4})}}), "");
}

}  // namespace
}  // namespace vrt::onnxruntime
