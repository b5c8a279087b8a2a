#include "vrt/models/depth_anything/depth_maps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/device/counters.h"
#include "vrt/device/emulator/emulate.h"
#include "vrt/models/depth_anything/depth_colors_cu.h"
#include "vrt/models/depth_anything/depth_colors_emulated.h"
#include "vrt/models/depth_anything/depth_range_emulated.h"
#include "vrt/models/depth_anything/depth_resample_cu.h"
#include "vrt/models/depth_anything/depth_resample_emulated.h"
#include "vrt/models/testing/device_data.h"
#include "vrt/models/testing/golden.h"

namespace vrt {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Grid {
  Size size;
  std::vector<float> values;
};

Grid random_grid(Size size, std::uint32_t seed, float low, float high) {
  std::mt19937 random(seed);
  Grid grid{size, std::vector<float>(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height))};
  for (float& value : grid.values) value = std::uniform_real_distribution<float>(low, high)(random);
  return grid;
}

bool is_known(float value, DepthKind kind) {
  return std::isfinite(value) && (kind == DepthKind::kRelative || value > 0);
}

// Of an axis: the cells that take part in a pixel, by the distance of their centres, and the nearest one (the second of two as near).
struct Axis {
  std::vector<std::pair<int, double>> cells;
  int nearest = 0;
};

Axis axis_of(int pixel, int pixels, int cells) {
  const double place = std::clamp((pixel + 0.5) * cells / pixels, 0.5, cells - 0.5);  // Centres are at half numbers.
  Axis axis;
  for (int cell = 0; cell < cells; ++cell) {
    const double weight = 1 - std::abs(place - (cell + 0.5));
    if (weight > 1e-12) axis.cells.emplace_back(cell, weight);
    if (std::abs(place - (cell + 0.5)) <= std::abs(place - (axis.nearest + 0.5)) + 1e-12) axis.nearest = cell;
  }
  return axis;
}

// DepthMapper's rules, in double; nothing where the depth is not known.
std::optional<double> by_definition(const Grid& grid, Size size, int x, int y, DepthKind kind) {
  const Axis across = axis_of(x, size.width, grid.size.width);
  const Axis down = axis_of(y, size.height, grid.size.height);
  const auto at = [&](int column, int row) {
    return grid.values[static_cast<std::size_t>(row * grid.size.width + column)];
  };
  if (!is_known(at(across.nearest, down.nearest), kind)) return std::nullopt;
  double sum = 0;
  double weights = 0;
  for (const auto& [row, row_weight] : down.cells) {
    for (const auto& [column, column_weight] : across.cells) {
      if (!is_known(at(column, row), kind)) continue;
      sum += row_weight * column_weight * double{at(column, row)};
      weights += row_weight * column_weight;
    }
  }
  return sum / weights;
}

class DepthMapsTest : public ::testing::TestWithParam<Device> {
 protected:
  struct Made {
    std::vector<float> map;
    std::vector<std::uint8_t> picture;
  };

  Made make(const Grid& grid, Size size, DepthKind kind) {
    DepthMapper mapper(stream_, kind);
    DepthBuffers result(stream_, grid.size, {.size = size, .read_back = true, .colors = true});
    const auto values = testing::to_device(stream_, grid.values);
    mapper.submit({grid.size, values.span()}, result);
    result.enqueue_read_back(stream_);
    stream_.synchronize();
    return {{result.host_map().begin(), result.host_map().end()},
            {result.host_picture().begin(), result.host_picture().end()}};
  }

  void expect_as_defined(const Grid& grid, Size size, DepthKind kind) {
    const Made made = make(grid, size, kind);
    std::size_t pixel = 0;
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x, ++pixel) {
        const auto expected = by_definition(grid, size, x, y, kind);
        ASSERT_EQ(is_known(made.map[pixel], kind), expected.has_value()) << x << " " << y;
        if (expected) {
          ASSERT_NEAR(made.map[pixel], *expected, 1e-5 * std::abs(*expected) + 1e-6) << x << " " << y;
        } else if (kind == DepthKind::kMetric) {
          ASSERT_EQ(made.map[pixel], 0);
        }
      }
    }
  }

  Stream stream_{GetParam()};
};

TEST_P(DepthMapsTest, TheNetworksOwnSizeIsTheNetworksOwnMap) {
  const Grid grid = random_grid({37, 28}, 1, 0.5F, 20);
  EXPECT_EQ(make(grid, {}, DepthKind::kMetric).map, grid.values);
  EXPECT_EQ(make(grid, grid.size, DepthKind::kRelative).map, grid.values);
}

