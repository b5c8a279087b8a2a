// Internal (not installed): float16 (IEEE 754 binary16) on the host.
#pragma once

#include <cstdint>

namespace vrt::onnx {

inline constexpr float kLargestFloat16 = 65504;
inline constexpr float kSmallestNormalFloat16 = 6.103515625e-05F;

/// The bits of the nearest float16, ties to even; denormals are kept, what is too large becomes infinite.
[[nodiscard]] std::uint16_t to_float16(float value) noexcept;

}  // namespace vrt::onnx
