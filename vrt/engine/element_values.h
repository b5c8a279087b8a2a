// Internal (not installed): elements of tensors as numbers, whatever their type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "vrt/base/dtype.h"

namespace vrt::detail {

/// True for float32, float16 and bfloat16.
[[nodiscard]] bool is_floating(DType type) noexcept;

/// The element at `index` of `bytes`; exact but for int64 beyond 2^53. A bool is 0 or 1.
[[nodiscard]] double element_at(DType type, std::span<const std::byte> bytes, std::size_t index) noexcept;

/// Writes `value`, rounded to the type; toward zero for float16, bfloat16 and the integers. `value` is in the type's range, and 0 or
/// of a magnitude that float16 holds without a loss of digits (2^-14 at least) for those.
void set_element(DType type, std::span<std::byte> bytes, std::size_t index, double value) noexcept;

}  // namespace vrt::detail
