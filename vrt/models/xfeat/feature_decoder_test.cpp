#include "vrt/models/xfeat/feature_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "vrt/device/emulator/emulate.h"
#include "vrt/models/testing/device_data.h"
#include "vrt/models/xfeat/xfeat_describe_cu.h"
#include "vrt/models/xfeat/xfeat_describe_emulated.h"
#include "vrt/models/xfeat/xfeat_peaks_emulated.h"
#include "vrt/models/xfeat/xfeat_rank_emulated.h"
#include "vrt/models/xfeat/xfeat_select_emulated.h"

namespace vrt {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kChannels = 64;

struct Maps {
  Size input;
  std::vector<float> descriptors;
  std::vector<float> heatmap;
  std::vector<float> reliability;

  explicit Maps(Size size, float value = 0) : input(size) {
    const std::size_t pixels = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
    descriptors.assign(pixels, 0.5F);  // 64 channels of a 64th.
    heatmap.assign(pixels, value);
    reliability.assign(pixels, 1);
  }
  [[nodiscard]] std::size_t pixels() const { return heatmap.size(); }
  [[nodiscard]] Size grid() const { return {input.width / 8, input.height / 8}; }
};

// Few values, so that neighbours and scores tie; a share of them is above 0.05.
Maps random_maps(Size size, std::uint32_t seed, int steps = 64) {
  std::mt19937 random(seed);
  Maps maps(size);
  std::normal_distribution<float> channel;
  for (float& value : maps.descriptors) value = channel(random);
  for (float& value : maps.heatmap) {
    value =
        random() % 4 == 0 ? static_cast<float>(random() % static_cast<unsigned>(steps)) / static_cast<float>(steps) : 0;
  }
  for (float& value : maps.reliability) value = static_cast<float>(random() % 5) / 4;
  return maps;
}

struct Feature {
  double x = 0;
  double y = 0;
  float score = 0;
  std::array<double, kChannels> descriptor{};
};

struct Features {
  std::int32_t candidates = 0;
  std::vector<Feature> features;
};

// Rule 1, as a maximum over the window.
bool is_keypoint(const Maps& maps, int x, int y, float threshold) {
  const auto at = [&](int column, int row) {
    return maps.heatmap[static_cast<std::size_t>(row * maps.input.width + column)];
  };
  float greatest = -kInfinity;
  for (int row = std::max(y - 2, 0); row <= std::min(y + 2, maps.input.height - 1); ++row) {
    for (int column = std::max(x - 2, 0); column <= std::min(x + 2, maps.input.width - 1); ++column) {
      if (!std::isnan(at(column, row))) greatest = std::max(greatest, at(column, row));
    }
  }
  return at(x, y) > threshold && at(x, y) == greatest;
}

// Rule 4: the map as a function of the place, in double, cell centres at half numbers.
std::array<double, kChannels> descriptor_at(const Maps& maps, double x, double y) {
  const Size grid = maps.grid();
  const auto place = [](double centre, int cells) { return std::clamp(centre / 8 - 0.5, 0.0, cells - 1.0); };
  const double u = place(x, grid.width);
  const double v = place(y, grid.height);
  std::array<double, kChannels> values{};
  double squares = 0;
  for (std::size_t c = 0; c < kChannels; ++c) {
    for (int row = 0; row < grid.height; ++row) {
      for (int column = 0; column < grid.width; ++column) {
        const double weight = std::max(0.0, 1 - std::abs(u - column)) * std::max(0.0, 1 - std::abs(v - row));
        const auto cell = static_cast<std::size_t>((static_cast<int>(c) * grid.height + row) * grid.width + column);
        if (weight > 0) values[c] += weight * double{maps.descriptors[cell]};
      }
    }
    squares += values[c] * values[c];
  }
  for (double& value : values) value /= std::max(std::sqrt(squares), 1e-12);
  return values;
}

Features decode_by_definition(const Maps& maps, Size source, const XFeatOptions& options) {
  std::vector<std::pair<float, int>> found;
  for (int y = 0; y < maps.input.height; ++y) {
    for (int x = 0; x < maps.input.width; ++x) {
      const int pixel = y * maps.input.width + x;
      const auto at = static_cast<std::size_t>(pixel);
      const float score = maps.heatmap[at] * maps.reliability[at];
      if (is_keypoint(maps, x, y, options.threshold) && score > 0 && std::isfinite(score))
        found.emplace_back(score, pixel);
    }
  }
  Features result{static_cast<std::int32_t>(found.size()), {}};
  std::ranges::stable_sort(found, std::greater<>(), &std::pair<float, int>::first);
  found.resize(std::min(found.size(), static_cast<std::size_t>(options.max_keypoints)));
  for (const auto& [score, pixel] : found) {
    const double x = pixel % maps.input.width + 0.5;
    const double y = pixel / maps.input.width + 0.5;
    result.features.push_back(
        {x * source.width / maps.input.width, y * source.height / maps.input.height, score, descriptor_at(maps, x, y)});
  }
  return result;
}

class FeatureDecoderTest : public ::testing::TestWithParam<Device> {
 protected:
  Features decode(const Maps& maps, Size source, const XFeatOptions& options) {
    const auto room = static_cast<std::size_t>(options.max_keypoints);
    FeatureDecoder decoder(stream_, maps.input, options);
    const auto descriptors = testing::to_device(stream_, maps.descriptors);
    const auto heatmap = testing::to_device(stream_, maps.heatmap);
    const auto reliability = testing::to_device(stream_, maps.reliability);
    auto counts = testing::to_device<std::int32_t>(stream_, {-1, -1});
    auto keypoints = DeviceBuffer<float>::zeros(stream_, 3 * room);
    auto described = DeviceBuffer<float>::zeros(stream_, kChannels * room);
    decoder.submit({maps.input, descriptors.span(), heatmap.span(), reliability.span()},
                   ResizeMapping::make(ResizeMode::kStretch, source, maps.input),
                   {counts.span(), keypoints.span(), described.span()});
    const auto count = testing::to_host(stream_, counts.span(), 2);
    const auto points = testing::to_host(stream_, keypoints.span(), 3 * room);
    const auto values = testing::to_host(stream_, described.span(), kChannels * room);
    Features features{count[FeatureDecoder::kCandidates], {}};
    for (std::size_t i = 0; i < static_cast<std::size_t>(count[FeatureDecoder::kKeypoints]); ++i) {
      Feature feature{points[3 * i], points[3 * i + 1], points[3 * i + 2], {}};
      for (std::size_t c = 0; c < kChannels; ++c) feature.descriptor[c] = values[i * kChannels + c];
      features.features.push_back(feature);
    }
    return features;
  }

