#include "vrt/engine/tensorrt/layer_text.h"

#include <gtest/gtest.h>

namespace vrt::tensorrt {
namespace {

Layer only_layer(const std::string& text) {
  const std::vector<Layer> layers = parse_layers(text);
  EXPECT_EQ(layers.size(), 1U);
  return layers.empty() ? Layer{} : layers.front();
}

/// A line as TensorRT-RTX 1.7.1 writes it.
std::string rtx_line(const std::string& input, const std::string& constant, const std::string& output) {
  const auto tensor = [](const std::string& name, const std::string& type) {
    return "{ Name: " + name + ", Dimensions: [1,4], Strides: [4,1], StrideOrder: [1,0], Datatype: " + type +
           ", Format: (Linear) Row major linear format }";
  };
  return "Name: node_of_363, LayerType: kgen, Inputs: [ " + tensor("x", input) + "], Constants: [ " +
         tensor("c", constant) + "], Outputs: [ " + tensor("y", output) +
         "], TacticName: none, StreamId: 0, Metadata: [ONNX Layer: mm]";
}

TEST(LayerTextTest, ReadsNameTypeAndPrecision) {
  const Layer layer = only_layer("Layers:\n" + rtx_line("Float", "Float", "Float") + "\n\nBindings:\nx\ny\n");
  EXPECT_EQ(layer.name, "node_of_363");
  EXPECT_EQ(layer.type, "kgen");
  EXPECT_EQ(layer.precision, "float32");
}

TEST(LayerTextTest, TheLeastOfWhatALayerTakesIsWhatItComputesIn) {
  EXPECT_EQ(only_layer(rtx_line("Float", "Half", "Float")).precision, "float16");
  EXPECT_EQ(only_layer(rtx_line("Half", "Float", "Float")).precision, "float16");
  EXPECT_EQ(only_layer(rtx_line("Float", "Float", "Half")).precision, "float32");
  EXPECT_EQ(only_layer(rtx_line("Half", "BFloat16", "Half")).precision, "bfloat16");
  EXPECT_EQ(only_layer(rtx_line("Half", "FP8", "Half")).precision, "float8");
  EXPECT_EQ(only_layer(rtx_line("Int64", "Half", "Int64")).precision, "float16");
  EXPECT_EQ(only_layer(rtx_line("Int64", "Int64", "Int64")).precision, "int64");
}

// As TensorRT 10 writes it: the type is a part of the format.
TEST(LayerTextTest, ReadsTheTypeInTheFormat) {
  const std::string line =
      "Name: conv1 + relu1, LayerType: CaskConvolution, Inputs: [ { Name: image, Location: Device, Dimensions: "
      "[1,3,8,8], "
      "Format/Datatype: Channel major FP16 format where channel % 8 == 0 }], Outputs: [ { Name: y, Location: Device, "
      "Dimensions: "
      "[1,8,8,8], Format/Datatype: Row major linear FP32 }], ParameterType: Convolution, Weights: {\"Type\": \"Half\", "
      "\"Count\": 216}, "
      "TacticName: sm80_xmma";
  const Layer layer = only_layer(line);
  EXPECT_EQ(layer.name, "conv1 + relu1");
  EXPECT_EQ(layer.type, "CaskConvolution");
  EXPECT_EQ(layer.precision, "float16");
}

TEST(LayerTextTest, ALayerWithoutInputsHasThePrecisionOfItsOutputs) {
  EXPECT_EQ(
      only_layer(
          "Name: c, LayerType: Constant, Inputs: [], Outputs: [ { Name: y, Format/Datatype: Row major linear FP16 "
          "format }], TacticName: , StreamId: 0")
          .precision,
      "float16");
}

TEST(LayerTextTest, WhatIsNotToldStaysEmpty) {
  const Layer layer = only_layer("Name: only a name\n");
  EXPECT_EQ(layer.type, "");
  EXPECT_EQ(layer.precision, "");
  EXPECT_EQ(only_layer(rtx_line("Complex", "Complex", "Complex")).precision, "");
  EXPECT_TRUE(parse_layers("").empty());
  EXPECT_TRUE(parse_layers("Layers:\nBindings:\n").empty());
}

}  // namespace
}  // namespace vrt::tensorrt
