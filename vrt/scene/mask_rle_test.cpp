#include "vrt/scene/mask_rle.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "vrt/base/error.h"

namespace vrt {
namespace {

using Runs = std::vector<std::uint32_t>;

std::vector<std::uint32_t> random_words(Size size, std::uint32_t seed, unsigned share) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> words(mask_words(size), 0);
  for (std::int32_t y = 0; y < size.height; ++y) {
    for (std::int32_t x = 0; x < size.width; ++x) {
      if (random() % 100 >= share) continue;
      words[static_cast<std::size_t>(y) * mask_words_per_row(size.width) + static_cast<std::size_t>(x / 32)] |=
          1U << (x % 32);
    }
  }
  return words;
}

TEST(MaskRleTest, RunsGoDownColumns) {
  // . X    columns: ". X", "X X"
  // X X
  const std::vector<std::uint32_t> words{0b10, 0b11};
  EXPECT_EQ(coco_run_lengths({{2, 2}, words}), (Runs{1, 3}));
  const std::vector<std::uint32_t> first{0b01, 0b00};
  EXPECT_EQ(coco_run_lengths({{2, 2}, first}), (Runs{0, 1, 3}));
  const std::vector<std::uint32_t> none{0, 0};
  EXPECT_EQ(coco_run_lengths({{2, 2}, none}), (Runs{4}));
}

/// Pixel by pixel.
Runs walked(const MaskView& mask) {
  Runs runs = {0};
  bool belongs = false;
  for (std::int32_t x = 0; x < mask.size.width; ++x) {
    for (std::int32_t y = 0; y < mask.size.height; ++y) {
      if (is_set(mask, x, y) != belongs) runs.push_back(0);
      belongs = is_set(mask, x, y);
      ++runs.back();
    }
  }
  return runs;
}

TEST(MaskRleTest, RunsAreThoseOfAWalkOverAllPixels) {
  std::uint32_t seed = 100;
  for (const Size size : {Size{1, 1}, Size{1, 40}, Size{40, 1}, Size{31, 7}, Size{64, 5}, Size{97, 90}}) {
    for (const unsigned share : {0U, 3U, 50U, 97U, 100U}) {
      auto words = random_words(size, ++seed, share);
      for (std::size_t last = mask_words_per_row(size.width) - 1; last < words.size();
           last += mask_words_per_row(size.width))
        if (size.width % 32 != 0) words[last] |= 0x80000000U;  // Behind the row.
      const MaskView mask{size, words};
      EXPECT_EQ(coco_run_lengths(mask), walked(mask)) << size.width << "x" << size.height << ", " << share << " %";
    }
  }
}

TEST(MaskRleTest, BitsBehindARowDoNotCount) {
  const std::vector<std::uint32_t> words{0xFFFFFFF8U};
  EXPECT_EQ(coco_run_lengths({{3, 1}, words}), (Runs{3}));
}

TEST(MaskRleTest, TextIsThatOfCocosFiles) {
  // From pycocotools' encoding of these counts.
  EXPECT_EQ(coco_rle_text(Runs{4}), "4");
  EXPECT_EQ(coco_rle_text(Runs{0, 4}), "04");
  EXPECT_EQ(coco_rle_text(Runs{1, 3}), "13");
  EXPECT_EQ(coco_rle_text(Runs{16}), "`0");
  EXPECT_EQ(coco_rle_text(Runs{6, 1, 40, 4, 5, 4, 5, 4, 21}),
            "61X13mN000`0");  // The example of the COCO API's comments.
}

TEST(MaskRleTest, MasksComeBack) {
  std::uint32_t seed = 0;
  for (const Size size : {Size{1, 1}, Size{31, 7}, Size{32, 5}, Size{33, 90}, Size{200, 131}}) {
    for (const unsigned share : {0U, 1U, 50U, 99U, 100U}) {
      const auto words = random_words(size, ++seed, share);
      const Runs runs = coco_run_lengths({size, words});
      EXPECT_EQ(parse_coco_rle_text(coco_rle_text(runs)), runs);
      EXPECT_EQ(mask_of_run_lengths(runs, size), words);
    }
  }
  const Runs large{4294967295U, 0, 1, 4000000000U};
  EXPECT_EQ(parse_coco_rle_text(coco_rle_text(large)), large);
}

TEST(MaskRleTest, WhatIsNoneIsRefused) {
  EXPECT_THROW((void)parse_coco_rle_text("X"), Error);
  EXPECT_THROW((void)parse_coco_rle_text("\x01"), Error);
  EXPECT_THROW((void)parse_coco_rle_text("oooooooooooooooo"), Error);
  EXPECT_THROW((void)parse_coco_rle_text("N"), Error);  // A negative length.
  EXPECT_THROW((void)mask_of_run_lengths(Runs{3}, {2, 2}), Error);
}

}  // namespace
}  // namespace vrt