  static void expect_same(const Features& found, const Features& expected) {
    EXPECT_EQ(found.candidates, expected.candidates);
    ASSERT_EQ(found.features.size(), expected.features.size());
    for (std::size_t i = 0; i < found.features.size(); ++i) {
      const Feature& feature = found.features[i];
      EXPECT_NEAR(feature.x, expected.features[i].x, 1e-3) << "feature " << i;
      EXPECT_NEAR(feature.y, expected.features[i].y, 1e-3) << "feature " << i;
      EXPECT_EQ(feature.score, expected.features[i].score) << "feature " << i;
      double worst = 0;
      for (std::size_t c = 0; c < kChannels; ++c) {
        worst = std::max(worst, std::abs(feature.descriptor[c] - expected.features[i].descriptor[c]));
      }
      EXPECT_LE(worst, 1e-5) << "feature " << i;
    }
  }

  void expect_as_defined(const Maps& maps, Size source, const XFeatOptions& options = {}) {
    expect_same(decode(maps, source, options), decode_by_definition(maps, source, options));
  }

  Stream stream_{GetParam()};
};

TEST_P(FeatureDecoderTest, FindsTheFeaturesOfTheDefinitionInRandomMaps) {
  expect_as_defined(random_maps({32, 32}, 1), {32, 32});
  expect_as_defined(random_maps({96, 64}, 2), {101, 77});
  expect_as_defined(random_maps({64, 160}, 3), {64, 160}, {.threshold = 0.5F, .max_keypoints = 50});
  expect_as_defined(random_maps({160, 96}, 4, 4), {7680, 4320}, {.threshold = 0.0F, .max_keypoints = 300});
}

TEST_P(FeatureDecoderTest, AKeypointIsWhereTheFactsPutIt) {
  // Pixel (12, 20) of a network half as large as the picture: its centre is (12.5, 20.5) there, (25, 41) in the picture. On the map
  // of descriptors that is (1.0625, 2.0625) from the first centre.
  Maps maps({32, 32});
  maps.heatmap[20 * 32 + 12] = 0.75F;
  maps.reliability[20 * 32 + 12] = 0.5F;
  std::fill(maps.descriptors.begin(), maps.descriptors.end(), 0.0F);
  maps.descriptors[0 * 16 + 2 * 4 + 1] = 1;  // Channel 0, row 2, column 1.
  maps.descriptors[7 * 16 + 3 * 4 + 2] = 1;  // Channel 7, row 3, column 2.
  const Features found = decode(maps, {64, 64}, {});
  ASSERT_EQ(found.features.size(), 1U);
  const Feature& feature = found.features[0];
  EXPECT_EQ(feature.x, 25);
  EXPECT_EQ(feature.y, 41);
  EXPECT_EQ(feature.score, 0.375F);
  const double own = 0.9375 * 0.9375;
  const double next = 0.0625 * 0.0625;
  const double length = std::sqrt(own * own + next * next);
  EXPECT_NEAR(feature.descriptor[0], own / length, 1e-6);
  EXPECT_NEAR(feature.descriptor[7], next / length, 1e-6);
  EXPECT_EQ(feature.descriptor[1], 0);
}

TEST_P(FeatureDecoderTest, FindsNothingWhereNothingExceedsTheThreshold) {
  for (const float value : {0.0F, 0.05F, -1.0F, kNaN, kInfinity, -kInfinity}) {
    const Features found = decode(Maps({64, 32}, value), {64, 32}, {});
    EXPECT_EQ(found.candidates, 0) << value;
    EXPECT_TRUE(found.features.empty()) << value;
  }
}

TEST_P(FeatureDecoderTest, EqualPixelsAreAllKeypointsAndTheFirstStay) {
  for (const std::int32_t keep : {1, 4096, 8191, 8192}) {  // 20480 pixels: down to the bits of the index.
    const Features found = decode(Maps({160, 128}, 0.5F), {160, 128}, {.max_keypoints = keep});
    EXPECT_EQ(found.candidates, 20480);
    ASSERT_EQ(found.features.size(), static_cast<std::size_t>(keep));
    for (int i = 0; i < keep; ++i) {
      EXPECT_EQ(found.features[static_cast<std::size_t>(i)].x, i % 160 + 0.5);
      EXPECT_EQ(found.features[static_cast<std::size_t>(i)].y, i / 160 + 0.5);
    }
  }
}

TEST_P(FeatureDecoderTest, ExactlyAsManyAsAreKeptAndOneMore) {
  for (const int more : {0, 1}) {
    Maps maps({96, 96});
    const std::size_t wanted = 100 + static_cast<std::size_t>(more);
    for (std::size_t i = 0; i < wanted; ++i) maps.heatmap[(i / 15) * 6 * 96 + (i % 15) * 6] = 0.5F;
    const Features found = decode(maps, {96, 96}, {.max_keypoints = 100});
    EXPECT_EQ(found.candidates, static_cast<std::int32_t>(wanted));
    expect_same(found, decode_by_definition(maps, {96, 96}, {.max_keypoints = 100}));
  }
}

TEST_P(FeatureDecoderTest, SelectsExactlyAmongManyScores) {
  Maps maps({256, 256}, 0.25F);  // Every pixel is a keypoint; scores differ by the reliability alone.
  std::mt19937 random(8);
  for (float& value : maps.reliability) value = std::uniform_real_distribution<float>(0.1F, 1.0F)(random);
  const Features found = decode(maps, {256, 256}, {.max_keypoints = 5000});
  EXPECT_EQ(found.candidates, 65536);
  std::vector<float> scores;
  for (const float value : maps.reliability) scores.push_back(0.25F * value);
  std::ranges::sort(scores, std::greater<>());
  ASSERT_EQ(found.features.size(), 5000U);
  for (std::size_t i = 0; i < 5000; ++i) EXPECT_EQ(found.features[i].score, scores[i]) << i;
}

TEST_P(FeatureDecoderTest, NonFiniteValuesAreNoKeypointsAndHideNone) {
  Maps maps = random_maps({96, 64}, 9);
  for (std::size_t i = 0; i < maps.pixels(); i += 7) maps.heatmap[i] = kNaN;
  for (std::size_t i = 3; i < maps.pixels(); i += 11) maps.reliability[i] = i % 2 == 0 ? kNaN : kInfinity;
  maps.heatmap[1000] = kInfinity;
  expect_as_defined(maps, {96, 64});
}

TEST_P(FeatureDecoderTest, ADescriptorOfZerosStaysZero) {
  Maps maps({32, 32});
  maps.heatmap[0] = 1;
  std::fill(maps.descriptors.begin(), maps.descriptors.end(), 0.0F);
  const Features found = decode(maps, {32, 32}, {});
  ASSERT_EQ(found.features.size(), 1U);
  for (const double value : found.features[0].descriptor) EXPECT_EQ(value, 0);
}

TEST_P(FeatureDecoderTest, RepeatsItself) {
  const Maps maps = random_maps({256, 128}, 10);
  const Features first = decode(maps, {256, 128}, {});
  for (int i = 0; i < 3; ++i) {
    const Features again = decode(maps, {256, 128}, {});
    ASSERT_EQ(again.features.size(), first.features.size());
    for (std::size_t f = 0; f < first.features.size(); ++f) {
      EXPECT_EQ(again.features[f].x, first.features[f].x);
      EXPECT_EQ(again.features[f].y, first.features[f].y);
      EXPECT_EQ(again.features[f].descriptor, first.features[f].descriptor);
    }
  }
}

TEST_P(FeatureDecoderTest, DecodesEightThousandPixelsAcross) {
  Maps maps({7680, 4320 / 32 * 32});
  for (std::size_t i = 0; i < maps.pixels(); i += 9973) maps.heatmap[i] = 0.1F + static_cast<float>(i % 89) / 100;
  const Features found = decode(maps, {7680, 4320}, {});
  EXPECT_EQ(found.candidates, static_cast<std::int32_t>((maps.pixels() + 9972) / 9973));
  ASSERT_EQ(found.features.size(), static_cast<std::size_t>(found.candidates));
  EXPECT_TRUE(std::ranges::is_sorted(found.features, std::greater<>(), &Feature::score));
}

INSTANTIATE_TEST_SUITE_P(Devices, FeatureDecoderTest, ::testing::ValuesIn(Device::all()), testing::device_name);

// The kernels as a GPU runs them, beside the host's versions.
using Keys = std::vector<std::uint64_t>;
using kernels::xfeat_select::kSelectBins;
using kernels::xfeat_select::SelectState;

Keys random_keys(std::size_t count, int steps, std::uint32_t seed) {
  std::mt19937 random(seed);
  Keys keys;
  for (std::uint32_t i = 0; i < count; ++i) {
    const float score = static_cast<float>(1 + random() % static_cast<unsigned>(steps)) / static_cast<float>(steps);
    keys.push_back((std::uint64_t{std::bit_cast<std::uint32_t>(score) | 0x80000000U} << 32U) | (0xFFFFFFFFU - i));
  }
  std::ranges::shuffle(keys, random);
  return keys;
}

TEST(XFeatKernelsTest, PeaksAreThoseOfTheDefinition) {
  using Peaks = void(DeviceSpan<const float>, DeviceSpan<const float>, std::int32_t, std::int32_t, float,
                     DeviceSpan<std::uint64_t>, DeviceSpan<std::int32_t>);
  const Maps maps = random_maps({40, 24}, 11);
  const GuardedBuffer<float> heatmap(maps.heatmap);
  const GuardedBuffer<float> reliability(maps.reliability);
  GuardedBuffer<std::uint64_t> keys(maps.pixels());
  GuardedBuffer<std::int32_t> count(std::vector<std::int32_t>{0});
  emulate<Peaks>(kernels::emulated::xfeat_peaks_cu, "xfeat_peaks", {{2, 12, 1}, {32, 2, 1}, 0}, {}, heatmap.device(),
                 reliability.device(), 40, 24, 0.05F, keys.device(), count.device());
  const Features expected = decode_by_definition(maps, maps.input, {});
  ASSERT_EQ(count.host()[0], expected.candidates);
  Keys found = keys.values();
  found.resize(static_cast<std::size_t>(expected.candidates));
  std::ranges::sort(found, std::greater<>());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::uint32_t pixel = ~static_cast<std::uint32_t>(found[i]);
    EXPECT_EQ(pixel % 40 + 0.5, expected.features[i].x);
    EXPECT_EQ(pixel / 40 + 0.5, expected.features[i].y);
  }
}

