#include "vrt/scene/mask.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace vrt {
namespace {

TEST(MaskViewTest, BitsAreFoundByRowAndColumn) {
  const Size size{70, 3};
  ASSERT_EQ(mask_words_per_row(size.width), 3U);
  std::vector<std::uint32_t> words(mask_words(size), 0);
  words[3 + 1] = 1U << 5;  // Row 1, word 1: pixel 37.
  words[6 + 2] = 1U << 5;  // Row 2, word 2: pixel 69, the last.
  const MaskView mask{size, words};
  int found = 0;
  for (std::int32_t y = 0; y < size.height; ++y) {
    for (std::int32_t x = 0; x < size.width; ++x) found += is_set(mask, x, y) ? 1 : 0;
  }
  EXPECT_EQ(found, 2);
  EXPECT_TRUE(is_set(mask, 37, 1));
  EXPECT_TRUE(is_set(mask, 69, 2));
  EXPECT_EQ(count_set(mask), 2U);
}

TEST(MaskViewTest, OutsideIsNotSet) {
  const std::vector<std::uint32_t> words{~0U, ~0U};
  const MaskView mask{{20, 2}, words};
  EXPECT_FALSE(is_set(mask, 20, 0));  // A padding bit.
  EXPECT_FALSE(is_set(mask, -1, 0));
  EXPECT_FALSE(is_set(mask, 0, 2));
  EXPECT_FALSE(is_set(mask, 0, -1));
}

TEST(MaskViewTest, PaddingBitsAreNotCounted) {
  const std::vector<std::uint32_t> words{~0U, ~0U, ~0U, ~0U};
  EXPECT_EQ(count_set({{33, 2}, words}), 66U);
  EXPECT_EQ(count_set({{64, 2}, words}), 128U);
}

}  // namespace
}  // namespace vrt
