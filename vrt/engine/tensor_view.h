// A tensor of a session: where it is and what it holds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "vrt/base/dtype.h"
#include "vrt/base/export.h"
#include "vrt/base/shape.h"
#include "vrt/device/memory.h"

namespace vrt {

/// What an engine says of one of its inputs or outputs.
struct TensorInfo {
  std::string name;
  DType type = DType::kFloat32;
  Shape shape;           ///< With a changing batch: at the largest.
  bool batched = false;  ///< The first extent is the batch of the run.
};

namespace detail {
[[noreturn]] VRT_API void throw_tensor_type_mismatch(const TensorInfo& info, DType requested);
}

/// A view of a tensor in device memory, valid as long as its session. Owns nothing.
class TensorView {
 public:
  TensorView(const TensorInfo* info, void* data) : info_(info), data_(data) {}

  [[nodiscard]] const std::string& name() const noexcept { return info_->name; }
  [[nodiscard]] DType type() const noexcept { return info_->type; }
  [[nodiscard]] const Shape& shape() const noexcept { return info_->shape; }
  [[nodiscard]] void* data() const noexcept { return data_; }

  /// All elements as `T`. Throws kInvalidArgument naming the tensor and both types if it holds another.
  template <typename T>
  [[nodiscard]] DeviceSpan<T> as() const {
    if (dtype_of<T>() != info_->type) detail::throw_tensor_type_mismatch(*info_, dtype_of<T>());
    return DeviceSpan<T>::from_raw(static_cast<T*>(data_), static_cast<std::size_t>(info_->shape.element_count()));
  }

 private:
  const TensorInfo* info_;
  void* data_;
};

}  // namespace vrt
