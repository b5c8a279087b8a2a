#include "vrt/engine/onnx/half.h"

#include <cmath>
#include <cstring>

namespace vrt::onnx {
namespace {

constexpr std::uint32_t kFloat32FractionBits = 23;
constexpr std::uint32_t kFloat16FractionBits = 10;
constexpr std::uint32_t kInfinity = 0x7C00;
constexpr std::uint32_t kQuietNan = 0x7E00;

}  // namespace

std::uint16_t to_float16(float value) noexcept {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const float magnitude = std::fabs(value);
  std::uint32_t half = 0;
  if (std::isnan(value)) {
    half = kQuietNan;
  } else if (magnitude >= 65520) {  // Half way from the largest number to the next that there would be.
    half = kInfinity;
  } else if (magnitude < kSmallestNormalFloat16) {
    // Denormals are multiples of 2^-24; nearbyint rounds ties to even, and may round up to the smallest normal.
    half = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, 24)));
  } else {
    constexpr std::uint32_t kShift = kFloat32FractionBits - kFloat16FractionBits;
    constexpr std::uint32_t kExponentDifference = 127 - 15;
    const std::uint32_t rebased = (bits & 0x7FFFFFFFU) - (kExponentDifference << kFloat32FractionBits);
    const std::uint32_t odd = rebased >> kShift & 1U;
    half = (rebased + (1U << (kShift - 1)) - 1 + odd) >> kShift;
  }
  return static_cast<std::uint16_t>(sign | half);
}

}  // namespace vrt::onnx
