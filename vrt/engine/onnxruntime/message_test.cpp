#include "vrt/engine/onnxruntime/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnxruntime_c_api.h>

namespace vrt::onnxruntime {
namespace {

TEST(OnnxRuntimeMessageTest, PlacesInSourcesAndCodesAreLeftOut) {
  EXPECT_EQ(essence("Load model from /a/b.onnx failed:Protobuf parsing failed."), "Protobuf parsing failed.");
  EXPECT_EQ(
      essence("/onnxruntime_src/onnxruntime/core/graph/model.cc:256 onnxruntime::Model::Model(onnx::ModelProto&&, "
              "const std::function<void(int)>&) const Unsupported model IR version: 99\n"),
      "Unsupported model IR version: 99");
  EXPECT_EQ(essence("Non-zero status code returned while running NonZero node. Name:'n' Status Message: "
                    "/src/op_kernel.cc:87 virtual OrtValue* a::B::C(int, const D&) [ONNXRuntimeError] : 2 : "
                    "INVALID_ARGUMENT : The output has shape {2,4}"),
            "NonZero node. Name:'n' The output has shape {2,4}");
  EXPECT_EQ(essence("Error: tensorprotoutils.cc:619 ValidateExternalDataPathFromDir External data path does not exist"),
            "Error: External data path does not exist");
  EXPECT_EQ(essence("/a/b.cu:7 T f(T) [with T = float] failed"), "failed");
}

TEST(OnnxRuntimeMessageTest, WhatIsNothingButAPlaceStaysAsItIs) {
  EXPECT_EQ(essence(""), "");
  EXPECT_EQ(essence("a.cc:1 f"), "a.cc:1 f");
  EXPECT_EQ(essence("/a.cc:1 f("), "f(");
  EXPECT_EQ(essence("see file.h: it"), "see file.h: it");
}

TEST(OnnxRuntimeMessageTest, WordsDecideWhereTheCodeDoesNot) {
  const auto status = [](std::int32_t code, const char* message, Stage stage = Stage::kOpen) {
    return failure_of(code, message, stage).status();
  };
  EXPECT_EQ(status(ORT_INVALID_PROTOBUF, "Protobuf parsing failed."), VRT_BACKEND_CORRUPT);
  EXPECT_EQ(status(ORT_FAIL, "Fatal error: acme:F(-1) is not a registered function/op"), VRT_BACKEND_UNSUPPORTED);
  EXPECT_EQ(status(ORT_INVALID_GRAPH, "Error No Op registered for F with domain_version of 17"),
            VRT_BACKEND_UNSUPPORTED);
  EXPECT_EQ(status(ORT_INVALID_GRAPH, "This is an invalid model. Graph is not sorted"), VRT_BACKEND_CORRUPT);
  EXPECT_EQ(status(ORT_FAIL, "Node () Op (MatMul) [ShapeInferenceError] x"), VRT_BACKEND_INVALID_ARGUMENT);
  EXPECT_EQ(status(ORT_NO_SUCHFILE, "x"), VRT_BACKEND_NOT_FOUND);
  EXPECT_EQ(status(ORT_RUNTIME_EXCEPTION, "Failed to allocate memory for requested buffer of size 7"),
            VRT_BACKEND_OUT_OF_MEMORY);
  EXPECT_EQ(status(ORT_EP_FAIL, "CUDA failure 2: out of memory", Stage::kRun), VRT_BACKEND_OUT_OF_MEMORY);
  EXPECT_EQ(status(ORT_INVALID_ARGUMENT, "The output has shape {2,4}", Stage::kRun), VRT_BACKEND_FAILED);
  EXPECT_STREQ(failure_of(ORT_FAIL, "why", Stage::kOpen).what(), "the network does not compile: why");
}

TEST(OnnxRuntimeMessageTest, SeveritiesCountOneLessAndPlansOfCudnnNothing) {
  EXPECT_EQ(log_level_of(ORT_LOGGING_LEVEL_ERROR, "session_state.cc:12 Finalize"), 2);
  EXPECT_EQ(log_level_of(ORT_LOGGING_LEVEL_WARNING, "graph.cc:12 Clean"), 1);
  EXPECT_EQ(log_level_of(ORT_LOGGING_LEVEL_INFO, ""), 0);
  EXPECT_EQ(log_level_of(ORT_LOGGING_LEVEL_ERROR, "cudnn_fe_call.cc:33 CudaErrString"), 0);
}

}  // namespace
}  // namespace vrt::onnxruntime
