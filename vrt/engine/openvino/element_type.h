// Internal: OpenVINO's element types and vrt's.
#pragma once

#include <openvino/core/type/element_type.hpp>

#include <cstdint>
#include <optional>

#include "vrt/base/dtype.h"

namespace vrt::openvino {

/// The same type in vrt; nothing for those that vrt has no name for.
[[nodiscard]] inline std::optional<DType> to_dtype(const ov::element::Type& type) {
  switch (static_cast<ov::element::Type_t>(type)) {
    case ov::element::Type_t::f32: return DType::kFloat32;
    case ov::element::Type_t::f16: return DType::kFloat16;
    case ov::element::Type_t::bf16: return DType::kBFloat16;
    case ov::element::Type_t::i8: return DType::kInt8;
    case ov::element::Type_t::u8: return DType::kUInt8;
    case ov::element::Type_t::i32: return DType::kInt32;
    case ov::element::Type_t::i64: return DType::kInt64;
    case ov::element::Type_t::boolean: return DType::kBool;
    default: return std::nullopt;
  }
}

}  // namespace vrt::openvino
