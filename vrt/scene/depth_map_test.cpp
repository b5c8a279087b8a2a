#include "vrt/scene/depth_map.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace vrt {
namespace {

TEST(DepthMapViewTest, DepthIsReadByRowAndColumn) {
  const std::vector<float> metres{1, 2, 3, 4, 5, 6};
  const DepthMapView map{{3, 2}, metres};
  EXPECT_EQ(depth_at(map, 0, 0), 1.0F);
  EXPECT_EQ(depth_at(map, 2, 1), 6.0F);
  EXPECT_EQ(depth_at(map, 1, 1), 5.0F);
}

TEST(DepthMapViewTest, UnknownDepthIsNothing) {
  const std::vector<float> metres{0, -1, std::numeric_limits<float>::quiet_NaN(),
                                  std::numeric_limits<float>::infinity()};
  const DepthMapView map{{4, 1}, metres};
  for (std::int32_t x = 0; x < 4; ++x) EXPECT_EQ(depth_at(map, x, 0), std::nullopt) << x;
}

TEST(DepthMapViewTest, OutsideIsNothing) {
  const std::vector<float> metres{1};
  const DepthMapView map{{1, 1}, metres};
  EXPECT_EQ(depth_at(map, 1, 0), std::nullopt);
  EXPECT_EQ(depth_at(map, 0, 1), std::nullopt);
  EXPECT_EQ(depth_at(map, -1, 0), std::nullopt);
  EXPECT_EQ(depth_at(map, 0, -1), std::nullopt);
}

}  // namespace
}  // namespace vrt
