#include "vrt/models/common/non_maximum_suppression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/device/emulator/emulate.h"
#include "vrt/models/common/nms_mask_emulated.h"
#include "vrt/models/common/nms_reduce_emulated.h"
#include "vrt/models/testing/device_data.h"

namespace vrt {
namespace {

using kernels::float4;
using Boxes = std::vector<float4>;
using Ranks = std::vector<std::int32_t>;

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

Ranks random_classes(std::size_t count, int classes, std::uint32_t seed) {
  std::mt19937 random(seed);
  Ranks result(count);
  for (auto& id : result) id = std::uniform_int_distribution<int>(0, classes - 1)(random);
  return result;
}

double overlap(const float4& a, const float4& b) {
  const double width = std::max(0.0, std::min<double>(a.z, b.z) - std::max<double>(a.x, b.x));
  const double height = std::max(0.0, std::min<double>(a.w, b.w) - std::max<double>(a.y, b.y));
  const double shared = width * height;
  const double united = (double{a.z} - a.x) * (double{a.w} - a.y) + (double{b.z} - b.x) * (double{b.w} - b.y) - shared;
  return shared / united;
}

// The definition, for each class by itself: take the best that is left, remove what overlaps it too much, again.
Ranks by_definition(const Boxes& boxes, const Ranks& classes, double threshold, std::size_t max_kept) {
  Ranks kept;
  Ranks distinct = classes.empty() ? Ranks{0} : classes;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (const std::int32_t id : distinct) {
    Ranks left;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const float4& box = boxes[i];
      const bool valid = std::isfinite(box.x) && std::isfinite(box.y) && std::isfinite(box.z) && std::isfinite(box.w) &&
                         box.z > box.x && box.w > box.y;
      if (valid && (classes.empty() || classes[i] == id)) left.push_back(static_cast<std::int32_t>(i));
    }
    while (!left.empty()) {
      const float4 best = boxes[static_cast<std::size_t>(left.front())];
      kept.push_back(left.front());
      left.erase(left.begin());
      left.erase(
          std::remove_if(left.begin(), left.end(),
                         [&](std::int32_t i) { return overlap(best, boxes[static_cast<std::size_t>(i)]) > threshold; }),
          left.end());
    }
  }
  std::sort(kept.begin(), kept.end());
  kept.resize(std::min(kept.size(), max_kept));
  return kept;
}

Boxes chosen(const Boxes& boxes, const Ranks& ranks) {
  Boxes result;
  for (const std::int32_t rank : ranks) result.push_back(boxes[static_cast<std::size_t>(rank)]);
  return result;
}

Ranks first_ranks(std::size_t count) {
  Ranks ranks(count);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

class NonMaximumSuppressionTest : public ::testing::TestWithParam<Device> {
 protected:
  Ranks suppress(const Boxes& boxes, const Ranks& classes, float threshold, std::int32_t max_kept = 1024) {
    NonMaximumSuppression suppression(stream_, {threshold, max_kept});
    const auto device_boxes = testing::to_device(stream_, boxes);
    const auto device_classes = testing::to_device(stream_, classes);
    const auto count = testing::to_device<std::int32_t>(stream_, {static_cast<std::int32_t>(boxes.size())});
    auto kept_count = testing::to_device<std::int32_t>(stream_, {-1});
    suppression.submit(device_boxes.span(), classes.empty() ? DeviceSpan<const std::int32_t>() : device_classes.span(),
                       count.span(), kept_count.span());
    const std::int32_t kept = testing::to_host(stream_, kept_count.span(), 1)[0];
    return testing::to_host(stream_, suppression.kept(), static_cast<std::size_t>(kept));
  }

  Stream stream_{GetParam()};
};

TEST_P(NonMaximumSuppressionTest, KeepsWhatTheDefinitionKeeps) {
  for (const std::size_t count : {0, 1, 2, 31, 32, 33, 64, 200, 1000, 1024}) {
    for (const float threshold : {0.0F, 0.25F, 0.5F, 1.0F}) {
      // Whole corners and binary thresholds: every comparison is exact, equality included.
      const Boxes boxes = random_boxes(count, 200, 1, static_cast<std::uint32_t>(count));
      EXPECT_EQ(suppress(boxes, {}, threshold), by_definition(boxes, {}, threshold, 1024))
          << count << " at " << threshold;
    }
  }
}

TEST_P(NonMaximumSuppressionTest, KeepsWhatTheDefinitionKeepsForFractionalBoxes) {
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    const Boxes boxes = random_boxes(700, 300, 0.0137F, seed);
    EXPECT_EQ(suppress(boxes, {}, 0.3F), by_definition(boxes, {}, 0.3, 1024));
  }
}

TEST_P(NonMaximumSuppressionTest, ClassesDoNotSuppressEachOther) {
  const Boxes boxes = random_boxes(600, 150, 1, 1);
  const Ranks classes = random_classes(600, 4, 2);
  const Ranks kept = suppress(boxes, classes, 0.25F);
  EXPECT_EQ(kept, by_definition(boxes, classes, 0.25, 1024));
  EXPECT_GT(kept.size(), suppress(boxes, {}, 0.25F).size());
}

TEST_P(NonMaximumSuppressionTest, AChainKeepsEverySecondBox) {
  // Neighbours overlap by 3 / 5, the next but one by 1 / 3: a dropped box suppresses nothing.
  Boxes boxes;
  for (int i = 0; i < 100; ++i) boxes.push_back({2.0F * static_cast<float>(i), 0, 2.0F * static_cast<float>(i) + 8, 8});
  Ranks expected;
  for (std::int32_t i = 0; i < 100; i += 2) expected.push_back(i);
  EXPECT_EQ(suppress(boxes, {}, 0.5F), expected);
}

TEST_P(NonMaximumSuppressionTest, OnlyAnOverlapAboveTheThresholdSuppresses) {
  const Boxes boxes{{0, 0, 2, 1}, {1, 0, 3, 1}};  // 1 / 3.
  EXPECT_EQ(suppress(boxes, {}, 0.333F), (Ranks{0}));
  EXPECT_EQ(suppress(boxes, {}, 0.334F), (Ranks{0, 1}));
  const Boxes equal{{0, 0, 2, 1}, {0, 0, 2, 1}};
  EXPECT_EQ(suppress(equal, {}, 1.0F), (Ranks{0, 1}));
}

TEST_P(NonMaximumSuppressionTest, IsIdempotent) {
  const Boxes boxes = random_boxes(800, 250, 0.031F, 9);
  const Boxes kept = chosen(boxes, suppress(boxes, {}, 0.4F));
  EXPECT_LT(kept.size(), boxes.size());
  EXPECT_EQ(suppress(kept, {}, 0.4F), first_ranks(kept.size()));
}

TEST_P(NonMaximumSuppressionTest, DisjointBoxesAllStayInAnyOrder) {
  Boxes boxes;
  for (int i = 0; i < 300; ++i) {
    const auto x = static_cast<float>(i % 20) * 10;
    const auto y = static_cast<float>(i / 20) * 10;
    boxes.push_back({x, y, x + 9, y + 9});
  }
  for (std::uint32_t seed = 0; seed < 3; ++seed) {
    std::shuffle(boxes.begin(), boxes.end(), std::mt19937(seed));
    EXPECT_EQ(suppress(boxes, {}, 0.0F), first_ranks(300));
  }
}

TEST_P(NonMaximumSuppressionTest, OrderAmongClassesDoesNotChangeWhatStays) {
  // Moving whole classes against each other keeps each class's own order, hence the boxes that stay.
  const Boxes boxes = random_boxes(400, 120, 1, 4);
  const Ranks classes = random_classes(400, 3, 5);
  Ranks order = first_ranks(400);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return classes[static_cast<std::size_t>(a)] > classes[static_cast<std::size_t>(b)];
  });
  Ranks sorted_classes;
  for (const std::int32_t i : order) sorted_classes.push_back(classes[static_cast<std::size_t>(i)]);
  Ranks kept;
  for (const std::int32_t i : suppress(chosen(boxes, order), sorted_classes, 0.25F)) {
    kept.push_back(order[static_cast<std::size_t>(i)]);
  }
  std::sort(kept.begin(), kept.end());
  EXPECT_EQ(kept, suppress(boxes, classes, 0.25F));
}

