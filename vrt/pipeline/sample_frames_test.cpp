#include "vrt/pipeline/sample_frames.h"

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
  const std::vector<SampleInputs> samples = sample_frames(kClip, 8, {.target = {32, 16}}, "image");
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
  EXPECT_EQ(sample_frames(kClip, 1000, {.target = {8, 8}}, "x").size(), 120U);
}

TEST(SampleFramesTest, OneFrameIsTheMiddleOne) {
  const auto one = sample_frames(kClip, 1, {.target = {8, 8}}, "x");
  EXPECT_EQ(one.at(0), sample_frames(kClip, 1000, {.target = {8, 8}}, "x").at(60));
}

TEST(SampleFramesTest, ASourceThatIsNotThereIsNamed) {
  EXPECT_EQ(test::error_of([] { static_cast<void>(sample_frames("/nowhere.mp4", 8, {.target = {8, 8}}, "x")); }).code(),
            ErrorCode::kNotFound);
}

}  // namespace
}  // namespace vrt
