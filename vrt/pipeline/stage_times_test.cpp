#include "vrt/pipeline/stage_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace vrt {
namespace {

using std::chrono::nanoseconds;

TEST(DurationHistogramTest, AgreesWithSortedDurations) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> milliseconds(1.0, 2.0);
  std::vector<double> sorted;
  DurationHistogram histogram;
  double sum = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto duration = nanoseconds(static_cast<std::int64_t>(milliseconds(random) * 1e6));
    histogram.add(duration);
    sorted.push_back(static_cast<double>(duration.count()) / 1e6);
    sum += sorted.back();
  }
  std::sort(sorted.begin(), sorted.end());
  EXPECT_NEAR(histogram.mean(), sum / 5000, 1e-9 * sum);
  EXPECT_EQ(histogram.maximum(), sorted.back());
  for (const double share : {0.01, 0.5, 0.95, 0.999, 1.0}) {
    const double exact = sorted[static_cast<std::size_t>(std::ceil(share * 5000)) - 1];
    EXPECT_NEAR(histogram.percentile(share), exact, 0.016 * exact) << share;
  }
}

TEST(DurationHistogramTest, TakesTheShortestAndTheLongestDuration) {
  DurationHistogram histogram;
  EXPECT_EQ(histogram.percentile(0.5), 0);
  histogram.add(nanoseconds(0));
  EXPECT_EQ(histogram.percentile(0.5), 0);
  histogram.add(nanoseconds::max());
  EXPECT_NEAR(histogram.percentile(1), 9.22e12, 1e11);
}

TEST(DurationHistogramTest, SmallDurationsAreExact) {
  for (int value = 0; value < 128; ++value) {
    DurationHistogram histogram;
    histogram.add(nanoseconds(value));
    EXPECT_NEAR(histogram.percentile(0.5), value / 1e6, 1e-12) << value;
  }
}

TEST(StageTimesTest, ReportsWhatWasTimedInTheOrderOfTheStages) {
  StageTimes times;
  times.time(Stage::kJson, [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
  EXPECT_EQ(times.time(Stage::kSource, [] { return 5; }), 5);
  const auto rows = times.summary();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "source");
  EXPECT_EQ(rows[1].name, "json");
  EXPECT_GE(rows[1].mean, 2.0);
  EXPECT_EQ(rows[1].count, 1U);
}

TEST(StageTimesTest, WhatThrowsIsNotTimed) {
  StageTimes times;
  EXPECT_THROW(times.time(Stage::kDraw, [] { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_TRUE(times.summary().empty());
}

}  // namespace
}  // namespace vrt
