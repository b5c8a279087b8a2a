#include "vrt/pipeline/sample_frames.h"

#include <atomic>
#include <cstring>
#include <set>

#include <gtest/gtest.h>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/location.h"

namespace vrt {
namespace {

const std::string kClip = testing::location("VRT_TEST_CLIP", VRT_TEST_CLIP);

std::vector<float> floats_of(const std::vector<std::byte>& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(SampleFramesTest, FramesAreSpreadOverTheClipAndPreprocessed) {
  const std::vector<SampleInputs> samples = sample_frames(kClip, {}, {.target = {32, 16}}, "image");
  ASSERT_EQ(samples.size(), 8U);
  std::set<std::vector<float>> different;
  for (const SampleInputs& sample : samples) {
    ASSERT_EQ(sample.size(), 1U);
    const std::vector<float> values = floats_of(sample.at("image"));
    ASSERT_EQ(values.size(), 3U * 32 * 16);
    for (const float value : values) ASSERT_TRUE(value >= 0 && value <= 1);
    different.insert(values);
  }
  EXPECT_EQ(different.size(), 8U);
}

TEST(SampleFramesTest, AShorterSourceGivesAllItsFrames) {
  EXPECT_EQ(sample_frames(kClip, {.count = 1000}, {.target = {8, 8}}, "x").size(), 120U);
}

TEST(SampleFramesTest, OneFrameIsTheMiddleOne) {
  const auto one = sample_frames(kClip, {.count = 1}, {.target = {8, 8}}, "x");
  EXPECT_EQ(one.at(0), sample_frames(kClip, {.count = 1000}, {.target = {8, 8}}, "x").at(60));
}

TEST(SampleFramesTest, TheBeginningAloneIsLookedAtWhereAskedFor) {
  const auto every = sample_frames(kClip, {.count = 1000}, {.target = {8, 8}}, "x");
  const auto chosen = sample_frames(kClip, {.count = 2, .most_frames = 20}, {.target = {8, 8}}, "x");
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_EQ(chosen[0], every.at(5));
  EXPECT_EQ(chosen[1], every.at(15));
}

TEST(SampleFramesTest, AFrameFillsEveryPlaceOfARun) {
  const auto one = sample_frames(kClip, {.count = 1}, {.target = {8, 8}}, "x").at(0).at("x");
  const auto three = sample_frames(kClip, {.count = 1, .pictures = 3}, {.target = {8, 8}}, "x").at(0).at("x");
  ASSERT_EQ(three.size(), 3 * one.size());
  for (std::size_t i = 0; i < three.size(); ++i) ASSERT_EQ(three[i], one[i % one.size()]);
}

TEST(SampleFramesTest, LargeInputsAreFewer) {
  const auto samples = sample_frames(kClip, {.most_frames = 16}, {.target = {2048, 2048}}, "x");
  EXPECT_EQ(samples.size(), 5U) << "of 48 MiB each";
}

TEST(SampleFramesTest, ItCanBeStopped) {
  const std::atomic<bool> stop = true;
  const SampleChoice choice{.stop = &stop};
  EXPECT_EQ(test::error_of([&] { static_cast<void>(sample_frames(kClip, choice, {.target = {8, 8}}, "x")); }).code(),
            ErrorCode::kCancelled);
}

TEST(SampleFramesTest, ASourceThatIsNotThereIsNamed) {
  EXPECT_EQ(
      test::error_of([] { static_cast<void>(sample_frames("/nowhere.mp4", {}, {.target = {8, 8}}, "x")); }).code(),
      ErrorCode::kNotFound);
}

}  // namespace
}  // namespace vrt
