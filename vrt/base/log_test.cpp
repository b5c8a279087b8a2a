#include "vrt/base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace vrt {
namespace {

using ::testing::ElementsAre;

class LogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    set_log_level(LogLevel::kInfo);
    before_ = set_log_sink([this](LogLevel level, std::string_view message) {
      lines_.push_back(std::string(to_string(level)) + " " + std::string(message));
    });
  }
  void TearDown() override {
    set_log_sink(before_);
    set_log_level(LogLevel::kInfo);
  }

  std::vector<std::string> lines_;
  LogSink before_;
};

TEST_F(LogTest, MessagesBelowTheLevelAreDropped) {
  set_log_level(LogLevel::kWarning);
  log(LogLevel::kInfo, "quiet");
  log(LogLevel::kWarning, "loud");
  log(LogLevel::kError, "louder");
  EXPECT_THAT(lines_, ElementsAre("warning loud", "error louder"));
}

TEST_F(LogTest, EnabledSaysWhetherAMessageWouldReachASink) {
  EXPECT_TRUE(log_enabled(LogLevel::kInfo));
  EXPECT_FALSE(log_enabled(LogLevel::kDebug));
  set_log_sink({});
  EXPECT_FALSE(log_enabled(LogLevel::kError));
}

TEST_F(LogTest, WithoutASinkNothingHappens) {
  set_log_sink({});
  log(LogLevel::kError, "lost");
  EXPECT_TRUE(lines_.empty());
}

TEST_F(LogTest, SettingASinkReturnsTheOneBefore) {
  const LogSink mine = set_log_sink([](LogLevel, std::string_view) {});
  ASSERT_TRUE(mine);
  mine(LogLevel::kInfo, "by hand");
  EXPECT_THAT(lines_, ElementsAre("info by hand"));
}

TEST_F(LogTest, ASinkThatThrowsChangesNothing) {
  set_log_sink([](LogLevel, std::string_view) { throw std::runtime_error("sink"); });
  log(LogLevel::kError, "first");
  set_log_sink([this](LogLevel, std::string_view message) { lines_.emplace_back(message); });
  log(LogLevel::kError, "second");
  EXPECT_THAT(lines_, ElementsAre("second"));
}

TEST_F(LogTest, ASinkThatLogsDoesNotWaitForItself) {
  set_log_sink([this](LogLevel, std::string_view message) {
    lines_.emplace_back(message);
    log(LogLevel::kError, "nested");
  });
  log(LogLevel::kError, "outer");
  EXPECT_THAT(lines_, ElementsAre("outer"));
}

TEST_F(LogTest, TheSinkIsCalledByOneThreadAtATime) {
  constexpr int kThreads = 4;
  constexpr int kMessages = 200;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < kMessages; ++i) log(LogLevel::kInfo, "message");
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(lines_.size(), static_cast<std::size_t>(kThreads * kMessages));
}

}  // namespace
}  // namespace vrt