TEST_P(DepthMapsTest, IsBilinearBetweenCentres) {
  for (const Size size : {Size{1, 1}, Size{74, 56}, Size{101, 67}, Size{20, 500}, Size{3, 2}}) {
    expect_as_defined(random_grid({37, 28}, 2, 0.5F, 20), size, DepthKind::kMetric);
    expect_as_defined(random_grid({37, 28}, 3, -5, 20), size, DepthKind::kRelative);
  }
  expect_as_defined(random_grid({1, 1}, 4, 1, 2), {17, 9}, DepthKind::kMetric);
  expect_as_defined(random_grid({1, 30}, 5, 1, 2), {17, 90}, DepthKind::kMetric);
}

TEST_P(DepthMapsTest, IsTheMapThatNumPyGives) {
  Grid grid{{56, 42}, std::vector<float>(std::size_t{56} * 42)};
  for (std::size_t i = 0; i < grid.values.size(); ++i) {
    const std::int64_t value = testing::pattern(i, 997);
    grid.values[i] = value % 13 == 0 ? 0 : 0.5F + static_cast<float>(value) / 64;
  }
  const std::vector<float> golden = testing::golden("depth_56x42_to_101x67");
  const Made made = make(grid, {101, 67}, DepthKind::kMetric);
  ASSERT_EQ(made.map.size(), golden.size());
  for (std::size_t i = 0; i < golden.size(); ++i) ASSERT_NEAR(made.map[i], golden[i], 1e-5 * golden[i]) << i;
}

TEST_P(DepthMapsTest, WhatIsNotKnownIsNeverBlendedIntoWhatIs) {
  Grid grid = random_grid({40, 30}, 6, 5, 6);
  const std::array<float, 5> bad{0, -3, kNaN, kInfinity, -kInfinity};
  std::mt19937 random(7);
  for (std::size_t i = 0; i < grid.values.size(); ++i) {
    if (random() % 3 == 0) grid.values[i] = bad[random() % bad.size()];
  }
  for (const Size size : {Size{40, 30}, Size{97, 61}, Size{160, 120}, Size{13, 11}}) {
    expect_as_defined(grid, size, DepthKind::kMetric);
    for (const float value : make(grid, size, DepthKind::kMetric).map) {
      EXPECT_TRUE(value == 0 || (value > 4.999F && value < 6.001F)) << value;
    }
  }
}

TEST_P(DepthMapsTest, OfInverseDepthZeroAndBelowAreKnown) {
  Grid grid = random_grid({20, 10}, 8, -1, 1);
  grid.values[7] = kNaN;
  grid.values[60] = kInfinity;
  grid.values[61] = 0;
  expect_as_defined(grid, {55, 31}, DepthKind::kRelative);
  EXPECT_TRUE(std::isnan(make(grid, {}, DepthKind::kRelative).map[60]));
}

TEST_P(DepthMapsTest, GreatValuesStayFinite) {
  Grid grid{{2, 1}, {std::numeric_limits<float>::max(), -std::numeric_limits<float>::max()}};
  const Made made = make(grid, {8, 1}, DepthKind::kRelative);
  for (const float value : made.map) EXPECT_TRUE(std::isfinite(value));
  EXPECT_EQ(made.map[0], std::numeric_limits<float>::max());
}

TEST_P(DepthMapsTest, EightThousandPixelsAcrossAreExactAtTheirEnds) {
  const Grid grid = random_grid({518, 518}, 9, 1, 50);
  DepthMapper mapper(stream_, DepthKind::kMetric);
  DepthBuffers result(stream_, grid.size, {.size = {7680, 4320}, .read_back = true});
  const auto values = testing::to_device(stream_, grid.values);
  mapper.submit({grid.size, values.span()}, result);
  result.enqueue_read_back(stream_);
  stream_.synchronize();
  for (const auto& [x, y] : {std::pair{0, 0}, {7679, 4319}, {7679, 0}, {4001, 2503}, {3839, 2160}, {7600, 4300}}) {
    const double expected = by_definition(grid, {7680, 4320}, x, y, DepthKind::kMetric).value();
    const float found = result.host_map()[static_cast<std::size_t>(y) * 7680 + static_cast<std::size_t>(x)];
    EXPECT_NEAR(found, expected, 1e-5 * expected) << x << " " << y;
  }
}

