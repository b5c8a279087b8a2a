#include "vrt/base/shape.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "vrt/base/error.h"

namespace vrt {
namespace {

constexpr std::int64_t kDynamic = Shape::kDynamic;

TEST(ShapeTest, ScalarHasRankZeroAndOneElement) {
  EXPECT_EQ(Shape().rank(), 0U);
  EXPECT_EQ(Shape().element_count(), 1);
  EXPECT_EQ(to_string(Shape()), "[]");
}

TEST(ShapeTest, CountsElements) {
  EXPECT_EQ(Shape({1, 3, 480, 640}).element_count(), 921600);
  EXPECT_EQ(Shape({7, 0, 3}).element_count(), 0);
}

TEST(ShapeTest, NegativeAxesCountFromTheEnd) {
  const Shape shape{2, 3, 5};
  EXPECT_EQ(shape[0], 2);
  EXPECT_EQ(shape[-1], 5);
  EXPECT_EQ(shape[-3], 2);
  EXPECT_THROW((void)shape[3], Error);
  EXPECT_THROW((void)shape[-4], Error);
}

TEST(ShapeTest, DynamicExtentsAreShownAndRefuseToBeCounted) {
  const Shape shape{1, kDynamic, 4};
  EXPECT_FALSE(shape.is_static());
  EXPECT_TRUE(Shape({1, 2}).is_static());
  EXPECT_EQ(to_string(shape), "[1, ?, 4]");
  EXPECT_THROW((void)shape.element_count(), Error);
}

TEST(ShapeTest, OverflowOfTheCountIsRefused) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max() / 2;
  EXPECT_EQ(Shape({kHuge, 2}).element_count(), kHuge * 2);
  EXPECT_THROW((void)Shape({kHuge, 3}).element_count(), Error);
  EXPECT_EQ(Shape({kHuge, 3, 0}).element_count(), 0);
}

TEST(ShapeTest, RanksAndExtentsOutOfRangeAreRefused) {
  EXPECT_NO_THROW(Shape({1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_THROW(Shape({1, 1, 1, 1, 1, 1, 1, 1, 1}), Error);
  EXPECT_THROW(Shape({4, -2}), Error);
}

TEST(ShapeTest, EqualityComparesRankAndExtents) {
  const std::array<std::int64_t, 2> extents = {4, 5};
  EXPECT_EQ(Shape(std::span<const std::int64_t>(extents)), (Shape{4, 5}));
  EXPECT_NE((Shape{4, 5}), (Shape{5, 4}));
  EXPECT_NE((Shape{4}), (Shape{4, 0}));
  EXPECT_NE((Shape{4, kDynamic}), (Shape{4, 5}));
}

TEST(ShapeTest, CompatibilityLetsADynamicExtentMatchAnything) {
  EXPECT_TRUE(Shape({kDynamic, 3}).is_compatible_with({10, 3}));
  EXPECT_TRUE(Shape({10, 3}).is_compatible_with({10, kDynamic}));
  EXPECT_FALSE(Shape({kDynamic, 3}).is_compatible_with({10, 4}));
  EXPECT_FALSE(Shape({kDynamic}).is_compatible_with({1, 1}));
}

}  // namespace
}  // namespace vrt
