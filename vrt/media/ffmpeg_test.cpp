#include "vrt/media/ffmpeg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "vrt/base/log.h"
#include "vrt/media/test_files.h"

namespace vrt {
namespace {

TEST(FfmpegLogTest, ArrivesInVrtsLogOnceAndNeverOnStandardError) {
  detail::begin_ffmpeg_work();
  std::vector<std::string> lines;
  const LogSink before = set_log_sink(
      [&](LogLevel level, std::string_view line) { lines.push_back(fmt::format("{}:{}", to_string(level), line)); });
  testing::internal::CaptureStderr();
  for (int i = 0; i < 5; ++i) av_log(nullptr, AV_LOG_ERROR, "a damaged block %d\n", 7);
  av_log(nullptr, AV_LOG_WARNING, "a warning\n");
  av_log(nullptr, AV_LOG_DEBUG, "chatter\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  set_log_sink(before);
  EXPECT_THAT(lines, testing::ElementsAre("warning:FFmpeg: a damaged block 7", "info:FFmpeg: a warning"));
}

TEST(FfmpegLogTest, ErrorsCarryWhatFfmpegLastComplainedOf) {
  detail::begin_ffmpeg_work();
  EXPECT_EQ(detail::error_text(AVERROR(ENOSPC)), "No space left on device");
  av_log(nullptr, AV_LOG_ERROR, "moov atom not found\n");
  EXPECT_THAT(detail::error_text(AVERROR_INVALIDDATA), testing::HasSubstr("(moov atom not found)"));
}

}  // namespace
}  // namespace vrt