// Turbo at a share of its range, as the polynomials say, in double.
std::array<double, 3> turbo(double x) {
  const std::array<std::array<double, 6>, 3> coefficients{{
      {0.13572138, 4.61539260, -42.66032258, 132.13108234, -152.94239396, 59.28637943},
      {0.09140261, 2.19418839, 4.84296658, -14.18503333, 4.27729857, 2.82956604},
      {0.10667330, 12.64194608, -60.58204836, 110.36276771, -89.90310912, 27.34824973},
  }};
  std::array<double, 3> color{};
  for (std::size_t c = 0; c < 3; ++c) {
    double power = 1;
    for (const double coefficient : coefficients[c]) {
      color[c] += coefficient * power;
      power *= x;
    }
    color[c] = std::clamp(color[c], 0.0, 1.0) * 255;
  }
  return color;
}

TEST_P(DepthMapsTest, NearIsRedAndFarIsBlue) {
  Grid grid = random_grid({64, 48}, 10, 2, 12);
  grid.values[5] = 0;
  grid.values[100] = 1;   // The nearest.
  grid.values[200] = 21;  // The farthest.
  for (const DepthKind kind : {DepthKind::kMetric, DepthKind::kRelative}) {
    const Made made = make(grid, {}, kind);
    for (std::size_t i = 0; i < grid.values.size(); ++i) {
      const double share = kind == DepthKind::kMetric ? (grid.values[i] - 1.0) / 20 : grid.values[i] / 21.0;
      const auto expected = turbo(kind == DepthKind::kMetric ? 1 - share : share);
      for (std::size_t c = 0; c < 3; ++c) {
        const bool is_black = kind == DepthKind::kMetric && i == 5;
        ASSERT_NEAR(made.picture[3 * i + c], is_black ? 0 : expected[c], 1) << i << " " << c;
      }
    }
  }
  const auto near = turbo(1);
  const auto far = turbo(0);
  EXPECT_GT(near[0], 2 * near[2]);
  EXPECT_GT(far[2], far[1]);
}

TEST_P(DepthMapsTest, FlatAndEmptyMapsHaveAPicture) {
  const Grid flat{{4, 2}, std::vector<float>(8, 3)};
  EXPECT_NEAR(make(flat, {}, DepthKind::kMetric).picture[0], turbo(1)[0], 1);
  EXPECT_NEAR(make(flat, {}, DepthKind::kRelative).picture[2], turbo(0)[2], 1);
  const Grid empty{{4, 2}, std::vector<float>(8, -1)};
  EXPECT_EQ(make(empty, {}, DepthKind::kMetric).picture, std::vector<std::uint8_t>(24, 0));
}

TEST_P(DepthMapsTest, SizesThatCannotBeAreRefused) {
  for (const Size size : {Size{-1, 5}, Size{5, 0}, Size{1 << 20, 1 << 20}, Size{1 << 29, 1}}) {
    EXPECT_THROW(DepthBuffers(stream_, {518, 518}, {.size = size}), Error) << size.width;
  }
  DepthBuffers plain(stream_, {4, 4}, {});
  EXPECT_THROW((void)plain.host_map(), Error);
  EXPECT_THROW((void)plain.picture(), Error);
  EXPECT_THROW((void)plain.host_picture(), Error);
}

INSTANTIATE_TEST_SUITE_P(Devices, DepthMapsTest, ::testing::ValuesIn(Device::all()), testing::device_name);

TEST(DepthRangeKernelTest, IsTheLeastAndTheGreatestKnownValue) {
  using Range = void(DeviceSpan<const float>, std::int32_t, float, DeviceSpan<std::uint32_t>);
  Grid grid = random_grid({31, 17}, 11, -7, 9);
  grid.values[3] = kNaN;
  grid.values[40] = kInfinity;
  for (const float above : {0.0F, -kInfinity}) {
    float least = kInfinity;
    float greatest = -kInfinity;
    for (const float value : grid.values) {
      if (!std::isfinite(value) || !(value > above)) continue;
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    }
    const auto key = [](float value) {
      const auto bits = std::bit_cast<std::uint32_t>(value);
      return std::signbit(value) ? ~bits : bits + 0x80000000U;
    };
    const GuardedBuffer<float> map(grid.values);
    GuardedBuffer<std::uint32_t> range(std::vector<std::uint32_t>{0, 0});
    emulate<Range>(kernels::emulated::depth_range_cu, "depth_range", grid_per_item(3, 64), {}, map.device(),
                   static_cast<std::int32_t>(grid.values.size()), above, range.device());
    EXPECT_THAT(range.values(), ::testing::ElementsAre(~key(least), key(greatest)));
  }
}

