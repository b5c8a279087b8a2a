#include "vrt/models/common/ranked_suppression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/device/emulator/emulate.h"
#include "vrt/models/common/suppress_ranked_emulated.h"
#include "vrt/models/testing/device_data.h"

namespace vrt {
namespace {

using kernels::float4;
using Layout = kernels::suppress_ranked::BoxLayout;
using Rule = kernels::suppress_ranked::SuppressionRule;
using Boxes = std::vector<float4>;
using Items = std::vector<std::int32_t>;

// Boxes as corners, one after the other, whose network input is the picture itself.
constexpr Layout kCorners{1, 4, 1, 1, 1, 1, 0, 0, 1e6F, 1e6F};

// Boxes with corners on a grid of `step` pixels, crowded enough to overlap.
Boxes random_boxes(std::size_t count, float extent, float step, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto snapped = [&](float low, float high) {
    return std::floor(std::uniform_real_distribution<float>(low, high)(random) / step) * step;
  };
  Boxes boxes;
  for (std::size_t i = 0; i < count; ++i) {
    const float x = snapped(0, extent);
    const float y = snapped(0, extent);
    boxes.push_back({x, y, x + snapped(8, 48), y + snapped(8, 48)});
  }
  return boxes;
}

Items random_classes(std::size_t count, int classes, std::uint32_t seed) {
  std::mt19937 random(seed);
  Items result(count);
  for (auto& id : result) id = std::uniform_int_distribution<int>(0, classes - 1)(random);
  return result;
}

// A random order of items, and scores that fall in that order.
std::vector<std::uint64_t> random_ranking(std::size_t count, std::uint32_t seed) {
  Items order(count);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  std::vector<std::uint64_t> keys;
  for (std::size_t rank = 0; rank < count; ++rank) {
    const std::uint64_t bits = 0x80000000U | (0x3F800000U - rank);
    keys.push_back((bits << 32U) | ~static_cast<std::uint32_t>(order[rank]));
  }
  return keys;
}

std::size_t item_of(std::uint64_t key) { return ~static_cast<std::uint32_t>(key); }

double overlap(const float4& a, const float4& b) {
  const double width = std::max(0.0, std::min<double>(a.z, b.z) - std::max<double>(a.x, b.x));
  const double height = std::max(0.0, std::min<double>(a.w, b.w) - std::max<double>(a.y, b.y));
  const double shared = width * height;
  const double united = (double{a.z} - a.x) * (double{a.w} - a.y) + (double{b.z} - b.x) * (double{b.w} - b.y) - shared;
  return united > 0 ? shared / united : 0;
}

bool is_valid(const float4& box) {
  const double area = (double{box.z} - box.x) * (double{box.w} - box.y);
  return std::isfinite(area) && box.z >= box.x && box.w >= box.y;
}

// The definition, for each class by itself: take the best that is left, remove what overlaps it too much, again. The best
// of all classes' together are kept.
Items by_definition(const std::vector<std::uint64_t>& ranked, const Boxes& boxes, const Items& classes,
                    const Rule& rule) {
  std::vector<std::size_t> kept;
  std::vector<bool> removed(ranked.size(), false);
  for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
    const std::size_t best = item_of(ranked[rank]);
    if (removed[rank] || !is_valid(boxes[best])) continue;
    kept.push_back(rank);
    for (std::size_t other = rank + 1; other < ranked.size(); ++other) {
      const std::size_t item = item_of(ranked[other]);
      const bool same = rule.class_aware == 0 || classes.empty() || classes[item] == classes[best];
      if (!removed[other] && same && overlap(boxes[best], boxes[item]) > double{rule.threshold}) removed[other] = true;
    }
    if (kept.size() == static_cast<std::size_t>(rule.max_kept)) break;
  }
  Items items;
  for (const std::size_t rank : kept) items.push_back(static_cast<std::int32_t>(item_of(ranked[rank])));
  return items;
}

struct Found {
  Items items;
  Items classes;
  std::vector<float> scores;
  Boxes boxes;
};

class RankedSuppressionTest : public ::testing::TestWithParam<Device> {
 protected:
  Found suppress(const std::vector<std::uint64_t>& ranked, const Boxes& boxes, const Items& classes, const Rule& rule,
                 const Layout& layout = kCorners) {
    const auto room = static_cast<std::size_t>(rule.max_kept);
    const auto count = static_cast<std::int32_t>(ranked.size());
    const auto keys = testing::to_device(stream_, ranked);
    const auto counts = testing::to_device<std::int32_t>(stream_, {count, count});
    const auto values = testing::to_device(stream_, boxes);
    const auto device_classes = testing::to_device(stream_, classes);
    auto found_boxes = DeviceBuffer<float4>::zeros(stream_, room);
    auto scores = DeviceBuffer<float>::zeros(stream_, room);
    auto found_classes = DeviceBuffer<std::int32_t>::zeros(stream_, room);
    auto items = DeviceBuffer<std::int32_t>::zeros(stream_, room);
    auto found_count = testing::to_device<std::int32_t>(stream_, {-1});
    const auto* const floats = reinterpret_cast<const float*>(values.span().data());
    RankedSuppression(stream_).submit(
        keys.span(), counts.span(), DeviceSpan<const float>::from_raw(floats, 4 * boxes.size()),
        classes.empty() ? DeviceSpan<const std::int32_t>() : device_classes.span(), layout, rule,
        {found_boxes.span(), scores.span(), found_classes.span(), items.span(), found_count.span()});
    const auto kept = static_cast<std::size_t>(testing::to_host(stream_, found_count.span(), 1)[0]);
    return {testing::to_host(stream_, items.span(), kept), testing::to_host(stream_, found_classes.span(), kept),
            testing::to_host(stream_, scores.span(), kept), testing::to_host(stream_, found_boxes.span(), kept)};
  }

