#include "vrt/base/shape.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "vrt/base/fail.h"
#include "vrt/base/format_shape.h"

namespace vrt {

Shape::Shape(std::initializer_list<std::int64_t> extents) : Shape(std::span(extents.begin(), extents.size())) {}

Shape::Shape(std::span<const std::int64_t> extents) : rank_(extents.size()) {
  require(rank_ <= kMaxRank, "a shape has at most {} extents, got {}", kMaxRank, rank_);
  for (const std::int64_t extent : extents) {
    require(extent >= kDynamic, "the extents of [{}] must be 0 or more, or -1 where not known yet",
            fmt::join(extents.begin(), extents.end(), ", "));
  }
  std::copy(extents.begin(), extents.end(), extents_.begin());
}

std::int64_t Shape::operator[](std::ptrdiff_t axis) const {
  const auto rank = static_cast<std::ptrdiff_t>(rank_);
  require(axis >= -rank && axis < rank, "axis {} is outside shape {} of rank {}", axis, *this, rank_);
  return extents_[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)];
}

bool Shape::is_static() const noexcept {
  const auto all = extents();
  return std::find(all.begin(), all.end(), kDynamic) == all.end();
}

std::int64_t Shape::element_count() const {
  require(is_static(), "shape {} has extents that are not known yet; give them values first", *this);
  // A zero makes the product zero whatever the other extents are, so it must not hide behind their overflow.
  const auto all = extents();
  if (std::find(all.begin(), all.end(), 0) != all.end()) return 0;
  std::int64_t count = 1;
  for (const std::int64_t extent : all) {
    require(!__builtin_mul_overflow(count, extent, &count), "shape {} has more elements than 64 bits can count", *this);
  }
  return count;
}

bool Shape::is_compatible_with(const Shape& other) const noexcept {
  const auto mine = extents();
  const auto theirs = other.extents();
  return std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                    [](std::int64_t a, std::int64_t b) { return a == b || a == kDynamic || b == kDynamic; });
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (const std::int64_t extent : shape.extents()) {
    if (text.size() > 1) text += ", ";
    text += extent == Shape::kDynamic ? "?" : std::to_string(extent);
  }
  return text + "]";
}

}  // namespace vrt
