// Element types of tensors and device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "vrt/base/export.h"

namespace vrt {

/// Element type of a tensor. The values are part of the backend bridge's ABI: never renumber.
enum class DType : std::int32_t {
  kFloat32 = 1,
  kFloat16 = 2,
  kBFloat16 = 3,
  kInt8 = 4,
  kUInt8 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kBool = 8,
};

/// Bytes of one element.
[[nodiscard]] VRT_API std::size_t size_bytes(DType type);

/// The usual name, e.g. "float32". Static storage.
[[nodiscard]] VRT_API std::string_view to_string(DType type);

/// The DType that stores a C++ type. Only the types listed here are tensors' element types; `std::uint16_t` stands for
/// the bits of a float16.
template <typename T>
[[nodiscard]] constexpr DType dtype_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, float>)
    return DType::kFloat32;
  else if constexpr (std::is_same_v<U, std::uint16_t>)
    return DType::kFloat16;
  else if constexpr (std::is_same_v<U, std::int8_t>)
    return DType::kInt8;
  else if constexpr (std::is_same_v<U, std::uint8_t>)
    return DType::kUInt8;
  else if constexpr (std::is_same_v<U, std::int32_t>)
    return DType::kInt32;
  else if constexpr (std::is_same_v<U, std::int64_t>)
    return DType::kInt64;
  else if constexpr (std::is_same_v<U, bool>)
    return DType::kBool;
  else
    static_assert(!sizeof(U), "no tensor element type corresponds to this C++ type");
}

}  // namespace vrt