  void expect_as_defined(const Boxes& boxes, const Items& classes, const Rule& rule) {
    const auto ranked = random_ranking(boxes.size(), 17);
    EXPECT_EQ(suppress(ranked, boxes, classes, rule).items, by_definition(ranked, boxes, classes, rule))
        << boxes.size() << " boxes, threshold " << rule.threshold;
  }

  Stream stream_{GetParam()};
};

TEST_P(RankedSuppressionTest, KeepsWhatTheDefinitionKeeps) {
  for (const std::size_t count : {0, 1, 2, 31, 127, 128, 129, 256, 1000}) {
    for (const float threshold : {0.0F, 0.25F, 0.5F, 1.0F}) {
      // Whole corners and binary thresholds: every comparison is exact, equality included.
      const Boxes boxes = random_boxes(count, 200, 1, static_cast<std::uint32_t>(count));
      expect_as_defined(boxes, {}, {threshold, 300, 0, 0});
      expect_as_defined(boxes, random_classes(count, 4, 5), {threshold, 1024, 1, 0});
    }
  }
}

TEST_P(RankedSuppressionTest, StopsAtTheLastThatMayStay) {
  for (const std::int32_t max_kept : {1, 31, 32, 33, 128, 129, 300}) {
    expect_as_defined(random_boxes(900, 600, 1, 6), {}, {0.5F, max_kept, 0, 0});
    expect_as_defined(random_boxes(900, 600, 1, 6), random_classes(900, 80, 7), {0.5F, max_kept, 1, 0});
  }
}

TEST_P(RankedSuppressionTest, GoesThroughAllThirtyFourThousandWhereFewStay) {
  expect_as_defined(random_boxes(34000, 60, 1, 8), {}, {0.25F, 300, 0, 0});
  expect_as_defined(random_boxes(8400, 90, 1, 9), random_classes(8400, 5, 10), {0.5F, 300, 1, 0});
}

TEST_P(RankedSuppressionTest, AChainKeepsEverySecondBox) {
  // Neighbours overlap by 3 / 5, the next but one by 1 / 3: a dropped box suppresses nothing. Longer than a tile.
  Boxes boxes;
  std::vector<std::uint64_t> ranked;
  Items expected;
  for (std::uint32_t i = 0; i < 400; ++i) {
    const float x = 2.0F * static_cast<float>(i);
    boxes.push_back({x, 0, x + 8, 8});
    ranked.push_back((std::uint64_t{0xBF800000U - i} << 32U) | ~i);
    if (i % 2 == 0) expected.push_back(static_cast<std::int32_t>(i));
  }
  EXPECT_EQ(suppress(ranked, boxes, {}, {0.5F, 1024, 0, 0}).items, expected);
}

TEST_P(RankedSuppressionTest, BoxesThatAreNoneAreDroppedAndSuppressNothing) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Boxes boxes{{9, 9, 1, 1},         {kNaN, 0, 9, 9},       {0, kNaN, 9, 9},           {0, 0, kNaN, 9},
                    {0, 0, 9, kNaN},      {-kInfinity, 0, 9, 9}, {0, 0, kInfinity, 9},      {0, 0, 9, 9},
                    {0, 0, 9, kInfinity}, {4, 4, 4, 8},          {-3e38F, 0, 3e38F, 3e38F}, {0, 0, 9, 9}};
  std::vector<std::uint64_t> ranked;
  for (std::uint32_t i = 0; i < boxes.size(); ++i) ranked.push_back((std::uint64_t{0xBF800000U - i} << 32U) | ~i);
  EXPECT_EQ(suppress(ranked, boxes, {}, {0.0F, 300, 0, 0}).items, (Items{7, 9}));  // An empty box overlaps nothing.
}

