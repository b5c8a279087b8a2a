#include "vrt/engine/onnx/float16_convert.h"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/error_of.h"
#include "vrt/engine/onnx/tensor.h"
#include "vrt/engine/testing/onnx_builder.h"

namespace vrt::onnx {
namespace {

using test::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::node_texts;
using testing::OnnxBuilder;

OnnxBuilder with_input() {
  OnnxBuilder builder;
  builder.input("x", {2, 8});
  return builder;
}

std::vector<std::string> convert(OnnxBuilder& builder) {
  prepare_for_float16(builder.model());
  static_cast<void>(convert_to_float16(builder.model(), {}));
  return node_texts(builder.graph());
}

const Tensor& initializer(OnnxBuilder& builder, const std::string& name) {
  for (const Tensor& tensor : builder.graph().initializer()) {
    if (tensor.name() == name) return tensor;
  }
  ADD_FAILURE() << "no initialiser " << name;
  return Tensor::default_instance();
}

TEST(Float16ConvertTest, InputsAndOutputsStayFloatAndTheInsideDoesNot) {
  OnnxBuilder builder = with_input();
  builder.node("Relu", {"x"}, {"a"});
  builder.node("Neg", {"a"}, {"y"});
  builder.output("y", {2, 8});
  EXPECT_THAT(convert(builder), ElementsAre("Cast(x)=x_float16", "Relu(x_float16)=a_float16",
                                            "Neg(a_float16)=y_float16", "Cast(y_float16)=y"));
  EXPECT_EQ(builder.graph().output(0).type().tensor_type().elem_type(), Tensor::FLOAT);
}

TEST(Float16ConvertTest, EachTensorIsCastOnceForAllWhoNeedIt) {
  OnnxBuilder builder = with_input();
  builder.node("Relu", {"x"}, {"a"});
  builder.node("Exp", {"a"}, {"b"});
  builder.node("Exp", {"a"}, {"c"});
  builder.node("Add", {"b", "c"}, {"d"});
  builder.node("Mul", {"b", "a"}, {"e"});
  for (const char* name : {"d", "e"}) builder.output(name, {2, 8});
  EXPECT_THAT(convert(builder),
              ElementsAre("Cast(x)=x_float16", "Relu(x_float16)=a_float16", "Cast(a_float16)=a", "Exp(a)=b", "Exp(a)=c",
                          "Cast(b)=b_float16", "Cast(c)=c_float16", "Add(b_float16,c_float16)=d_float16",
                          "Mul(b_float16,a_float16)=e_float16", "Cast(d_float16)=d", "Cast(e_float16)=e"));
}

TEST(Float16ConvertTest, AnInitialiserOfBothSidesIsThereTwiceAndOthersOnce) {
  OnnxBuilder builder = with_input();
  builder.floats("both", {1, 2, 3, 4, 5, 6, 7, 8});
  builder.floats("half", {1.00048828125F, 65504, 1e-8F, 6e-8F, 5, 6, 7, -HUGE_VALF});
  builder.node("Add", {"x", "both"}, {"a"});
  builder.node("Add", {"a", "half"}, {"b"});
  builder.node("Pow", {"b", "both"}, {"y"});
  builder.output("y", {2, 8});
  convert(builder);
  EXPECT_EQ(builder.graph().initializer_size(), 3);
  EXPECT_EQ(initializer(builder, "both").data_type(), Tensor::FLOAT);
  EXPECT_EQ(initializer(builder, "both_float16").data_type(), Tensor::FLOAT16);
  const Tensor& half = initializer(builder, "half_float16");
  check_tensor(half);
  std::vector<std::uint16_t> bits(8);
  std::memcpy(bits.data(), half.raw_data().data(), 16);
  EXPECT_THAT(bits, ElementsAre(0x3C00, 0x7BFF, 0, 1, 0x4500, 0x4600, 0x4700, 0xFC00));
}

TEST(Float16ConvertTest, ConstantsOfFloatsBecomeInitialisersAndOthersStay) {
  OnnxBuilder builder = with_input();
  Attribute& value = *builder.node("Constant", {}, {"scale"}).add_attribute();
  value.set_name("value_float");
  value.set_f(3);
  Attribute& integers = *builder.node("Constant", {}, {"shape"}).add_attribute();
  integers.set_name("value_ints");
  integers.add_ints(16);
  builder.node("Mul", {"x", "scale"}, {"a"});
  builder.node("Reshape", {"a", "shape"}, {"y"});
  builder.output("y", {16});
  EXPECT_THAT(convert(builder),
              ElementsAre("Constant()=shape", "Cast(x)=x_float16", "Mul(x_float16,scale_float16)=a_float16",
                          "Reshape(a_float16,shape)=y_float16", "Cast(y_float16)=y"));
  EXPECT_EQ(builder.graph().initializer_size(), 1);
}

TEST(Float16ConvertTest, ABatchNormalisationLosesItsStatisticsAndComputesTheSame) {
  OnnxBuilder builder = with_input();
  builder.floats("scale", {2, 3});
  builder.floats("shift", {1, -1});
  builder.floats("mean", {0.5F, 4});
  builder.floats("variance", {1e-9F, 0.25F});
  builder.node("BatchNormalization", {"x", "scale", "shift", "mean", "variance"}, {"y"});
  builder.output("y", {2, 8});
  prepare_for_float16(builder.model());
  const Node& node = builder.graph().node(0);
  EXPECT_EQ(find_attribute(node, "epsilon")->f(), 0);
  const std::vector<float> scale = float_values(initializer(builder, node.input(1)));
  const std::vector<float> shift = float_values(initializer(builder, node.input(2)));
  for (std::size_t channel = 0; channel < 2; ++channel) {
    const double expected = channel == 0 ? 2 / std::sqrt(1e-9 + 1e-5) : 3 / std::sqrt(0.25 + 1e-5);
    EXPECT_NEAR(scale[channel], expected, 1e-3);
    EXPECT_NEAR(shift[channel], channel == 0 ? 1 - 0.5 * expected : -1 - 4 * expected, 1e-3);
  }
  EXPECT_THAT(float_values(initializer(builder, node.input(3))), ElementsAre(0, 0));
  EXPECT_THAT(float_values(initializer(builder, node.input(4))), ElementsAre(1, 1));
  EXPECT_EQ(builder.graph().initializer_size(), 4);
}

TEST(Float16ConvertTest, WhatASubgraphTakesFromOutsideIsFloat32) {
  OnnxBuilder builder = with_input();
  builder.input("condition", {}, Tensor::BOOL);
  builder.node("Relu", {"x"}, {"a"});
  Attribute& branch = *builder.node("If", {"condition"}, {"y"}).add_attribute();
  branch.set_name("then_branch");
  OnnxBuilder::add_node(*branch.mutable_g(), "Neg", {"a"}, {"inner"});
  OnnxBuilder::describe(*branch.mutable_g()->add_output(), "inner", {2, 8});
  builder.output("y", {2, 8});
  EXPECT_THAT(convert(builder),
              ElementsAre("Cast(x)=x_float16", "Relu(x_float16)=a_float16", "Cast(a_float16)=a", "If(condition)=y"));
}

TEST(Float16ConvertTest, AShapeIsTakenFromWhicheverFormIsThere) {
  OnnxBuilder builder = with_input();
  builder.node("Relu", {"x"}, {"a"});
  builder.node("Shape", {"a"}, {"shape"});
  builder.node("Shape", {"x"}, {"first"});
  for (const char* name : {"shape", "first"}) builder.output(name, {2}, Tensor::INT64);
  EXPECT_THAT(convert(builder), ElementsAre("Cast(x)=x_float16", "Relu(x_float16)=a_float16", "Shape(a_float16)=shape",
                                            "Shape(x)=first"));
}

TEST(Float16ConvertTest, CastsInTheFileAreRetargeted) {
  OnnxBuilder builder = with_input();
  builder.input("mask", {8}, Tensor::BOOL);
  testing::set_integer(builder.node("Cast", {"mask"}, {"factor"}), "to", Tensor::FLOAT);
  builder.node("Mul", {"x", "factor"}, {"y"});
  builder.output("y", {2, 8});
  EXPECT_THAT(convert(builder), ElementsAre("Cast(mask)=factor_float16", "Cast(x)=x_float16",
                                            "Mul(x_float16,factor_float16)=y_float16", "Cast(y_float16)=y"));
  EXPECT_EQ(find_attribute(builder.graph().node(0), "to")->i(), Tensor::FLOAT16);
}

TEST(Float16ConvertTest, NamesThatAreTakenAreNotUsedAgain) {
  OnnxBuilder builder = with_input();
  builder.node("Relu", {"x"}, {"x_float16"});
  builder.output("x_float16", {2, 8});
  EXPECT_THAT(convert(builder), ElementsAre("Cast(x)=x_float16_2", "Relu(x_float16_2)=x_float16_float16",
                                            "Cast(x_float16_float16)=x_float16"));
}

TEST(Float16ConvertTest, DeclaredTypesFollow) {
  OnnxBuilder builder = with_input();
  builder.node("Relu", {"x"}, {"a"});
  builder.node("Exp", {"a"}, {"b"});
  builder.node("Neg", {"a"}, {"c"});
  builder.node("Neg", {"c"}, {"d"});
  for (const char* name : {"b", "d"}) builder.output(name, {2, 8});
  for (const char* name : {"a", "c"}) OnnxBuilder::describe(*builder.graph().add_value_info(), name, {2, 8});
  convert(builder);
  EXPECT_EQ(builder.graph().value_info(0).name(), "a");
  EXPECT_EQ(builder.graph().value_info(0).type().tensor_type().elem_type(), Tensor::FLOAT);
  EXPECT_EQ(builder.graph().value_info(1).name(), "c_float16");
  EXPECT_EQ(builder.graph().value_info(1).type().tensor_type().elem_type(), Tensor::FLOAT16);
}

TEST(Float16ConvertTest, TheReportCountsWhatIsConvertedAndNamesWhatIsNot) {
  OnnxBuilder builder = with_input();
  builder.node("Relu", {"x"}, {"a"});
  builder.node("Softmax", {"a"}, {"y"}).set_name("probabilities");
  builder.output("y", {2, 8});
  prepare_for_float16(builder.model());
  const detail::PreparationReport report = convert_to_float16(builder.model(), {});
  EXPECT_EQ(report.converted_nodes, 1);
  ASSERT_EQ(report.kept.size(), 1U);
  EXPECT_EQ(report.kept[0].name, "probabilities");
  EXPECT_EQ(report.kept[0].type, "Softmax");
  EXPECT_EQ(report.kept[0].reason, "sums of exponentials");
}

TEST(Float16ConvertTest, ANetworkWithoutFloatsStaysAsItIs) {
  OnnxBuilder builder;
  builder.input("x", {2}, Tensor::INT64);
  builder.node("Add", {"x", "x"}, {"y"});
  builder.output("y", {2}, Tensor::INT64);
  EXPECT_THAT(convert(builder), ElementsAre("Add(x,x)=y"));
}

TEST(Float16ConvertTest, OldOperatorSetsAreRefused) {
  OnnxBuilder builder(6);
  const Error error = error_of([&] { prepare_for_float16(builder.model()); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("operator set 6 is too old"));
}

}  // namespace
}  // namespace vrt::onnx
