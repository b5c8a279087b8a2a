#include "vrt/engine/openvino/message.h"

#include <gtest/gtest.h>

namespace vrt::openvino {
namespace {

TEST(MessageTest, KeepsTheReasonWithoutThePlaceInTheSources) {
  EXPECT_EQ(essence("Exception from src/core.cpp:84:\n"
                    "Check 'm_model->Parse(&file)' failed at src/graph.cpp:563:\n"
                    "FrontEnd API failed with GeneralFailure:\nModel can't be parsed\n\n"),
            "Model can't be parsed");
}

TEST(MessageTest, ANodeIsGivenByItsNameAlone) {
  EXPECT_EQ(essence("Check 'a' failed at src/eltwise.hpp:26:\n"
                    "While validating node 'opset1::Add 518 (opset1::Relu 514[0]:f32[1,24,4,4]) -> (f32[10])' with "
                    "friendly_name '518':\nArgument shapes are inconsistent.\n"),
            "at node '518': Argument shapes are inconsistent.");
}

TEST(MessageTest, WhatHasNoReasonIsKeptWhole) {
  EXPECT_EQ(essence("Check 'x' failed at a.cpp:1:"), "Check 'x' failed at a.cpp:1:");
  EXPECT_EQ(essence(""), "");
  EXPECT_EQ(essence("plain"), "plain");
}

}  // namespace
}  // namespace vrt::openvino