// All passes and the survivors, by `blocks` blocks of the emulator.
Keys survivors_of(const Keys& keys, std::int32_t keep, std::uint32_t blocks) {
  using Select = void(DeviceSpan<const std::uint64_t>, DeviceSpan<const std::int32_t>, std::int32_t, std::int32_t,
                      DeviceSpan<const SelectState>, DeviceSpan<const std::int32_t>, DeviceSpan<SelectState>,
                      DeviceSpan<std::int32_t>);
  using Survivors = void(DeviceSpan<const std::uint64_t>, DeviceSpan<const std::int32_t>, std::int32_t, std::int32_t,
                         DeviceSpan<const SelectState>, DeviceSpan<const std::int32_t>, DeviceSpan<std::uint64_t>,
                         DeviceSpan<std::int32_t>);
  const auto count = static_cast<std::int32_t>(keys.size());
  const GuardedBuffer<std::uint64_t> input(keys);
  const GuardedBuffer<std::int32_t> key_count(std::vector<std::int32_t>{count});
  std::deque<GuardedBuffer<SelectState>> states;
  std::deque<GuardedBuffer<std::int32_t>> bins;
  DeviceSpan<const SelectState> before;
  DeviceSpan<const std::int32_t> before_bins;
  for (int pass = 0; pass < 6; ++pass) {
    states.emplace_back(1);
    bins.emplace_back(std::vector<std::int32_t>(kSelectBins, 0));
    emulate<Select>(kernels::emulated::xfeat_select_cu, "xfeat_select", grid_per_item(blocks, 256), {}, input.device(),
                    key_count.device(), count, keep, before, before_bins, states.back().device(), bins.back().device());
    before = states.back().device();
    before_bins = bins.back().device();
  }
  GuardedBuffer<std::uint64_t> survivors(8192);
  GuardedBuffer<std::int32_t> survivor_count(std::vector<std::int32_t>{0});
  emulate<Survivors>(kernels::emulated::xfeat_select_cu, "xfeat_survivors", grid_per_item(blocks, 256), {},
                     input.device(), key_count.device(), count, keep, before, before_bins, survivors.device(),
                     survivor_count.device());
  Keys found = survivors.values();
  found.resize(static_cast<std::size_t>(survivor_count.host()[0]));
  std::ranges::sort(found, std::greater<>());
  return found;
}

