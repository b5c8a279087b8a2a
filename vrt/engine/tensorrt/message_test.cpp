#include "vrt/engine/tensorrt/message.h"

#include <gtest/gtest.h>

namespace vrt::tensorrt {
namespace {

// As TensorRT-RTX 1.7.1 writes them.
TEST(TensorRtMessageTest, LeavesOutWhereACheckFailed) {
  EXPECT_EQ(
      essence("IBuilder::buildSerializedNetwork: Error Code 4: API Usage Error (Network has dynamic or shape inputs, "
              "but no "
              "optimization profile has been defined. In validate at /_src/optimizer/api/network.cpp:4023)"),
      "IBuilder::buildSerializedNetwork: Error Code 4: API Usage Error (Network has dynamic or shape inputs, but no "
      "optimization profile has been defined.)");
}

TEST(TensorRtMessageTest, LeavesOutTheCondition) {
  EXPECT_EQ(essence("Assertion failed: model->ParseFromCodedStream(&codedInput): Failed to parse the ONNX model."),
            "Failed to parse the ONNX model.");
  EXPECT_EQ(essence("Assertion failed: a == b"), "a == b");
}

TEST(TensorRtMessageTest, LeavesOutWhatFollowsFromAFailure) {
  EXPECT_EQ(
      essence(
          "Invalid Node - mm\nITensor::getDimensions: Error Code 4: API Usage Error (mm: last dimension of input0 = 4 "
          "and "
          "second to last dimension of input1 = 5 but must match. In validate at "
          "/_src/optimizer/api/layers/matrixMultiplyLayer.cpp:192)\n[checkMacros.cpp::catchCudaError::250] Error Code "
          "1: "
          "Cuda Runtime (In catchCudaError at /_src/common/dispatch/checkMacros.cpp:250 (cudaError 35: no driver))"),
      "Invalid Node - mm; ITensor::getDimensions: Error Code 4: API Usage Error (mm: last dimension of input0 = 4 and "
      "second "
      "to last dimension of input1 = 5 but must match.)");
}

TEST(TensorRtMessageTest, LeavesOutTheLeadingPlace) {
  EXPECT_EQ(essence("[runtime.cpp::readHeader::765] Error Code 2: Internal Error (Assertion bufferSize >= "
                    "minBufferSize failed.  In "
                    "readHeader at /_src/runtime/dispatch/runtime.cpp:765)"),
            "Error Code 2: Internal Error (Assertion bufferSize >= minBufferSize failed. )");
}

TEST(TensorRtMessageTest, KeepsTextsThatOnlyLookLikePlaces) {
  EXPECT_EQ(essence("In all at once"), "In all at once");
  EXPECT_EQ(essence("In x at :12 In y at"), "In x at :12 In y at");
  EXPECT_EQ(essence("[not a place] text"), "[not a place] text");
  EXPECT_EQ(essence("  \n\t\n"), "");
  EXPECT_EQ(essence("In f at a.cpp:1"), "");
}

}  // namespace
}  // namespace vrt::tensorrt
