// Internal: TensorRT's element types and vrt's.
#pragma once

#include <NvInferRuntime.h>

#include <optional>
#include <string>

#include "vrt/base/dtype.h"

namespace vrt::tensorrt {

/// The same type in vrt; nothing for those that vrt has no name for.
[[nodiscard]] inline std::optional<DType> to_dtype(nvinfer1::DataType type) {
  switch (type) {
    case nvinfer1::DataType::kFLOAT: return DType::kFloat32;
    case nvinfer1::DataType::kHALF: return DType::kFloat16;
    case nvinfer1::DataType::kBF16: return DType::kBFloat16;
    case nvinfer1::DataType::kINT8: return DType::kInt8;
    case nvinfer1::DataType::kUINT8: return DType::kUInt8;
    case nvinfer1::DataType::kINT32: return DType::kInt32;
    case nvinfer1::DataType::kINT64: return DType::kInt64;
    case nvinfer1::DataType::kBOOL: return DType::kBool;
    default: return std::nullopt;
  }
}

/// Whether layers of that type compute in less than float32.
[[nodiscard]] inline bool is_reduced(nvinfer1::DataType type) {
  switch (type) {
    case nvinfer1::DataType::kFLOAT:
    case nvinfer1::DataType::kINT32:
    case nvinfer1::DataType::kINT64:
    case nvinfer1::DataType::kUINT8:
    case nvinfer1::DataType::kBOOL: return false;
    default: return true;
  }
}

/// "[-1, 3, 32, 32]".
[[nodiscard]] inline std::string to_text(const nvinfer1::Dims& shape) {
  std::string text;
  for (int i = 0; i < shape.nbDims; ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape.d[i]);
  return "[" + text + "]";
}

/// Whether each extent from `first` on is known.
[[nodiscard]] inline bool is_known_from(const nvinfer1::Dims& shape, int first) {
  if (shape.nbDims < 0) return false;
  for (int i = first; i < shape.nbDims; ++i)
    if (shape.d[i] < 0) return false;
  return true;
}

/// "dimension 0, 2 is not known".
[[nodiscard]] inline std::string unknown_dimensions(const nvinfer1::Dims& shape) {
  if (shape.nbDims < 0) return "its rank is not known";
  std::string indices;
  for (int i = 0; i < shape.nbDims; ++i)
    if (shape.d[i] < 0) indices += (indices.empty() ? "" : ", ") + std::to_string(i);
  return "dimension " + indices + " is not known";
}

}  // namespace vrt::tensorrt