TEST(XFeatKernelsTest, TheGreatestKeysSurvive) {
  for (const auto& [count, steps] : {std::pair{100, 1000}, {9000, 1}, {12000, 1 << 20}}) {
    Keys keys = random_keys(static_cast<std::size_t>(count), steps, 12);
    const Keys found = survivors_of(keys, 3000, 2);
    std::ranges::sort(keys, std::greater<>());
    EXPECT_LE(found.size(), 8192U);
    EXPECT_GE(found.size(), std::min<std::size_t>(keys.size(), 3000));
    keys.resize(found.size());
    EXPECT_EQ(found, keys) << count << " keys";
  }
}

TEST(XFeatKernelsTest, RanksAsAFullSortDoes) {
  using Rank = void(DeviceSpan<const std::uint64_t>, DeviceSpan<const std::int32_t>, std::int32_t, std::int32_t,
                    DeviceSpan<std::uint64_t>, DeviceSpan<std::int32_t>);
  for (const std::int32_t keys_here : {0, 1, 33, 1100}) {
    Keys keys = random_keys(static_cast<std::size_t>(keys_here), 50, 13);
    const GuardedBuffer<std::uint64_t> input(keys.empty() ? Keys(1) : keys);
    const GuardedBuffer<std::int32_t> count(std::vector<std::int32_t>{keys_here});
    GuardedBuffer<std::uint64_t> ranked(1000);
    GuardedBuffer<std::int32_t> ranked_count(1);
    emulate<Rank>(kernels::emulated::xfeat_rank_cu, "xfeat_rank", grid_per_item(36, 256), {}, input.device(),
                  count.device(), 2000, 1000, ranked.device(), ranked_count.device());
    std::ranges::sort(keys, std::greater<>());
    keys.resize(std::min<std::size_t>(keys.size(), 1000));
    Keys found = ranked.values();
    found.resize(static_cast<std::size_t>(ranked_count.host()[0]));
    EXPECT_EQ(found, keys);
  }
}

