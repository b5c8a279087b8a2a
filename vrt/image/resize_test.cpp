#include "vrt/image/resize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "vrt/base/error.h"

namespace vrt {
namespace {

// 1 to 4096: every small size, then ever larger steps that are odd, so that both parities occur.
std::vector<std::int32_t> sampled_sizes() {
  std::vector<std::int32_t> sizes;
  for (std::int32_t size = 1; size < 4096; size += 1 + (size / 7 | 1)) sizes.push_back(size);
  for (const std::int32_t size : {176, 640, 1571, 1600, 2128, 3775, 4095, 4096}) sizes.push_back(size);
  return sizes;
}

float worst_round_trip(const ResizeMapping& mapping) {
  const PointF corners[] = {{0, 0},
                            {float(mapping.source.width), float(mapping.source.height)},
                            {0.3F * float(mapping.source.width), 0.7F * float(mapping.source.height)}};
  float worst = 0;
  for (const PointF corner : corners) {
    const PointF back = mapping.to_source(mapping.to_target(corner));
    worst = std::max({worst, std::abs(back.x - corner.x), std::abs(back.y - corner.y)});
  }
  return worst;
}

TEST(ResizeMappingTest, BoxesComeBackExactlyForAllSizesAndModes) {
  float worst = 0;
  for (const ResizeMode mode : {ResizeMode::kStretch, ResizeMode::kLetterbox, ResizeMode::kCrop}) {
    for (const Size target : {Size{640, 640}, Size{1280, 736}, Size{224, 224}, Size{1, 1}, Size{33, 2048}}) {
      for (const std::int32_t width : sampled_sizes()) {
        for (const std::int32_t height : sampled_sizes()) {
          worst = std::max(worst, worst_round_trip(ResizeMapping::make(mode, {width, height}, target)));
        }
      }
    }
  }
  EXPECT_LT(worst, 0.01F);
}

TEST(ResizeMappingTest, RegionsStayInsideAndAreNeverEmpty) {
  for (const ResizeMode mode : {ResizeMode::kStretch, ResizeMode::kLetterbox, ResizeMode::kCrop}) {
    for (const std::int32_t width : sampled_sizes()) {
      for (const std::int32_t height : sampled_sizes()) {
        const ResizeMapping m = ResizeMapping::make(mode, {width, height}, {640, 480});
        ASSERT_TRUE(m.filled.width >= 1 && m.filled.height >= 1 && m.used.width >= 1 && m.used.height >= 1);
        ASSERT_TRUE(m.filled.x >= 0 && m.filled.x + m.filled.width <= 640) << width << "x" << height;
        ASSERT_TRUE(m.filled.y >= 0 && m.filled.y + m.filled.height <= 480) << width << "x" << height;
        ASSERT_TRUE(m.used.x >= 0 && m.used.x + m.used.width <= width) << width << "x" << height;
        ASSERT_TRUE(m.used.y >= 0 && m.used.y + m.used.height <= height) << width << "x" << height;
      }
    }
  }
}

// A picture of 3775x1571 in a square of 1280: 747 rows of padding, an odd number.
TEST(ResizeMappingTest, OddPaddingIsSplitOnceForBothDirections) {
  const ResizeMapping mapping = ResizeMapping::make(ResizeMode::kLetterbox, {3775, 1571}, {1280, 1280});
  EXPECT_EQ(mapping.filled, (Region{0, 373, 1280, 533}));
  EXPECT_EQ(mapping.to_target({0, 0}).y, 373.0F);
  EXPECT_EQ(mapping.to_target({3775, 1571}).y, 906.0F);
  EXPECT_NEAR(mapping.to_source({0, 373}).y, 0, 1e-3);
  EXPECT_NEAR(mapping.to_source({1280, 906}).y, 1571, 1e-3);
}

// Half the padding would be 39.5 columns.
TEST(ResizeMappingTest, HalfAPixelOfPaddingIsRoundedOnceForBothDirections) {
  const ResizeMapping mapping = ResizeMapping::make(ResizeMode::kLetterbox, {1600, 2128}, {640, 640});
  EXPECT_EQ(mapping.filled, (Region{79, 0, 481, 640}));
  const PointF back = mapping.to_source(mapping.to_target({123.4F, 567.8F}));
  EXPECT_NEAR(back.x, 123.4F, 1e-3);
  EXPECT_NEAR(back.y, 567.8F, 1e-3);
}

// A box in a 640 letterbox of 1920x1080 (filled: rows 140 to 500) whose lower edge lies inside the padding.
TEST(ResizeMappingTest, ABoxThatReachesIntoThePaddingMapsToTheBorder) {
  const ResizeMapping mapping = ResizeMapping::make(ResizeMode::kLetterbox, {1920, 1080}, {640, 640});
  EXPECT_EQ(mapping.filled, (Region{0, 140, 640, 360}));
  const PointF low = mapping.to_source({308.4F, 376.3F});
  const PointF high = mapping.to_source({463.9F, 500.4F});
  EXPECT_NEAR(low.x, 925.2F, 0.05);
  EXPECT_NEAR(low.y, 709.0F, 0.15);
  EXPECT_NEAR(high.x, 1391.7F, 0.05);
  EXPECT_GT(high.y, 1080.0F);  // Not clipped here: that is the decoder's part.
}

TEST(ResizeMappingTest, BottomRightPaddingLeavesThePictureAtTheTopLeft) {
  const ResizeMapping mapping =
      ResizeMapping::make(ResizeMode::kLetterbox, {1920, 1080}, {640, 640}, PadPosition::kBottomRight);
  EXPECT_EQ(mapping.filled, (Region{0, 0, 640, 360}));
}

TEST(ResizeMappingTest, SizesAreRoundedHalfUp) {
  EXPECT_EQ(ResizeMapping::make(ResizeMode::kLetterbox, {4, 1}, {10, 10}).filled.height, 3);         // 2.5
  EXPECT_EQ(ResizeMapping::make(ResizeMode::kLetterbox, {100, 33}, {10, 10}).filled.height, 3);      // 3.3
  EXPECT_EQ(ResizeMapping::make(ResizeMode::kLetterbox, {20000, 10}, {640, 640}).filled.height, 1);  // 0.32
}

TEST(ResizeMappingTest, CropCutsTheLongerSideEvenly) {
  const ResizeMapping mapping = ResizeMapping::make(ResizeMode::kCrop, {1920, 1080}, {640, 640});
  EXPECT_EQ(mapping.used, (Region{420, 0, 1080, 1080}));
  EXPECT_EQ(mapping.filled, (Region{0, 0, 640, 640}));
  EXPECT_NEAR(mapping.to_source({640, 640}).x, 1500, 1e-3);
}

TEST(ResizeMappingTest, EmptySizesAreRefused) {
  EXPECT_THROW((void)ResizeMapping::make(ResizeMode::kStretch, {0, 4}, {4, 4}), Error);
  EXPECT_THROW((void)ResizeMapping::make(ResizeMode::kStretch, {4, 4}, {4, -1}), Error);
}

}  // namespace
}  // namespace vrt