TEST_P(RankedSuppressionTest, GivesScoresClassesAndClippedSourcePixels) {
  // Centres and sizes as planes; the picture is twice the network's input, which has 10 rows of padding above it.
  const Boxes planes{{50, 8, 20, 0}, {30, 12, 30, 0}, {20, 8, 200, 0}, {10, 4, 100, 0}};
  const Layout layout{1, 1, 4, 0, 2, 2, 0, -20, 120, 80};
  const std::vector<std::uint64_t> ranked{(std::uint64_t{0xBF400000U} << 32U) | ~1U,
                                          (std::uint64_t{0xBF000000U} << 32U) | ~0U,
                                          (std::uint64_t{0x40FFFFFFU} << 32U) | ~2U};
  const Found found = suppress(ranked, planes, {3, 7, 7}, {0.5F, 10, 1, 0}, layout);
  EXPECT_EQ(found.items, (Items{1, 0, 2}));
  EXPECT_EQ(found.classes, (Items{7, 3, 7}));
  EXPECT_EQ(found.scores, (std::vector<float>{0.75F, 0.5F, -0.5F}));
  ASSERT_EQ(found.boxes.size(), 3U);
  const auto expect_box = [&](std::size_t i, const float4& box) {
    EXPECT_EQ(found.boxes[i].x, box.x);
    EXPECT_EQ(found.boxes[i].y, box.y);
    EXPECT_EQ(found.boxes[i].z, box.z);
    EXPECT_EQ(found.boxes[i].w, box.w);
  };
  expect_box(0, {8, 0, 24, 8});  // Its upper half is in the padding.
  expect_box(1, {80, 30, 120, 50});
  expect_box(2, {0, 0, 120, 80});
}

TEST_P(RankedSuppressionTest, GivesThePairsOfBoxesAndClassesWithTheSigmoidOfTheirLogits) {
  const Boxes boxes{{0, 0, 4, 4}, {0, 0, 4, 4}, {5, 5, 1, 1}};
  const Layout layout{3, 4, 1, 1, 1, 1, 0, 0, 100, 100};
  const auto key = [](float logit, std::uint32_t item) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &logit, sizeof bits);
    return (std::uint64_t{(bits >> 31U) != 0 ? ~bits : bits | 0x80000000U} << 32U) | ~item;
  };
  const std::vector<std::uint64_t> ranked{key(std::numeric_limits<float>::infinity(), 5), key(2, 1), key(1, 8),
                                          key(0, 0), key(-3, 3)};
  const Found found = suppress(ranked, boxes, {}, {1, 300, 0, 1}, layout);
  EXPECT_EQ(found.items, (Items{1, 0, 0, 1}));  // Not box 2: it is inverted.
  EXPECT_EQ(found.classes, (Items{2, 1, 0, 0}));
  ASSERT_EQ(found.scores.size(), 4U);
  EXPECT_EQ(found.scores[0], 1);
  EXPECT_NEAR(found.scores[1], 1 / (1 + std::exp(-2.0)), 1e-6);
  EXPECT_EQ(found.scores[2], 0.5F);
  EXPECT_NEAR(found.scores[3], 1 / (1 + std::exp(3.0)), 1e-6);
}

