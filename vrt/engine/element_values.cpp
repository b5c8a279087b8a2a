#include "vrt/engine/element_values.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace vrt::detail {
namespace {

template <typename T>
T load(std::span<const std::byte> bytes, std::size_t index) noexcept {
  T value{};
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void store(std::span<std::byte> bytes, std::size_t index, T value) noexcept {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

/// IEEE 754 binary16: 1 bit of sign, 5 of exponent, 10 of fraction.
double from_half(std::uint16_t bits) noexcept {
  const int exponent = (bits >> 10U) & 0x1F;
  const int fraction = bits & 0x3FF;
  double magnitude = 0;
  if (exponent == 0x1F) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else {
    magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  }
  return (bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

std::uint16_t to_half(double value) noexcept {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);  // In [0.5, 1).
  if (fraction == 0 || exponent < -13) return sign;
  const auto bits = static_cast<unsigned>(std::ldexp(fraction, 11)) - 1024U;
  return static_cast<std::uint16_t>(sign | (static_cast<unsigned>(exponent + 14) << 10U) | bits);
}

float bits_to_float(std::uint32_t bits) noexcept {
  float value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

std::uint16_t to_bfloat16(float value) noexcept {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return static_cast<std::uint16_t>(bits >> 16U);
}

}  // namespace

bool is_floating(DType type) noexcept {
  return type == DType::kFloat32 || type == DType::kFloat16 || type == DType::kBFloat16;
}

double element_at(DType type, std::span<const std::byte> bytes, std::size_t index) noexcept {
  switch (type) {
    case DType::kFloat32: return static_cast<double>(load<float>(bytes, index));
    case DType::kFloat16: return from_half(load<std::uint16_t>(bytes, index));
    case DType::kBFloat16:
      return static_cast<double>(bits_to_float(std::uint32_t{load<std::uint16_t>(bytes, index)} << 16U));
    case DType::kInt8: return load<std::int8_t>(bytes, index);
    case DType::kUInt8: return load<std::uint8_t>(bytes, index);
    case DType::kInt32: return load<std::int32_t>(bytes, index);
    case DType::kInt64: return static_cast<double>(load<std::int64_t>(bytes, index));
    case DType::kBool: return load<std::uint8_t>(bytes, index) != 0 ? 1 : 0;
  }
  return 0;
}

void set_element(DType type, std::span<std::byte> bytes, std::size_t index, double value) noexcept {
  switch (type) {
    case DType::kFloat32: return store(bytes, index, static_cast<float>(value));
    case DType::kFloat16: return store(bytes, index, to_half(value));
    case DType::kBFloat16: return store(bytes, index, to_bfloat16(static_cast<float>(value)));
    case DType::kInt8: return store(bytes, index, static_cast<std::int8_t>(value));
    case DType::kUInt8: return store(bytes, index, static_cast<std::uint8_t>(value));
    case DType::kInt32: return store(bytes, index, static_cast<std::int32_t>(value));
    case DType::kInt64: return store(bytes, index, static_cast<std::int64_t>(value));
    case DType::kBool: return store(bytes, index, static_cast<std::uint8_t>(value != 0));
  }
}

}  // namespace vrt::detail