TEST_P(NonMaximumSuppressionTest, EmptyAndNonFiniteBoxesAreDroppedAndSuppressNothing) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Boxes boxes{{0, 0, 0, 9},
                    {9, 9, 1, 1},
                    {kNaN, 0, 9, 9},
                    {0, kNaN, 9, 9},
                    {0, 0, kNaN, 9},
                    {0, 0, 9, kNaN},
                    {-kInfinity, 0, 9, 9},
                    {0, 0, kInfinity, 9},
                    {0, 0, 9, 9},
                    {0, 0, 9, kInfinity},
                    {-kInfinity, 0, kInfinity, 9},
                    {0, 0, 9, 9}};
  EXPECT_EQ(suppress(boxes, {}, 0.0F), (Ranks{8}));
}

TEST_P(NonMaximumSuppressionTest, KeepsTheBestWhereThereAreTooMany) {
  for (const std::int32_t max_kept : {1, 31, 32, 33, 100}) {
    const Boxes boxes = random_boxes(900, 600, 1, 6);
    EXPECT_EQ(suppress(boxes, {}, 0.5F, max_kept), by_definition(boxes, {}, 0.5, static_cast<std::size_t>(max_kept)));
  }
}

TEST_P(NonMaximumSuppressionTest, OptionsOutOfRangeAreRefused) {
  EXPECT_THROW(NonMaximumSuppression(stream_, {1.5F, 10}), Error);
  EXPECT_THROW(NonMaximumSuppression(stream_, {std::nanf(""), 10}), Error);
  EXPECT_THROW(NonMaximumSuppression(stream_, {0.5F, 0}), Error);
  EXPECT_THROW(NonMaximumSuppression(stream_, {0.5F, 1025}), Error);
}

