#include "vrt/scene/camera.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vrt/base/error.h"

namespace vrt {
namespace {

void expect_near(const Vec3& a, const Vec3& b) {
  EXPECT_NEAR(a.x, b.x, 1e-12);
  EXPECT_NEAR(a.y, b.y, 1e-12);
  EXPECT_NEAR(a.z, b.z, 1e-12);
}

Rotation about(Vec3 unit_axis, double angle) {
  const double s = std::sin(angle / 2);
  return {std::cos(angle / 2), unit_axis.x * s, unit_axis.y * s, unit_axis.z * s};
}

const double kPi = std::acos(-1.0);

TEST(PoseTest, QuarterTurnsFollowTheRightHand) {
  expect_near(rotate(about({0, 0, 1}, kPi / 2), {1, 0, 0}), {0, 1, 0});
  expect_near(rotate(about({1, 0, 0}, kPi / 2), {0, 1, 0}), {0, 0, 1});
  expect_near(rotate(about({0, 1, 0}, kPi / 2), {0, 0, 1}), {1, 0, 0});
}

TEST(PoseTest, InverseTakesPointsBack) {
  const Pose pose{about({0.6, 0, 0.8}, 1.1), {3, -2, 0.5}};
  const Vec3 point{0.25, 7, -4};
  expect_near(transform(inverse(pose), transform(pose, point)), point);
  expect_near(transform(pose, transform(inverse(pose), point)), point);
}

TEST(PoseTest, ComposeAppliesTheInnerPoseFirst) {
  const Pose outer{about({0, 1, 0}, 0.7), {1, 2, 3}};
  const Pose inner{about({0.8, 0.6, 0}, -0.4), {-4, 0, 2}};
  const Vec3 point{1, -1, 2};
  expect_near(transform(compose(outer, inner), point), transform(outer, transform(inner, point)));
}

TEST(IntrinsicsTest, ScalingKeepsThePictureCornerFixed) {
  const Intrinsics half = scaled({{640, 480}, 500, 510, 320, 240}, {320, 120});
  EXPECT_EQ(half, (Intrinsics{{320, 120}, 250, 127.5, 160, 60}));
}

TEST(IntrinsicsTest, ScalingToAnEmptySizeIsRefused) {
  EXPECT_THROW((void)scaled({{640, 480}, 500, 500, 320, 240}, {0, 10}), Error);
  EXPECT_THROW((void)scaled(Intrinsics{}, {10, 10}), Error);
}

}  // namespace
}  // namespace vrt
