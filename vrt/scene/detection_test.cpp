#include "vrt/scene/detection.h"

#include <gtest/gtest.h>

#include <limits>

namespace vrt {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

TEST(BoxTest, AreaIsWidthTimesHeight) { EXPECT_FLOAT_EQ(area({1, 2, 4, 7}), 15); }

TEST(BoxTest, DegenerateInvertedAndNanBoxesHaveNoArea) {
  EXPECT_EQ(area({1, 2, 1, 7}), 0);
  EXPECT_EQ(area({4, 7, 1, 2}), 0);
  EXPECT_EQ(area({kNaN, 0, 1, 1}), 0);
  EXPECT_EQ(area({0, 0, 1, kNaN}), 0);
}

TEST(IntersectionOverUnionTest, CountsSharedCells) {
  // 2×3 cells against 3×2 cells that share 2×2 of them: 4 / (6 + 6 - 4).
  EXPECT_FLOAT_EQ(intersection_over_union({0, 0, 2, 3}, {0, 0, 3, 2}), 0.5F);
}

TEST(IntersectionOverUnionTest, IsOneForEqualAndZeroForTouchingBoxes) {
  EXPECT_FLOAT_EQ(intersection_over_union({3, 4, 9, 8}, {3, 4, 9, 8}), 1);
  EXPECT_EQ(intersection_over_union({0, 0, 2, 2}, {2, 0, 4, 2}), 0);
  EXPECT_EQ(intersection_over_union({0, 0, 2, 2}, {5, 5, 6, 6}), 0);
}

TEST(IntersectionOverUnionTest, IsSymmetric) {
  const Box a{0.5F, 1.25F, 8, 9};
  const Box b{3, 2, 11, 7.5F};
  EXPECT_EQ(intersection_over_union(a, b), intersection_over_union(b, a));
}

TEST(IntersectionOverUnionTest, IsZeroForAnEmptyUnion) {
  EXPECT_EQ(intersection_over_union({1, 1, 1, 1}, {1, 1, 1, 1}), 0);
}

}  // namespace
}  // namespace vrt
