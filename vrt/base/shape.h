// The extents of a tensor, outermost first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "vrt/base/export.h"

namespace vrt {

/// Up to eight extents held inline; never allocates. An extent of kDynamic is not known yet.
class VRT_API Shape {
 public:
  static constexpr std::size_t kMaxRank = 8;
  static constexpr std::int64_t kDynamic = -1;

  /// Rank 0: a scalar, of one element.
  Shape() = default;
  /// Throws kInvalidArgument for a rank above kMaxRank or an extent below kDynamic.
  Shape(std::initializer_list<std::int64_t> extents);
  explicit Shape(std::span<const std::int64_t> extents);

  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }
  /// The extent of `axis`; negative axes count from the end. Throws kInvalidArgument outside [-rank, rank).
  [[nodiscard]] std::int64_t operator[](std::ptrdiff_t axis) const;
  [[nodiscard]] std::span<const std::int64_t> extents() const noexcept { return {extents_.data(), rank_}; }
  /// True if no extent is kDynamic.
  [[nodiscard]] bool is_static() const noexcept;
  /// Product of the extents. Throws kInvalidArgument if the shape is dynamic or the product overflows.
  [[nodiscard]] std::int64_t element_count() const;
  /// True if both have the same rank and each pair of extents is equal or has a kDynamic side.
  [[nodiscard]] bool is_compatible_with(const Shape& other) const noexcept;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<std::int64_t, kMaxRank> extents_{};
  std::size_t rank_ = 0;
};

/// "[1, 3, 480, 640]"; a dynamic extent prints as "?".
[[nodiscard]] VRT_API std::string to_string(const Shape& shape);

}  // namespace vrt