TEST(XFeatKernelsTest, DescriptorsHaveTheBitsOfTheHostsVersion) {
  using Geometry = kernels::xfeat_describe::XFeatGeometry;
  using Describe = void(DeviceSpan<const std::uint64_t>, DeviceSpan<const std::int32_t>, DeviceSpan<const float>,
                        Geometry, DeviceSpan<float>, DeviceSpan<float>);
  const Maps maps = random_maps({64, 32}, 14);
  const Geometry geometry{64, 8, 4, 1.25F, 0.75F};
  const Keys keys = random_keys(37, 9, 15);
  const GuardedBuffer<std::uint64_t> input(keys);
  const GuardedBuffer<std::int32_t> count(std::vector<std::int32_t>{37});
  const GuardedBuffer<float> descriptors(maps.descriptors);
  GuardedBuffer<float> points(3 * 37);
  GuardedBuffer<float> values(kChannels * 37);
  emulate<Describe>(kernels::emulated::xfeat_describe_cu, "xfeat_describe", grid_1d(40 * 32, 64), {}, input.device(),
                    count.device(), descriptors.device(), geometry, points.device(), values.device());
  const Stream stream(Device::cpu());
  const auto host_keys = testing::to_device(stream, keys);
  const auto host_count = testing::to_device<std::int32_t>(stream, {37});
  const auto host_maps = testing::to_device(stream, maps.descriptors);
  auto host_points = DeviceBuffer<float>::zeros(stream, 3 * 37);
  auto host_values = DeviceBuffer<float>::zeros(stream, kChannels * 37);
  KernelModule::load(stream.device(), kernels::xfeat_describe_cu)
      .get<Describe>("xfeat_describe")
      .launch(stream, grid_1d(40 * 32, 64), host_keys.span(), host_count.span(), host_maps.span(), geometry,
              host_points.span(), host_values.span());
  EXPECT_EQ(read_back_blocking(stream, host_points.span()), points.values());
  EXPECT_EQ(read_back_blocking(stream, host_values.span()), values.values());
}

}  // namespace
}  // namespace vrt
