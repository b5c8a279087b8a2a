#include "vrt/engine/onnx/half.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace vrt::onnx {
namespace {

/// A float16's value by its definition.
double value_of(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1F;
  const double fraction = bits & 0x3FF;
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

constexpr std::uint16_t kLargestBits = 0x7BFF;

TEST(HalfTest, EveryFloat16IsItself) {
  for (std::uint32_t bits = 0; bits <= kLargestBits; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    ASSERT_EQ(to_float16(static_cast<float>(value_of(half))), half);
    ASSERT_EQ(to_float16(-static_cast<float>(value_of(half))), half | 0x8000);
  }
}

TEST(HalfTest, BetweenTwoTheNearerIsTakenAndOfEqualsTheEvenOne) {
  for (std::uint32_t bits = 0; bits < kLargestBits; ++bits) {
    const auto below = static_cast<std::uint16_t>(bits);
    const auto above = static_cast<std::uint16_t>(bits + 1);
    const auto middle = static_cast<float>((value_of(below) + value_of(above)) / 2);
    ASSERT_EQ(to_float16(middle), bits % 2 == 0 ? below : above) << bits;
    ASSERT_EQ(to_float16(std::nextafter(middle, 0.F)), below) << bits;
    ASSERT_EQ(to_float16(std::nextafter(middle, 1e6F)), above) << bits;
  }
}

TEST(HalfTest, WhatIsTooLargeIsInfinite) {
  EXPECT_EQ(to_float16(65519.F), kLargestBits);
  EXPECT_EQ(to_float16(65520.F), 0x7C00);
  EXPECT_EQ(to_float16(-1e9F), 0xFC00);
  EXPECT_EQ(to_float16(std::numeric_limits<float>::infinity()), 0x7C00);
}

TEST(HalfTest, NotANumberStaysNone) {
  const std::uint16_t half = to_float16(std::numeric_limits<float>::quiet_NaN()) & 0x7FFF;
  EXPECT_GT(half, 0x7C00);
}

}  // namespace
}  // namespace vrt::onnx
