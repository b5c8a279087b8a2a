#include "vrt/pipeline/json_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"

namespace vrt {
namespace {

using test::error_of;

std::string line_of(const FrameRecord& record) {
  std::string line;
  append_json_line(line, record);
  return line;
}

TEST(JsonLineTest, LooksExactlyAsDocumented) {
  const Keypoint keypoints[] = {{70.5F, 60, 1}, {90, 61.25F, 0.5F}};
  const Detection detections[] = {{{57.5F, 32, 104.25F, 90}, 0.93F, 0, "face", keypoints},
                                  {{0, 1, 2, 3}, 0.5F, 7, "", {}}};
  EXPECT_EQ(line_of({"clip.mp4", 17, 0.567, {176, 144}, detections}),
            R"({"source": "clip.mp4", "frame": 17, "time": 0.567, "width": 176, "height": 144, "detections": [)"
            R"({"box": [57.5, 32, 104.25, 90], "score": 0.93, "class": 0, "label": "face", )"
            R"("keypoints": [[70.5, 60, 1], [90, 61.25, 0.5]]}, )"
            R"({"box": [0, 1, 2, 3], "score": 0.5, "class": 7, "label": "", "keypoints": []}]})"
            "\n");
}

TEST(JsonLineTest, AFrameWithoutDetectionsHasAnEmptyList) {
  EXPECT_EQ(line_of({"a", 0, 0, {1, 1}, {}}),
            "{\"source\": \"a\", \"frame\": 0, \"time\": 0, \"width\": 1, \"height\": 1, \"detections\": []}\n");
}

TEST(JsonLineTest, EveryFloatReadsBackAsItWas) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::uint32_t bits = static_cast<std::uint32_t>(random());
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const Detection detections[] = {{{value, 0, 0, 0}, 0.1F, 0, "", {}}};
    const double time = static_cast<double>(random()) / 30.0;
    const auto parsed = nlohmann::json::parse(line_of({"", 0, time, {1, 1}, detections}));
    EXPECT_EQ(static_cast<float>(parsed["detections"][0]["box"][0].get<double>()), value);
    EXPECT_EQ(parsed["time"].get<double>(), time);
  }
}

TEST(JsonLineTest, NamesAreEscapedAndReadBack) {
  for (const std::string name : {"plain", "quo\"te", "back\\slash", "tab\tline\nbell\a", "żółć 顔 😀", "\x7f"}) {
    EXPECT_EQ(nlohmann::json::parse(line_of({name, 0, 0, {1, 1}, {}}))["source"].get<std::string>(), name);
  }
}

TEST(JsonLineTest, WhatIsNotUtf8IsReplaced) {
  const std::string mark = "\xEF\xBF\xBD";
  const std::pair<std::string, std::string> cases[] = {
      {"caf\xe9.mp4", "caf" + mark + ".mp4"},           // Latin-1
      {"\xc0\xaf", mark + mark},                        // overlong
      {"\xed\xa0\x80", mark + mark + mark},             // surrogate
      {"\xf4\x90\x80\x80", mark + mark + mark + mark},  // above U+10FFFF
      {"cut \xe9\xa1", "cut " + mark + mark}};          // ends in the middle
  for (const auto& [name, expected] : cases) {
    EXPECT_EQ(nlohmann::json::parse(line_of({name, 0, 0, {1, 1}, {}}))["source"].get<std::string>(), expected);
  }
}

TEST(JsonLineTest, NumbersThatJsonCannotHoldAreRefused) {
  const Detection detections[] = {{{0, 0, 1, 1}, std::numeric_limits<float>::quiet_NaN(), 0, "", {}}};
  std::string out = "before";
  const Error error = error_of([&] { append_json_line(out, {"", 0, 0, {1, 1}, detections}); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), ::testing::HasSubstr("score"));
  EXPECT_EQ(out, "before");
}

}  // namespace
}  // namespace vrt
