#include "vrt/pipeline/benchmark_loop.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "vrt/base/error.h"

namespace vrt {
namespace {

using std::chrono::milliseconds;
using Time = std::chrono::steady_clock::time_point;

/// A subject whose steps take the time that a test says, on a clock that only they move.
struct ScriptedSubject : BenchmarkSubject {
  void step(const std::string& name, int duration) {
    steps.push_back(name);
    now += milliseconds(duration);
  }
  bool deliver() override {
    if (frames_left == 0) return false;
    --frames_left;
    ++frame;
    step("deliver", 1 + frame % 2);
    return true;
  }
  void restart() override {
    step("restart", 1000);
    frames_left = frames_in_source;
  }
  void record_start() override { step("start", 100); }
  void enqueue() override { step("enqueue", frame == slow_frame ? 500 : 3); }
  void record_end() override { step("end", 200); }
  void wait() override { step("wait", 7); }
  void finalise() override { step("finalise", 5); }
  std::chrono::duration<double, std::milli> device_time() override {
    if (frame == frame_without_events) throw Error(ErrorCode::kInvalidArgument, "no event");
    now += milliseconds(10000);
    return std::chrono::duration<double, std::milli>(frame);
  }

  Time now;
  int frames_in_source = 1000;
  int frames_left = 1000;
  int frame = 0;
  int slow_frame = -1;
  int frame_without_events = -1;
  std::vector<std::string> steps;
};

struct BenchmarkLoopTest : ::testing::Test {
  [[nodiscard]] BenchmarkSamples run(std::int64_t warm_up, std::int64_t frames) {
    plan.warm_up = warm_up;
    plan.frames = frames;
    plan.clock = [this] { return subject.now; };
    return measure_frames(subject, plan);
  }
  ScriptedSubject subject;
  BenchmarkPlan plan;
};

TEST_F(BenchmarkLoopTest, EachStageIsTimedAloneAndTheFrameIsAllOfIt) {
  const BenchmarkSamples samples = run(0, 2);
  EXPECT_EQ(samples.of(FrameStage::kSource), (std::vector<double>{2, 1}));
  EXPECT_EQ(samples.of(FrameStage::kEnqueue), (std::vector<double>{3, 3}));
  EXPECT_EQ(samples.of(FrameStage::kDevice), (std::vector<double>{1, 2}));
  EXPECT_EQ(samples.of(FrameStage::kWait), (std::vector<double>{7, 7}));
  EXPECT_EQ(samples.of(FrameStage::kFinalise), (std::vector<double>{5, 5}));
  EXPECT_EQ(samples.of(FrameStage::kFrame), (std::vector<double>{317, 316}));
  EXPECT_EQ(samples.problems, (std::array<std::string, kFrameStages>{}));
}

TEST_F(BenchmarkLoopTest, AFrameIsFinishedBeforeTheNextIsAskedFor) {
  (void)run(1, 1);
  const std::vector<std::string> one{"deliver", "start", "enqueue", "end", "wait", "finalise"};
  std::vector<std::string> two = one;
  two.insert(two.end(), one.begin(), one.end());
  EXPECT_EQ(subject.steps, two);
}

TEST_F(BenchmarkLoopTest, TheWarmUpIsInNoSample) {
  subject.slow_frame = 3;
  const BenchmarkSamples samples = run(3, 5);
  EXPECT_EQ(samples.of(FrameStage::kEnqueue), std::vector<double>(5, 3));
  EXPECT_EQ(samples.of(FrameStage::kDevice), (std::vector<double>{4, 5, 6, 7, 8}));
}

TEST_F(BenchmarkLoopTest, TheSourceBeginsAgainAndThatIsNoFramesTime) {
  subject.frames_in_source = subject.frames_left = 4;
  const BenchmarkSamples samples = run(2, 8);
  EXPECT_EQ(samples.restarts, 2);
  EXPECT_EQ(subject.frame, 10);
  EXPECT_EQ(samples.of(FrameStage::kSource).size(), 6U) << "two frames were decoded by opening";
  EXPECT_EQ(samples.of(FrameStage::kFrame).size(), 8U);
  for (const double source : samples.of(FrameStage::kSource)) EXPECT_LE(source, 2);
  for (const double frame : samples.of(FrameStage::kFrame)) EXPECT_LE(frame, 317);
}

TEST_F(BenchmarkLoopTest, ASourceOfOneFrameHasNoTimeOfItsOwn) {
  subject.frames_in_source = subject.frames_left = 1;
  const BenchmarkSamples samples = run(1, 5);
  EXPECT_TRUE(samples.of(FrameStage::kSource).empty());
  EXPECT_NE(samples.problems[static_cast<std::size_t>(FrameStage::kSource)], "");
}

TEST_F(BenchmarkLoopTest, ATimeThatOneEventDidNotMeasureIsNoTimeAtAll) {
  subject.frame_without_events = 6;
  const BenchmarkSamples samples = run(0, 9);
  EXPECT_TRUE(samples.of(FrameStage::kDevice).empty());
  EXPECT_EQ(samples.problems[static_cast<std::size_t>(FrameStage::kDevice)], "no event");
  EXPECT_EQ(samples.of(FrameStage::kWait).size(), 9U);
}

TEST_F(BenchmarkLoopTest, WhatIsDoneBetweenFramesIsInNoStage) {
  std::vector<std::int64_t> called;
  plan.between_frames = [&](std::int64_t done) {
    called.push_back(done);
    subject.now += std::chrono::hours(1);
  };
  const BenchmarkSamples samples = run(2, 3);
  EXPECT_EQ(called, (std::vector<std::int64_t>{1, 2, 3}));
  for (const double frame : samples.of(FrameStage::kFrame)) EXPECT_LE(frame, 317);
}

TEST_F(BenchmarkLoopTest, AStopEndsItBeforeTheNextFrame) {
  std::atomic<bool> stop = false;
  plan.stop = &stop;
  plan.between_frames = [&](std::int64_t done) { stop = done == 2; };
  const BenchmarkSamples samples = run(1, 50);
  EXPECT_TRUE(samples.stopped);
  EXPECT_EQ(subject.frame, 3);
}

}  // namespace
}  // namespace vrt
