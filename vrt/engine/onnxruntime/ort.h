// Internal: ONNX Runtime's C interface with owners for its handles. Nothing of ONNX Runtime is linked: `OrtApi` comes from
// the library that library.h loads.
#pragma once

#include <onnxruntime_c_api.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "vrt/base/dtype.h"
#include "vrt/engine/onnxruntime/message.h"

namespace vrt::onnxruntime {

/// Gives a handle back to the library that made it.
template <typename T>
struct Releaser {
  void(ORT_API_CALL* release)(T*) = nullptr;
  void operator()(T* handle) const noexcept { release(handle); }
};
template <typename T>
using Handle = std::unique_ptr<T, Releaser<T>>;

/// Throws what a call that failed says, as backend::Failure. `stage` decides what an unclear failure counts as.
inline void check(const OrtApi& api, OrtStatus* status, Stage stage) {
  if (status == nullptr) return;
  const Handle<OrtStatus> owner(status, {api.ReleaseStatus});
  throw failure_of(static_cast<std::int32_t>(api.GetErrorCode(status)), api.GetErrorMessage(status), stage);
}

/// What `create`, a call that puts a handle where it is told, makes.
template <typename T, typename Create>
[[nodiscard]] Handle<T> make(const OrtApi& api, void(ORT_API_CALL* release)(T*), Stage stage, const Create& create) {
  T* handle = nullptr;
  check(api, create(&handle), stage);
  return {handle, {release}};
}

/// The same type in vrt; nothing for those that vrt has no name for.
[[nodiscard]] inline std::optional<DType> to_dtype(ONNXTensorElementDataType type) {
  switch (type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT: return DType::kFloat32;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16: return DType::kFloat16;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16: return DType::kBFloat16;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8: return DType::kInt8;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8: return DType::kUInt8;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32: return DType::kInt32;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64: return DType::kInt64;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL: return DType::kBool;
    default: return std::nullopt;
  }
}

/// Bytes of one element of those types.
[[nodiscard]] inline std::uint64_t element_bytes(ONNXTensorElementDataType type) {
  switch (type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32: return 4;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64: return 8;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16: return 2;
    default: return 1;
  }
}

}  // namespace vrt::onnxruntime
