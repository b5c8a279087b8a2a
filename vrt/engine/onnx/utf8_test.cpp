#include "vrt/engine/onnx/utf8.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/error_of.h"
#include "vrt/engine/testing/onnx_builder.h"

namespace vrt::onnx {
namespace {

using test::error_of;
using testing::OnnxBuilder;

TEST(Utf8Test, CharactersOfEveryLengthAreFine) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("conv1/weight:0"));
  EXPECT_TRUE(is_utf8("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"));
}

TEST(Utf8Test, WhatIsNoCharacterIsNot) {
  EXPECT_FALSE(is_utf8("\x80"));              // Begins in the middle.
  EXPECT_FALSE(is_utf8("\xE2\x82"));          // Ends too early.
  EXPECT_FALSE(is_utf8("\xC0\xAF"));          // Longer than needed.
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));      // Half of a pair of UTF-16.
  EXPECT_FALSE(is_utf8("\xF5\x80\x80\x80"));  // Past the last one.
  EXPECT_FALSE(is_utf8(std::string_view("\0", 1)));
}

TEST(Utf8Test, EveryNameOfAGraphIsLookedAt) {
  const auto spoil = [](int place, OnnxBuilder& builder) {
    const std::string bad = "\xFF";
    if (place == 0) builder.input(bad, {1});
    if (place == 1) builder.output(bad, {1});
    if (place == 2) builder.floats(bad, {1});
    if (place == 3) builder.node("Relu", {bad}, {"y"});
    if (place == 4) builder.node("Relu", {"x"}, {bad});
    if (place == 5) builder.node(bad, {"x"}, {"y"});
    if (place == 6) builder.node("Relu", {"x"}, {"y"}).set_domain(bad);
    if (place == 7) builder.node("Relu", {"x"}, {"y"}).add_attribute()->set_name(bad);
    if (place == 8) {
      builder.input("x", {1}).mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_param(bad);
    }
    if (place == 9) builder.graph().set_name(bad);
    if (place == 10) builder.node("Relu", {"x"}, {"y"}).set_name(bad);
  };
  for (int place = 0; place <= 10; ++place) {
    OnnxBuilder builder;
    check_utf8(builder.graph());
    spoil(place, builder);
    const Error error = error_of([&] { check_utf8(builder.graph()); });
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << place;
    EXPECT_THAT(error.what(), ::testing::HasSubstr("is not UTF-8 text")) << place;
  }
}

}  // namespace
}  // namespace vrt::onnx
