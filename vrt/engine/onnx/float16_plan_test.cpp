#include "vrt/engine/onnx/float16_plan.h"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/engine/onnx/order.h"
#include "vrt/engine/testing/onnx_builder.h"

namespace vrt::onnx {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::OnnxBuilder;
using testing::set_integer;

/// The reason of each node that stays in float32, by its first output; "float16" for one that does not, "" for one without floats.
std::map<std::string, std::string> decisions(OnnxBuilder& builder, const LargestMagnitudes& largest = {}) {
  sort_nodes(builder.model());
  const Float16Plan plan = plan_float16(builder.model(), largest);
  std::map<std::string, std::string> found;
  for (int index = 0; index < builder.graph().node_size(); ++index) {
    const NodePlan& node = plan.nodes[static_cast<std::size_t>(index)];
    EXPECT_TRUE(node.float16 || !node.touches_floats || !node.reason.empty()) << builder.graph().node(index).op_type();
    found[builder.graph().node(index).output(0)] = node.float16 ? "float16" : node.touches_floats ? node.reason : "";
  }
  return found;
}

/// "x" of floats, for nodes that a test adds.
OnnxBuilder with_input(std::int64_t operator_set = 17) {
  OnnxBuilder builder(operator_set);
  builder.input("x", {2, 8});
  return builder;
}

TEST(Float16PlanTest, FloatsAreConvertedAndIntegersAreLeftAlone) {
  OnnxBuilder builder = with_input();
  builder.node("Shape", {"x"}, {"shape"});
  builder.integers("two", {2, 2});
  builder.node("Mul", {"shape", "two"}, {"larger"});
  builder.node("Relu", {"x"}, {"y"});
  builder.node("Expand", {"y", "larger"}, {"z"});
  const auto found = decisions(builder);
  EXPECT_EQ(found.at("shape"), "");
  EXPECT_EQ(found.at("larger"), "");
  EXPECT_EQ(found.at("y"), "float16");
  EXPECT_EQ(found.at("z"), "float16");
}

/// "y" = a layer normalisation of `input` as single operators, scaled by "scale" and shifted by "shift".
void add_layer_normalisation(OnnxBuilder& builder, const std::string& input, bool squares_by_product) {
  builder.floats("two", {2});
  builder.floats("epsilon", {1e-5F});
  builder.floats("scale", {1, 2, 3, 4, 5, 6, 7, 8});
  builder.node("ReduceMean", {input}, {"mean"});
  builder.node("Sub", {input, "mean"}, {"centred"});
  if (squares_by_product) builder.node("Mul", {"centred", "centred"}, {"squares"});
  if (!squares_by_product) builder.node("Pow", {"centred", "two"}, {"squares"});
  builder.node("ReduceMean", {"squares"}, {"variance"});
  builder.node("Add", {"variance", "epsilon"}, {"sum"});
  builder.node("Sqrt", {"sum"}, {"deviation"});
  builder.node("Div", {"centred", "deviation"}, {"normal"});
  builder.node("Mul", {"normal", "scale"}, {"scaled"});
  builder.node("Add", {"scale", "scaled"}, {"y"});
}

TEST(Float16PlanTest, ADecomposedLayerNormalisationStaysWithItsScalingWhereItsInputIsFloat32) {
  for (const bool squares_by_product : {false, true}) {
    OnnxBuilder builder = with_input();
    add_layer_normalisation(builder, "x", squares_by_product);
    for (const auto& [output, reason] : decisions(builder)) {
      EXPECT_THAT(reason, HasSubstr("layer normalisation")) << output;
    }
  }
}

TEST(Float16PlanTest, TheScalingIsConvertedWhereTheInputIsCastForTheNormalisationAlone) {
  OnnxBuilder builder = with_input();
  builder.node("Relu", {"x"}, {"a"});
  add_layer_normalisation(builder, "a", false);
  auto found = decisions(builder);
  EXPECT_THAT(found.at("normal"), HasSubstr("layer normalisation"));
  EXPECT_EQ(found.at("scaled"), "float16");
  EXPECT_EQ(found.at("y"), "float16");
  builder.node("Exp", {"a"}, {"other"});
  found = decisions(builder);
  EXPECT_EQ(found.at("a"), "float16");
  EXPECT_THAT(found.at("scaled"), HasSubstr("layer normalisation"));
}

TEST(Float16PlanTest, WhereTheScaleCannotBeConvertedTheInputIsNot) {
  OnnxBuilder builder = with_input();
  builder.node("Relu", {"x"}, {"a"});
  add_layer_normalisation(builder, "a", false);
  const auto found = decisions(builder, {{"scaled", 1e6F}});
  EXPECT_EQ(found.at("scaled"), "range 1e+06 of 'scaled'");
  EXPECT_THAT(found.at("a"), HasSubstr("made for a normalisation"));
}

TEST(Float16PlanTest, ARootMeanSquareNormalisationByTheReciprocalStaysToo) {
  OnnxBuilder builder = with_input();
  builder.floats("epsilon", {1e-6F});
  builder.node("Mul", {"x", "x"}, {"squares"});
  builder.node("ReduceMean", {"squares"}, {"mean"});
  builder.node("Add", {"epsilon", "mean"}, {"sum"});
  builder.node("Sqrt", {"sum"}, {"root"});
  builder.node("Reciprocal", {"root"}, {"factor"});
  builder.node("Mul", {"x", "factor"}, {"normal"});
  for (const auto& [output, reason] : decisions(builder)) {
    EXPECT_THAT(reason, HasSubstr("layer normalisation")) << output;
  }
}

TEST(Float16PlanTest, ASquareRootOfSomethingElseIsConverted) {
  OnnxBuilder builder = with_input();
  builder.node("Sqrt", {"x"}, {"y"});
  EXPECT_EQ(decisions(builder).at("y"), "float16");
}

TEST(Float16PlanTest, WhatMakesSamplingPositionsStaysBackToTheProductThatStartsIt) {
  OnnxBuilder builder = with_input();
  builder.floats("w", {1, 2, 3, 4, 5, 6, 7, 8});
  builder.node("MatMul", {"x", "w"}, {"offsets"});
  builder.node("Tanh", {"offsets"}, {"bounded"});
  builder.node("Add", {"bounded", "w"}, {"grid"});
  builder.node("Relu", {"x"}, {"image"});
  builder.node("GridSample", {"image", "grid"}, {"y"}).set_name("warp");
  const auto found = decisions(builder);
  EXPECT_EQ(found.at("offsets"), "float16");
  EXPECT_EQ(found.at("image"), "float16");
  EXPECT_EQ(found.at("bounded"), "makes sampling positions of 'warp'");
  EXPECT_EQ(found.at("grid"), "makes sampling positions of 'warp'");
  EXPECT_THAT(found.at("y"), HasSubstr("sampling positions"));
}

TEST(Float16PlanTest, ResizesScalesStayAndItsPictureDoesNot) {
  OnnxBuilder builder = with_input();
  builder.floats("factors", {1, 1, 2, 2});
  builder.floats("half", {0.5F, 0.5F, 0.5F, 0.5F});
  builder.node("Mul", {"factors", "half"}, {"scales"});
  builder.node("Relu", {"x"}, {"image"});
  builder.node("Resize", {"image", "", "scales"}, {"y"});
  const auto found = decisions(builder);
  EXPECT_EQ(found.at("y"), "float16");
  EXPECT_EQ(found.at("scales"), "makes scales of 'y'");
}

TEST(Float16PlanTest, WhatIsRankedComparedAndRoundedStays) {
  for (const std::string type : {"ArgMax", "TopK", "Greater", "Round", "Cast"}) {
    OnnxBuilder builder = with_input();
    builder.floats("w", {1, 2, 3, 4, 5, 6, 7, 8});
    builder.node("MatMul", {"x", "w"}, {"logits"});
    builder.node("Sigmoid", {"logits"}, {"scores"});
    Node& node = builder.node(type, {"scores"}, {"y"});
    if (type == "Cast") set_integer(node, "to", Tensor::INT64);
    const auto found = decisions(builder);
    EXPECT_EQ(found.at("logits"), "float16") << type;
    EXPECT_THAT(found.at("scores"), AllOf(HasSubstr("makes values that are "), HasSubstr("of 'y'"))) << type;
    EXPECT_NE(found.at("y"), "float16") << type;
  }
}

TEST(Float16PlanTest, AnInitialiserThatFloat16CannotHoldKeepsItsReader) {
  OnnxBuilder builder = with_input();
  builder.floats("large", {1, -70000, 3, 4, 5, 6, 7, 8});
  builder.floats("tiny", {1e-8F});
  builder.floats("mixed", {1e-8F, 2, 3, 4, 5, 6, 7, 8});
  builder.floats("infinite", {-HUGE_VALF, 2, 3, 4, 5, 6, 7, 8});
  builder.node("Add", {"x", "large"}, {"a"});
  builder.node("Add", {"x", "tiny"}, {"b"});
  builder.node("Add", {"x", "mixed"}, {"c"});
  builder.node("Add", {"x", "infinite"}, {"d"});
  const auto found = decisions(builder);
  EXPECT_EQ(found.at("a"), "its 'large' holds 7e+04: float16 ends at 65504");
  EXPECT_THAT(found.at("b"), HasSubstr("its 'tiny' holds nothing above 1e-08"));
  EXPECT_EQ(found.at("c"), "float16");
  EXPECT_EQ(found.at("d"), "float16");
}

TEST(Float16PlanTest, ARangeThatARunShowedKeepsMakerAndReaders) {
  OnnxBuilder builder = with_input();
  builder.node("Relu", {"x"}, {"a"});
  builder.node("Neg", {"a"}, {"b"});
  builder.node("Abs", {"b"}, {"c"});
  builder.node("Neg", {"c"}, {"d"});
  auto found = decisions(builder, {{"a", 10.F}, {"b", 40000.F}});
  EXPECT_EQ(found.at("a"), "float16");
  EXPECT_EQ(found.at("b"), "range 4e+04 of 'b'");
  EXPECT_EQ(found.at("c"), "range 4e+04 of 'b'");
  EXPECT_EQ(found.at("d"), "float16");
  found = decisions(builder, {{"d", 1e-7F}, {"a", 0.F}});
  EXPECT_EQ(found.at("d"), "range 1e-07 of 'd'");
  EXPECT_EQ(found.at("a"), "float16");
}

TEST(Float16PlanTest, MovesBetweenNodesThatStayStayWithThem) {
  OnnxBuilder builder = with_input();
  builder.integers("shape", {16});
  builder.node("Exp", {"x"}, {"a"});
  builder.node("Reshape", {"a", "shape"}, {"b"});
  builder.node("Identity", {"b"}, {"c"});
  builder.node("Softmax", {"c"}, {"d"});
  builder.node("Reshape", {"d", "shape"}, {"e"});
  builder.node("Relu", {"e"}, {"f"});
  const auto found = decisions(builder);
  EXPECT_THAT(found.at("b"), HasSubstr("moves values"));
  EXPECT_THAT(found.at("c"), HasSubstr("moves values"));
  EXPECT_EQ(found.at("e"), "float16");
}

TEST(Float16PlanTest, UnknownOperatorsAndWhatTheyMakeStay) {
  OnnxBuilder builder = with_input();
  builder.node("Frobnicate", {"x"}, {"a"}).set_domain("acme");
  builder.node("Relu", {"a"}, {"b"});
  builder.node("NewOperator", {"x"}, {"c"});
  const auto found = decisions(builder);
  EXPECT_EQ(found.at("a"), "an operator that vrt has no rule for");
  EXPECT_EQ(found.at("c"), "an operator that vrt has no rule for");
  EXPECT_EQ(found.at("b"), "") << "what it reads is not known to be floats";
}

TEST(Float16PlanTest, ACastToFloatsIsOneToFloat16WhereThatHoldsEveryNumber) {
  OnnxBuilder builder = with_input();
  builder.input("mask", {8}, Tensor::BOOL);
  builder.input("count", {8}, Tensor::INT64);
  set_integer(builder.node("Cast", {"mask"}, {"a"}), "to", Tensor::FLOAT);
  set_integer(builder.node("Cast", {"count"}, {"b"}), "to", Tensor::FLOAT);
  const auto found = decisions(builder);
  EXPECT_EQ(found.at("a"), "float16");
  EXPECT_EQ(found.at("b"), "numbers of INT64 are not exact in float16");
}

TEST(Float16PlanTest, ControlFlowStaysAndItsOutputIsConvertedAgain) {
  OnnxBuilder builder = with_input();
  builder.input("condition", {}, Tensor::BOOL);
  Node& node = builder.node("If", {"condition"}, {"a"});
  for (const char* name : {"then_branch", "else_branch"}) {
    Attribute& branch = *node.add_attribute();
    branch.set_name(name);
    OnnxBuilder::add_node(*branch.mutable_g(), "Relu", {"x"}, {"inner"});
    OnnxBuilder::describe(*branch.mutable_g()->add_output(), "inner", {2, 8});
  }
  builder.node("Relu", {"a"}, {"b"});
  const auto found = decisions(builder);
  EXPECT_EQ(found.at("a"), "control flow stays in float32 as a whole");
  EXPECT_EQ(found.at("b"), "float16");
}

TEST(Float16PlanTest, AnOperatorWithoutAFloat16FormInTheSetStays) {
  OnnxBuilder builder = with_input(7);
  builder.node("Max", {"x", "x"}, {"y"});
  EXPECT_EQ(decisions(builder).at("y"), "no float16 form in operator set 7");
}

TEST(Float16PlanTest, NodesThatLackTheirInputsAreNoTrouble) {
  OnnxBuilder builder = with_input();
  int number = 0;
  for (const char* type : {"Cast", "Mul", "Sqrt", "GridSample", "Where", "Resize", "Shape", "If", "Constant", "TopK"}) {
    builder.node(type, {}, {"made_" + std::to_string(number++)});
    builder.node(type, {"x"}, {"made_" + std::to_string(number++)});
    builder.node(type, {"", "x"}, {"", "made_" + std::to_string(number++)});
  }
  sort_nodes(builder.model());
  static_cast<void>(plan_float16(builder.model(), {}));
}

}  // namespace
}  // namespace vrt::onnx
