#include "vrt/engine/onnx/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/error_of.h"
#include "vrt/engine/testing/onnx_builder.h"

namespace vrt::onnx {
namespace {

using test::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::node_texts;
using testing::OnnxBuilder;

Error refusal_of(OnnxBuilder& builder) {
  Error error = error_of([&] { sort_nodes(builder.model()); });
  EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
  return error;
}

TEST(OrderTest, NodesThatReadWhatIsMadeLaterAreMovedAndOthersAreNot) {
  OnnxBuilder builder;
  builder.input("x", {1});
  builder.node("Neg", {"b"}, {"c"});
  builder.node("Relu", {"x"}, {"a"});
  builder.node("Abs", {"a"}, {"b"});
  builder.node("Exp", {"x"}, {"d"});
  builder.output("c", {1});
  sort_nodes(builder.model());
  EXPECT_THAT(node_texts(builder.graph()), ElementsAre("Relu(x)=a", "Abs(a)=b", "Neg(b)=c", "Exp(x)=d"));
}

TEST(OrderTest, NodesThatWaitForEachOtherAreRefused) {
  OnnxBuilder builder;
  builder.input("x", {1});
  builder.node("Add", {"x", "b"}, {"a"}).set_name("first");
  builder.node("Relu", {"a"}, {"b"});
  builder.output("b", {1});
  EXPECT_THAT(refusal_of(builder).what(), HasSubstr("node 'first' (Add) waits for its own output"));
}

TEST(OrderTest, ANameThatNothingMakesIsRefused) {
  OnnxBuilder builder;
  builder.node("Relu", {"x"}, {"a"});
  EXPECT_THAT(refusal_of(builder).what(), HasSubstr("node 'a' (Relu) reads 'x', which nothing makes"));
  OnnxBuilder output;
  output.output("y", {1});
  EXPECT_THAT(refusal_of(output).what(), HasSubstr("nothing makes the graph's output 'y'"));
}

TEST(OrderTest, ANameThatIsMadeTwiceIsRefused) {
  OnnxBuilder builder;
  builder.input("x", {1});
  builder.node("Relu", {"x"}, {"x"});
  EXPECT_THAT(refusal_of(builder).what(), HasSubstr("makes 'x', which is there already"));
  OnnxBuilder inputs;
  inputs.input("x", {1});
  inputs.input("x", {1});
  EXPECT_THAT(refusal_of(inputs).what(), HasSubstr("two inputs 'x'"));
  OnnxBuilder weights;
  weights.floats("w", {1});
  weights.floats("w", {2});
  EXPECT_THAT(refusal_of(weights).what(), HasSubstr("two initialisers 'w'"));
}

TEST(OrderTest, ANodeWithoutOutputsIsRefused) {
  OnnxBuilder builder;
  builder.node("Relu", {}, {});
  EXPECT_THAT(refusal_of(builder).what(), HasSubstr("makes nothing"));
}

/// A node whose subgraph reads `captured`.
Node& add_branch(Graph& graph, const std::string& captured, const std::string& output) {
  Node& node = OnnxBuilder::add_node(graph, "If", {}, {output});
  Attribute& attribute = *node.add_attribute();
  attribute.set_name("then_branch");
  Graph& branch = *attribute.mutable_g();
  OnnxBuilder::add_node(branch, "Abs", {"inner"}, {"late"});
  OnnxBuilder::add_node(branch, "Neg", {captured}, {"inner"});
  branch.add_output()->set_name("late");
  return node;
}

TEST(OrderTest, ASubgraphWaitsForWhatItTakesFromOutsideAndIsSortedItself) {
  OnnxBuilder builder;
  builder.input("x", {1});
  add_branch(builder.graph(), "a", "y");
  builder.node("Relu", {"x"}, {"a"});
  builder.output("y", {1});
  sort_nodes(builder.model());
  EXPECT_THAT(node_texts(builder.graph()), ElementsAre("Relu(x)=a", "If()=y"));
  EXPECT_THAT(node_texts(builder.graph().node(1).attribute(0).g()), ElementsAre("Neg(a)=inner", "Abs(inner)=late"));
}

TEST(OrderTest, ASubgraphThatReadsItsOwnNodesOutputIsRefused) {
  OnnxBuilder builder;
  add_branch(builder.graph(), "y", "y");
  EXPECT_THAT(refusal_of(builder).what(), HasSubstr("waits for its own output"));
}

}  // namespace
}  // namespace vrt::onnx