INSTANTIATE_TEST_SUITE_P(Devices, NonMaximumSuppressionTest, ::testing::ValuesIn(Device::all()), testing::device_name);

// Both kernels as a GPU runs them. The mask begins poisoned: what nms_mask does not write must not matter.
Ranks suppress_emulated(const Boxes& boxes, const Ranks& classes, float threshold, std::int32_t max_kept) {
  using Mask = void(DeviceSpan<const float4>, DeviceSpan<const std::int32_t>, DeviceSpan<const std::int32_t>, float,
                    DeviceSpan<std::uint32_t>);
  using Reduce = void(DeviceSpan<const std::uint32_t>, DeviceSpan<const std::int32_t>, std::int32_t,
                      DeviceSpan<std::int32_t>, DeviceSpan<std::int32_t>);
  const GuardedBuffer<float4> input(boxes);
  const GuardedBuffer<std::int32_t> input_classes(classes);
  const GuardedBuffer<std::int32_t> count(Ranks{static_cast<std::int32_t>(boxes.size())});
  GuardedBuffer<std::uint32_t> mask(boxes.size() * 32);
  GuardedBuffer<std::int32_t> kept(static_cast<std::size_t>(max_kept));
  GuardedBuffer<std::int32_t> kept_count(1);
  const auto words = static_cast<std::uint32_t>((boxes.size() + 31) / 32);
  emulate<Mask>(kernels::emulated::nms_mask_cu, "nms_mask", {{words, words, 1}, {32, 1, 1}, 0}, {.seed = 5},
                input.device(),
                classes.empty() ? DeviceSpan<const std::int32_t>() : std::as_const(input_classes).device(),
                count.device(), threshold, mask.device());
  emulate<Reduce>(kernels::emulated::nms_reduce_cu, "nms_reduce", grid_per_item(1, 32), {},
                  std::as_const(mask).device(), count.device(), max_kept, kept.device(), kept_count.device());
  Ranks result = kept.values();
  result.resize(static_cast<std::size_t>(kept_count.host()[0]));
  return result;
}

TEST(SuppressionKernelsTest, KeepWhatTheDefinitionKeeps) {
  for (const std::size_t count : {1, 31, 32, 33, 64, 150}) {
    const Boxes boxes = random_boxes(count, 100, 1, static_cast<std::uint32_t>(count));
    EXPECT_EQ(suppress_emulated(boxes, {}, 0.25F, 1024), by_definition(boxes, {}, 0.25, 1024)) << count;
    const Ranks classes = random_classes(count, 3, 8);
    EXPECT_EQ(suppress_emulated(boxes, classes, 0.25F, 1024), by_definition(boxes, classes, 0.25, 1024)) << count;
  }
}

TEST(SuppressionKernelsTest, StopAtTheLastThatMayStay) {
  const Boxes boxes = random_boxes(150, 400, 1, 3);
  for (const std::int32_t max_kept : {1, 31, 32, 33, 64}) {
    EXPECT_EQ(suppress_emulated(boxes, {}, 0.5F, max_kept),
              by_definition(boxes, {}, 0.5, static_cast<std::size_t>(max_kept)));
  }
}

}  // namespace
}  // namespace vrt
