// Part of the stand-in for TensorRT's headers (NvInfer.h): the ONNX parser.
#pragma once

#include <NvInfer.h>

// Names are TensorRT's.
// NOLINTBEGIN(readability-identifier-naming)
constexpr int NV_ONNX_PARSER_VERSION = 100;

namespace nvonnxparser {

enum class ErrorCode : int {
  kSUCCESS,
  kINTERNAL_ERROR,
  kMEM_ALLOC_FAILED,
  kMODEL_DESERIALIZE_FAILED,
  kINVALID_VALUE,
  kINVALID_GRAPH,
  kINVALID_NODE,
  kUNSUPPORTED_GRAPH,
  kUNSUPPORTED_NODE
};

class IParserError {
 public:
  virtual ~IParserError() = default;
  [[nodiscard]] virtual ErrorCode code() const = 0;
  [[nodiscard]] virtual const char* desc() const = 0;
  [[nodiscard]] virtual int node() const = 0;
  [[nodiscard]] virtual const char* nodeName() const = 0;
  [[nodiscard]] virtual const char* nodeOperator() const = 0;
};

class IParser {
 public:
  virtual ~IParser() = default;
  virtual bool parseFromFile(const char* path, int verbosity) noexcept = 0;
  [[nodiscard]] virtual bool supportsOperator(const char* name) const noexcept = 0;
  [[nodiscard]] virtual int getNbErrors() const noexcept = 0;
  [[nodiscard]] virtual const IParserError* getError(int index) const noexcept = 0;
};

}  // namespace nvonnxparser
// NOLINTEND(readability-identifier-naming)
