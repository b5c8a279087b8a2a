#include "vrt/pipeline/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "vrt/base/error.h"

namespace vrt {
namespace {

/// By the definition: the least sample that at least `percent` of a hundred of them do not exceed. Integers, no ranks.
double percentile_by_counting(const std::vector<double>& samples, std::size_t percent) {
  double best = *std::max_element(samples.begin(), samples.end());
  for (const double candidate : samples) {
    const auto within = static_cast<std::size_t>(
        std::count_if(samples.begin(), samples.end(), [&](double s) { return s <= candidate; }));
    if (100 * within >= percent * samples.size()) best = std::min(best, candidate);
  }
  return best;
}

TEST(DistributionTest, PercentilesAreThoseOfTheDefinition) {
  std::mt19937 random(11);
  for (const std::size_t count : {1U, 2U, 3U, 19U, 20U, 21U, 99U, 100U, 101U, 300U, 1000U}) {
    std::vector<double> samples(count);
    for (double& sample : samples) sample = static_cast<double>(random() % 500) / 8;
    const Distribution found = distribution_of(samples);
    EXPECT_EQ(found.count, count);
    EXPECT_EQ(found.p50, percentile_by_counting(samples, 50)) << count;
    EXPECT_EQ(found.p95, percentile_by_counting(samples, 95)) << count;
    EXPECT_EQ(found.p99, percentile_by_counting(samples, 99)) << count;
    EXPECT_EQ(found.maximum, percentile_by_counting(samples, 100)) << count;
  }
}

TEST(DistributionTest, OneSlowFrameInAHundredIsTheMaximumAndNotTheNinetyNinthPercentile) {
  std::vector<double> samples(100, 2);
  samples[37] = 90;
  const Distribution found = distribution_of(samples);
  EXPECT_EQ(found.p99, 2);
  EXPECT_EQ(found.maximum, 90);
  EXPECT_DOUBLE_EQ(found.mean, 2.88);
}

TEST(DistributionTest, NoSamplesAreRefused) { EXPECT_THROW((void)distribution_of({}), Error); }

TEST(DistributionTest, TheRankOfNothingIsTheFirst) {
  EXPECT_EQ(nearest_rank(0, 10), 1U);
  EXPECT_EQ(nearest_rank(0.5, 1), 1U);
  EXPECT_EQ(nearest_rank(1, 10), 10U);
}

}  // namespace
}  // namespace vrt