TEST_P(RankedSuppressionTest, IsIdempotent) {
  const Boxes boxes = random_boxes(800, 250, 0.031F, 9);
  const auto ranked = random_ranking(800, 2);
  Boxes kept;
  std::vector<std::uint64_t> again;
  for (const std::int32_t item : suppress(ranked, boxes, {}, {0.4F, 1024, 0, 0}).items) {
    again.push_back((std::uint64_t{0xBF800000U - kept.size()} << 32U) | ~static_cast<std::uint32_t>(kept.size()));
    kept.push_back(boxes[static_cast<std::size_t>(item)]);
  }
  EXPECT_LT(kept.size(), boxes.size());
  EXPECT_EQ(suppress(again, kept, {}, {0.4F, 1024, 0, 0}).items.size(), kept.size());
}

TEST_P(RankedSuppressionTest, RulesOutOfRangeAreRefused) {
  EXPECT_THROW(suppress({}, {}, {}, {1.5F, 10, 0, 0}), Error);
  EXPECT_THROW(suppress({}, {}, {}, {std::nanf(""), 10, 0, 0}), Error);
  EXPECT_THROW(suppress({}, {}, {}, {0.5F, 1025, 0, 0}), Error);
}

INSTANTIATE_TEST_SUITE_P(Devices, RankedSuppressionTest, ::testing::ValuesIn(Device::all()), testing::device_name);

TEST(BoxLayoutTest, IsTheInverseOfTheResize) {
  const auto mapping = ResizeMapping::make(ResizeMode::kLetterbox, {1920, 1080}, {640, 640});
  const Layout layout = box_layout_for(mapping);
  EXPECT_FLOAT_EQ(463.9F * layout.scale_x + layout.shift_x, 1391.7F);
  EXPECT_FLOAT_EQ(376.3F * layout.scale_y + layout.shift_y, 708.9F);
  EXPECT_EQ(layout.source_height, 1080);
}

// The kernel as a GPU runs it, with `threads` threads.
Items suppress_emulated(const std::vector<std::uint64_t>& ranked, const Boxes& boxes, const Items& classes,
                        const Rule& rule, std::uint32_t threads) {
  using Suppress = void(DeviceSpan<const std::uint64_t>, DeviceSpan<const std::int32_t>, DeviceSpan<const float>,
                        DeviceSpan<const std::int32_t>, Layout, Rule, DeviceSpan<float4>, DeviceSpan<float>,
                        DeviceSpan<std::int32_t>, DeviceSpan<std::int32_t>, DeviceSpan<std::int32_t>);
  const auto room = static_cast<std::size_t>(rule.max_kept);
  std::vector<float> floats;
  for (const float4& box : boxes) floats.insert(floats.end(), {box.x, box.y, box.z, box.w});
  const GuardedBuffer<std::uint64_t> keys(ranked);
  const GuardedBuffer<std::int32_t> counts(Items(2, static_cast<std::int32_t>(ranked.size())));
  const GuardedBuffer<float> values(floats);
  const GuardedBuffer<std::int32_t> input_classes(classes);
  GuardedBuffer<float4> found_boxes(room);
  GuardedBuffer<float> scores(room);
  GuardedBuffer<std::int32_t> found_classes(room);
  GuardedBuffer<std::int32_t> items(room);
  GuardedBuffer<std::int32_t> found_count(1);
  emulate<Suppress>(kernels::emulated::suppress_ranked_cu, "suppress_ranked", grid_per_item(1, threads), {},
                    keys.device(), counts.device(), values.device(), input_classes.device(), kCorners, rule,
                    found_boxes.device(), scores.device(), found_classes.device(), items.device(),
                    found_count.device());
  Items result = items.values();
  result.resize(static_cast<std::size_t>(found_count.host()[0]));
  return result;
}

TEST(RankedSuppressionKernelTest, KeepsWhatTheDefinitionKeeps) {
  for (const std::size_t count : {1, 127, 129, 300}) {
    const Boxes boxes = random_boxes(count, 120, 1, static_cast<std::uint32_t>(count));
    const Items classes = random_classes(count, 3, 8);
    const auto ranked = random_ranking(count, 3);
    for (const std::uint32_t threads : {128U, 256U}) {
      for (const Rule& rule :
           {Rule{0.25F, 200, 0, 0}, Rule{0.5F, 40, 1, 0}, Rule{1.0F, 200, 1, 0}, Rule{1.0F, 150, 0, 0}}) {
        EXPECT_EQ(suppress_emulated(ranked, boxes, classes, rule, threads), by_definition(ranked, boxes, classes, rule))
            << count << " boxes, " << threads << " threads";
      }
    }
  }
}

}  // namespace
}  // namespace vrt
