#include "vrt/pipeline/depth_summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "vrt/base/error.h"

namespace vrt {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// By sorting.
DepthSummary expected_of(const std::vector<float>& values, bool metres) {
  std::vector<float> known;
  for (const float value : values)
    if (std::isfinite(value) && (!metres || value > 0)) known.push_back(value);
  if (known.empty()) return {};
  std::sort(known.begin(), known.end());
  return {static_cast<float>(known.size()) / static_cast<float>(values.size()), known.front(),
          known[(known.size() - 1) / 2], known.back()};
}

void expect_equal(const DepthSummary& found, const DepthSummary& expected) {
  EXPECT_EQ(found.known, expected.known);
  EXPECT_EQ(found.least, expected.least);
  EXPECT_EQ(found.median, expected.median);
  EXPECT_EQ(found.greatest, expected.greatest);
}

TEST(DepthSummaryTest, IsWhatSortingGives) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0.5F, 4);
  for (int round = 0; round < 40; ++round) {
    const Size size{1 + round * 3 % 17, 1 + round * 5 % 23};
    std::vector<float> values(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
    for (float& value : values) {
      const auto kind = random() % 12;
      value = kind == 0 ? kNan : kind == 1 ? kInfinity : kind == 2 ? -kInfinity : kind == 3 ? 0.0F : normal(random);
      if (round % 2 == 0) value = std::round(value);  // Many that are equal.
    }
    expect_equal(summarize(DepthMapView{size, values}), expected_of(values, true));
    expect_equal(summarize(RelativeDepthMapView{size, values}), expected_of(values, false));
  }
}

TEST(DepthSummaryTest, ValuesThatDifferOnlyInTheirLastBitsAreToldApart) {
  std::vector<float> values = {1.0F, std::nextafter(1.0F, 2.0F), std::nextafter(1.0F, 0.0F)};
  expect_equal(summarize(DepthMapView{{3, 1}, values}), {1, values[2], values[0], values[1]});
}

TEST(DepthSummaryTest, NothingKnownHasNoNumbers) {
  const std::vector<float> values = {0, -1, kNan, kInfinity};
  expect_equal(summarize(DepthMapView{{2, 2}, values}), {});
  expect_equal(summarize(DepthMapView{}), {});
}

TEST(DepthSummaryTest, AMapWithoutAValueForEachPixelIsRefused) {
  const std::vector<float> values(5);
  EXPECT_THROW(static_cast<void>(summarize(DepthMapView{{2, 3}, values})), Error);
}

}  // namespace
}  // namespace vrt
