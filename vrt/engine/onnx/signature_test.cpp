#include "vrt/engine/onnx/signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/error_of.h"
#include "vrt/engine/testing/onnx_builder.h"

namespace vrt::onnx {
namespace {

using test::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::OnnxBuilder;

/// x [n, 3] and weights through one node, with a shape in between that was inferred for the file's own.
OnnxBuilder small() {
  OnnxBuilder builder;
  builder.input("x", {-1, 3});
  builder.node("Relu", {"x"}, {"y"});
  builder.node("Neg", {"y"}, {"z"});
  OnnxBuilder::describe(*builder.graph().add_value_info(), "y", {-1, 3});
  builder.output("z", {-1, 3});
  return builder;
}

Shape input_shape(OnnxBuilder& builder) { return describe_values(builder.graph().input(), "input")[0].shape; }

Error refusal_of(OnnxBuilder& builder, const EngineOptions& options) {
  Error error = error_of([&] { set_input_shapes(builder.model(), options); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  return error;
}

TEST(SignatureTest, AGivenShapeReplacesTheDeclaredOneAndDropsWhatWasInferredFromIt) {
  for (const std::string name : {"x", ""}) {
    OnnxBuilder builder = small();
    set_input_shapes(builder.model(), {.input_shapes = {{name, {5, 3}}}});
    EXPECT_EQ(input_shape(builder), Shape({5, 3}));
    EXPECT_EQ(builder.graph().value_info_size(), 0);
    EXPECT_EQ(describe_values(builder.graph().output(), "output")[0].shape, Shape({Shape::kDynamic, Shape::kDynamic}));
  }
}

TEST(SignatureTest, TheShapeThatIsThereAlreadyChangesNothing) {
  OnnxBuilder builder = small();
  builder.graph()
      .mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_value(2);
  const std::string before = builder.model().SerializeAsString();
  set_input_shapes(builder.model(), {.input_shapes = {{"x", {2, 3}}}});
  EXPECT_EQ(builder.model().SerializeAsString(), before);
}

TEST(SignatureTest, AnInputWithoutAShapeTakesAny) {
  OnnxBuilder builder = small();
  builder.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_THAT(refusal_of(builder, {}).what(), HasSubstr("input 'x' is of unknown rank; give a shape for it"));
  set_input_shapes(builder.model(), {.input_shapes = {{"x", {2, 3, 4}}}});
  EXPECT_EQ(input_shape(builder), Shape({2, 3, 4}));
}

TEST(SignatureTest, AShapeForWhatIsNoInputListsThem) {
  OnnxBuilder builder = small();
  EXPECT_THAT(refusal_of(builder, {.input_shapes = {{"image", {1, 3}}}}).what(),
              HasSubstr("there is no input 'image'; inputs: 'x' [n, 3]"));
  builder.input("second", {4});
  EXPECT_THAT(refusal_of(builder, {.input_shapes = {{"", {1, 3}}}}).what(),
              AllOf(HasSubstr("there are 2"), HasSubstr("'second' [4]")));
}

TEST(SignatureTest, ARankThatDiffersIsRefused) {
  OnnxBuilder builder = small();
  EXPECT_THAT(refusal_of(builder, {.input_shapes = {{"x", {1, 3, 4}}}}).what(),
              HasSubstr("input 'x' is [n, 3]; the shape [1, 3, 4] has another rank"));
}

TEST(SignatureTest, TwoShapesForOneInputAreRefused) {
  OnnxBuilder builder = small();
  EXPECT_THAT(refusal_of(builder, {.input_shapes = {{"", {1, 3}}, {"x", {2, 3}}}}).what(), HasSubstr("two shapes"));
}

TEST(SignatureTest, AnOpenDimensionIsRefusedByInputAndPlace) {
  OnnxBuilder builder = small();
  EXPECT_THAT(refusal_of(builder, {}).what(), HasSubstr("input 'x' is [n, 3]: dimension 0 is not known"));
  // Some exporters write an open extent as -1.
  builder.graph()
      .mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(1)
      ->set_dim_value(-1);
  EXPECT_THAT(refusal_of(builder, {}).what(), HasSubstr("input 'x' is [n, ?]: dimension 0, 1 is not known"));
}

TEST(SignatureTest, AChangingBatchIsASymbolOfEveryInputThatLeavesItOpen) {
  OnnxBuilder builder = small();
  builder.input("fixed", {7});
  EngineOptions options;
  options.batch.largest = 4;
  set_input_shapes(builder.model(), options);
  const auto& dimension = builder.graph().input(0).type().tensor_type().shape().dim(0);
  EXPECT_EQ(dimension.dim_param(), kBatchSymbol);
  EXPECT_EQ(input_shape(builder), Shape({Shape::kDynamic, 3}));
  EXPECT_EQ(builder.graph().value_info_size(), 0);
}

TEST(SignatureTest, AChangingBatchNeedsAnOpenFirstDimension) {
  OnnxBuilder builder = small();
  EngineOptions options{.input_shapes = {{"x", {2, 3}}}};
  options.batch.largest = 4;
  EXPECT_THAT(refusal_of(builder, options).what(),
              HasSubstr("no input leaves its first dimension open; inputs: 'x' [2, 3]"));
}

TEST(SignatureTest, AnInputOfAFixedBatchIsOpenedWhereItsGivenShapeSaysSo) {
  OnnxBuilder builder = small();
  set_input_shapes(builder.model(), {.input_shapes = {{"x", {2, 3}}}});
  set_input_shapes(builder.model(), {.input_shapes = {{"x", {Shape::kDynamic, 3}}}, .batch = {.largest = 4}});
  EXPECT_EQ(builder.graph().input(0).type().tensor_type().shape().dim(0).dim_param(), kBatchSymbol);
  EXPECT_EQ(input_shape(builder), Shape({Shape::kDynamic, 3}));
}

TEST(SignatureTest, ShapesInsideSubgraphsAreDroppedToo) {
  OnnxBuilder builder = small();
  Attribute& attribute = *builder.node("Loop", {"", "", "y"}, {"w"}).add_attribute();
  attribute.set_name("body");
  OnnxBuilder::describe(*attribute.mutable_g()->add_input(), "carried", {2, 3});
  OnnxBuilder::describe(*attribute.mutable_g()->add_output(), "carried", {2, 3});
  set_input_shapes(builder.model(), {.input_shapes = {{"x", {5, 3}}}});
  const Graph& body = builder.graph().node(2).attribute(0).g();
  for (const ValueInfo* value : {&body.input(0), &body.output(0)}) {
    EXPECT_FALSE(value->type().tensor_type().shape().dim(0).has_dim_value());
  }
}

TEST(SignatureTest, TensorsThatVrtHasNotAreRefusedByName) {
  OnnxBuilder builder = small();
  builder.input("wide", {1}, Tensor::DOUBLE);
  EXPECT_THAT(error_of([&] { static_cast<void>(describe_values(builder.graph().input(), "input")); }).what(),
              HasSubstr("input 'wide' is a tensor of DOUBLE"));
  builder.graph().mutable_input(1)->mutable_type()->mutable_sequence_type();
  EXPECT_THAT(error_of([&] { static_cast<void>(describe_values(builder.graph().input(), "input")); }).what(),
              HasSubstr("input 'wide' is no tensor"));
}

}  // namespace
}  // namespace vrt::onnx