// Of the .cu itself: one thread a pixel.
TEST(DepthColorsKernelTest, HasTheBytesOfTheHostsVersion) {
  using Colors = void(DeviceSpan<const float>, std::int32_t, float, DeviceSpan<const std::uint32_t>, std::int32_t,
                      DeviceSpan<std::uint8_t>);
  Grid grid = random_grid({37, 41}, 12, -2, 9);
  grid.values[5] = kNaN;
  grid.values[6] = kInfinity;
  const auto count = static_cast<std::int32_t>(grid.values.size());
  const auto key = [](float value) { return std::bit_cast<std::uint32_t>(value) + 0x80000000U; };
  const std::vector<std::uint32_t> ends{~key(0.25F), key(9)};
  const Stream stream(Device::cpu());
  const auto host_map = testing::to_device(stream, grid.values);
  const auto host_range = testing::to_device(stream, ends);
  for (const std::int32_t near_is_small : {0, 1}) {
    const GuardedBuffer<float> map(grid.values);
    const GuardedBuffer<std::uint32_t> range(ends);
    GuardedBuffer<std::uint8_t> rgb(3 * grid.values.size());
    emulate<Colors>(kernels::emulated::depth_colors_cu, "depth_colors", grid_1d(grid.values.size(), 64), {},
                    map.device(), count, 0.0F, range.device(), near_is_small, rgb.device());
    auto host_rgb = DeviceBuffer<std::uint8_t>::zeros(stream, 3 * grid.values.size());
    KernelModule::load(stream.device(), kernels::depth_colors_cu)
        .get<Colors>("depth_colors")
        .launch(stream, grid_1d(grid.values.size()), host_map.span(), count, 0.0F, host_range.span(), near_is_small,
                host_rgb.span());
    EXPECT_EQ(read_back_blocking(stream, host_rgb.span()), rgb.values());
  }
}

// Likewise.
TEST(DepthResampleKernelTest, HasTheBitsOfTheHostsVersion) {
  using Params = kernels::depth_resample::DepthResample;
  using Resample = void(DeviceSpan<const float>, DeviceSpan<float>, Params);
  Grid grid = random_grid({19, 13}, 13, -2, 9);
  grid.values[30] = kNaN;
  const Params params{19, 13, 47, 31, 0, 0};
  const GuardedBuffer<float> values(grid.values);
  GuardedBuffer<float> map(47 * 31);
  emulate<Resample>(kernels::emulated::depth_resample_cu, "depth_resample", grid_2d(47, 31), {}, values.device(),
                    map.device(), params);
  const Stream stream(Device::cpu());
  const auto host_values = testing::to_device(stream, grid.values);
  auto host_map = DeviceBuffer<float>::zeros(stream, 47 * 31);
  KernelModule::load(stream.device(), kernels::depth_resample_cu)
      .get<Resample>("depth_resample")
      .launch(stream, grid_2d(47, 31), host_values.span(), host_map.span(), params);
  EXPECT_EQ(read_back_blocking(stream, host_map.span()), map.values());
}

TEST(DepthBuffersTest, ReadBackOnTheCpuAMapIsInMemoryOnce) {
  const Stream stream(Device::cpu());
  const DeviceCounters before = counters(Device::cpu());
  DepthBuffers result(stream, {30, 20}, {.read_back = true, .colors = true});
  const DeviceCounters allocated = counters(Device::cpu()) - before;
  EXPECT_EQ(allocated.device_allocations, 1U) << "the range, which nobody reads back";
  EXPECT_EQ(allocated.pinned_allocations, 2U);
  const std::vector<float> values(600, 2.5F);
  const auto grid = testing::to_device(stream, values);
  DepthMapper(stream, DepthKind::kMetric).submit({{30, 20}, grid.span()}, result);
  const DeviceCounters enqueued = counters(Device::cpu());
  result.enqueue_read_back(stream);
  EXPECT_EQ((counters(Device::cpu()) - enqueued).copies, 0U);
  stream.synchronize();
  EXPECT_THAT(result.host_map(), ::testing::ElementsAreArray(values));
}

}  // namespace
}  // namespace vrt
