#include "vrt/models/common/candidate_selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/device/emulator/emulate.h"
#include "vrt/models/common/merge_candidates_emulated.h"
#include "vrt/models/common/select_candidates_emulated.h"
#include "vrt/models/testing/device_data.h"

namespace vrt {
namespace {

using Layout = kernels::select_candidates::ScoreLayout;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Selected {
  std::int32_t candidates = 0;
  std::vector<std::int32_t> items;
  std::vector<std::int32_t> classes;
  friend bool operator==(const Selected&, const Selected&) = default;
};

std::int32_t item_of(std::uint64_t key) { return static_cast<std::int32_t>(~static_cast<std::uint32_t>(key)); }

// The definition: the best class of each item, then a stable sort by score.
Selected by_definition(const std::vector<float>& scores, const Layout& layout, std::size_t limit) {
  Selected all;
  std::vector<float> best(static_cast<std::size_t>(layout.items), kNaN);
  std::vector<std::int32_t> best_class(best.size(), 0);
  for (std::int32_t item = 0; item < layout.items; ++item) {
    if (layout.period != 0 && item % layout.period == 0) continue;
    const auto i = static_cast<std::size_t>(item);
    for (std::int32_t c = 0; c < layout.classes; ++c) {
      const float score = scores[static_cast<std::size_t>(item * layout.item_stride + c * layout.class_stride)];
      if (!(score > layout.above) || score > layout.most || score <= best[i]) continue;
      best[i] = score;
      best_class[i] = c;
    }
    if (!std::isnan(best[i])) all.items.push_back(item);
  }
  all.candidates = static_cast<std::int32_t>(all.items.size());
  std::stable_sort(all.items.begin(), all.items.end(), [&](std::int32_t a, std::int32_t b) {
    return best[static_cast<std::size_t>(a)] > best[static_cast<std::size_t>(b)];
  });
  all.items.resize(std::min(all.items.size(), limit));
  for (const std::int32_t item : all.items) all.classes.push_back(best_class[static_cast<std::size_t>(item)]);
  return all;
}

// Scores in steps, so that ties are common; some are not finite.
std::vector<float> random_scores(std::size_t count, int steps, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> scores(count);
  for (float& score : scores) {
    score = static_cast<float>(std::uniform_int_distribution<int>(-steps, steps)(random)) / 64;
    if (random() % 50 == 0) score = std::vector<float>{kNaN, kInfinity, -kInfinity, -0.0F}[random() % 4];
  }
  return scores;
}

// Items one after the other, as planes of classes (YOLO) or with their classes together (RF-DETR).
Layout planes(std::int32_t items, std::int32_t classes, float above) {
  return {items, classes, 1, items, above, FLT_MAX, 0};
}

// Zeros, which do not count where scores have to be above 0, but for 1 at some.
std::vector<float> scores_with(std::size_t count, std::initializer_list<std::size_t> ones) {
  std::vector<float> scores(count, 0.0F);
  for (const std::size_t one : ones) scores[one] = 1;
  return scores;
}

class CandidateSelectionTest : public ::testing::TestWithParam<Device> {
 protected:
  Selected select(const std::vector<float>& scores, const Layout& layout, std::int32_t limit) {
    CandidateSelection selection(stream_, {layout.items, layout.classes, limit});
    const auto device_scores = testing::to_device(stream_, scores);
    auto counts = testing::to_device<std::int32_t>(stream_, {-1, -1});
    selection.submit(device_scores.span(), layout, counts.span());
    const auto count = testing::to_host(stream_, counts.span(), 2);
    Selected selected{count[CandidateSelection::kCandidates], {}, {}};
    for (const std::uint64_t key :
         testing::to_host(stream_, selection.ranked(), static_cast<std::size_t>(count[CandidateSelection::kRanked])))
      selected.items.push_back(item_of(key));
    std::vector<std::int32_t> classes(static_cast<std::size_t>(layout.items), 0);
    if (layout.classes > 1) classes = testing::to_host(stream_, selection.classes(), classes.size());
    for (const std::int32_t item : selected.items) selected.classes.push_back(classes[static_cast<std::size_t>(item)]);
    return selected;
  }

  void expect_as_defined(const std::vector<float>& scores, const Layout& layout, std::int32_t limit) {
    const Selected found = select(scores, layout, limit);
    const Selected expected = by_definition(scores, layout, static_cast<std::size_t>(limit));
    EXPECT_EQ(found.candidates, expected.candidates);
    EXPECT_EQ(found.items, expected.items);
    EXPECT_EQ(found.classes, expected.classes);
  }

  Stream stream_{GetParam()};
};

TEST_P(CandidateSelectionTest, RanksTheBestClassOfEachItem) {
  for (const std::int32_t items : {1, 31, 255, 256, 257, 1000, 8400}) {
    for (const std::int32_t classes : {2, 3, 80}) {
      const auto scores =
          random_scores(static_cast<std::size_t>(items * classes), 70, static_cast<std::uint32_t>(items));
      expect_as_defined(scores, planes(items, classes, 0.9F), items);
      expect_as_defined(scores, {items, classes, classes, 1, 0.9F, FLT_MAX, 0}, items);
    }
  }
}

TEST_P(CandidateSelectionTest, RanksAllPairsOfQueriesAndClasses) {
  const auto scores = random_scores(300 * 91, 400, 3);
  for (const float above : {-kInfinity, 0.0F, 6.2F, 7.0F}) {
    expect_as_defined(scores, {300 * 91, 1, 1, 0, above, kInfinity, 0}, 300);
    expect_as_defined(scores, {300 * 91, 1, 1, 0, above, kInfinity, 91}, 300);  // Column 0 is background.
  }
}

TEST_P(CandidateSelectionTest, TakesAThousandClasses) {
  expect_as_defined(random_scores(300 * 1000, 3000, 4), {300 * 1000, 1, 1, 0, 0.0F, kInfinity, 0}, 300);
  expect_as_defined(random_scores(100 * 1000, 3000, 5), planes(100, 1000, 0.0F), 100);
}

TEST_P(CandidateSelectionTest, RanksThirtyFourThousandThatAllPass) {
  expect_as_defined(random_scores(34000, 64, 6), planes(34000, 1, -2), 34000);
  expect_as_defined(random_scores(34000 * 2, 64, 7), planes(34000, 2, -2), 34000);
}

TEST_P(CandidateSelectionTest, OfEqualScoresTheLowestIndicesAreRanked) {
  for (const std::size_t equal :
       {299, 300, 301, 600}) {  // One fewer than are ranked, just as many, one more, many more.
    std::vector<float> scores(5000, 0.25F);
    for (std::size_t i = 0; i < equal; ++i) scores[4999 - 3 * i] = 0.75F;
    expect_as_defined(scores, planes(5000, 1, 0.5F), 300);
    expect_as_defined(scores, planes(5000, 1, 0.0F), 300);
  }
  expect_as_defined(std::vector<float>(4000, 1.0F), planes(2000, 2, 0.5F), 2000);  // The lower class of equal ones.
}

TEST_P(CandidateSelectionTest, ScoresThatDoNotCountAreNeverRanked) {
  const std::vector<float> scores{kNaN, kInfinity, -kInfinity, 1, 2, 3, 0.5F, -1};
  const auto items = [&](float above, float most) { return select(scores, {8, 1, 1, 0, above, most, 0}, 8).items; };
  EXPECT_EQ(items(0.5F, FLT_MAX), (std::vector<std::int32_t>{5, 4, 3}));
  EXPECT_EQ(items(0.5F, kInfinity), (std::vector<std::int32_t>{1, 5, 4, 3}));
  EXPECT_EQ(items(-kInfinity, kInfinity), (std::vector<std::int32_t>{1, 5, 4, 3, 6, 7}));
  EXPECT_EQ(items(0.0F, 2.0F), (std::vector<std::int32_t>{4, 3, 6}));
  const std::vector<float> nothing(700, kNaN);
  EXPECT_EQ(select(nothing, planes(350, 2, -1), 10), Selected());
}

TEST_P(CandidateSelectionTest, ZeroIsZeroWhateverItsSign) {
  EXPECT_EQ(select({-0.0F, 0.0F, -0.0F, 0.0F}, planes(4, 1, -1), 4).items, (std::vector<std::int32_t>{0, 1, 2, 3}));
}

TEST_P(CandidateSelectionTest, ExtentsThatMakeNoSenseAreRefused) {
  EXPECT_THROW(CandidateSelection(stream_, {0, 1, 1}), Error);
  EXPECT_THROW(CandidateSelection(stream_, {1, 0, 1}), Error);
  EXPECT_THROW(CandidateSelection(stream_, {1, 1, 0}), Error);
  EXPECT_THROW(CandidateSelection(stream_, {1 << 21, 1, 1}), Error);
  CandidateSelection selection(stream_, {10, 2, 5});
  auto counts = testing::to_device<std::int32_t>(stream_, {0, 0});
  EXPECT_THROW(selection.submit({}, planes(11, 2, 0), counts.span()), Error);
}

INSTANTIATE_TEST_SUITE_P(Devices, CandidateSelectionTest, ::testing::ValuesIn(Device::all()), testing::device_name);

// How an emulated selection is cut up.
struct EmulatedShape {
  std::uint32_t tile;    // Items of a block.
  std::uint32_t slices;  // Threads of an item.
  std::int32_t ways;     // Runs that a round of merging makes one.
};

// Sorted runs of keys and two counts for each.
struct EmulatedRuns {
  std::vector<std::uint64_t> keys;
  std::vector<std::int32_t> counts;
};

EmulatedRuns merge_round_emulated(const EmulatedRuns& runs, const kernels::merge_candidates::MergeRound& round) {
  using Merge = void(DeviceSpan<const std::uint64_t>, DeviceSpan<const std::int32_t>,
                     kernels::merge_candidates::MergeRound, DeviceSpan<std::uint64_t>, DeviceSpan<std::int32_t>);
  const auto groups = static_cast<std::size_t>((round.runs + round.ways - 1) / round.ways);
  const GuardedBuffer<std::uint64_t> keys(runs.keys);
  const GuardedBuffer<std::int32_t> counts(runs.counts);
  GuardedBuffer<std::uint64_t> merged(groups * static_cast<std::size_t>(round.run_size * round.ways));
  GuardedBuffer<std::int32_t> merged_counts(2 * groups);
  emulate<Merge>(kernels::emulated::merge_candidates_cu, "merge_candidates", merge_shape(round), {.seed = 4},
                 keys.device(), counts.device(), round, merged.device(), merged_counts.device());
  return {merged.values(), merged_counts.values()};
}

// The items of keys in order.
Selected selected_of(const EmulatedRuns& ranked, const GuardedBuffer<std::int32_t>& classes) {
  Selected selected{ranked.counts[CandidateSelection::kCandidates], {}, {}};
  for (std::int32_t i = 0; i < ranked.counts[CandidateSelection::kRanked]; ++i) {
    selected.items.push_back(item_of(ranked.keys[static_cast<std::size_t>(i)]));
    selected.classes.push_back(classes.host()[static_cast<std::size_t>(selected.items.back())]);
  }
  return selected;
}

std::uint32_t tiles_of(const Layout& layout, std::uint32_t tile) {
  return (static_cast<std::uint32_t>(layout.items) + tile - 1) / tile;
}

// Tiles as a GPU makes them.
EmulatedRuns tiles_emulated(const std::vector<float>& scores, const Layout& layout, const EmulatedShape& shape,
                            GuardedBuffer<std::int32_t>& classes) {
  using Select = void(DeviceSpan<const float>, Layout, DeviceSpan<std::uint64_t>, DeviceSpan<std::int32_t>,
                      DeviceSpan<std::int32_t>);
  const std::uint32_t tiles = tiles_of(layout, shape.tile);
  const GuardedBuffer<float> input(scores);
  GuardedBuffer<std::uint64_t> keys(std::size_t{tiles} * shape.tile);
  GuardedBuffer<std::int32_t> tile_counts(std::size_t{2} * tiles);
  emulate<Select>(kernels::emulated::select_candidates_cu, "select_candidates",
                  {{tiles, 1, 1}, {shape.tile, shape.slices, 1}, 0}, {.seed = 3}, input.device(), layout, keys.device(),
                  tile_counts.device(), classes.device());
  return {keys.values(), tile_counts.values()};
}

// Both kernels as a GPU runs them.
Selected select_emulated(const std::vector<float>& scores, const Layout& layout, const EmulatedShape& shape,
                         std::int32_t limit) {
  GuardedBuffer<std::int32_t> classes(static_cast<std::size_t>(layout.items));
  EmulatedRuns runs = tiles_emulated(scores, layout, shape, classes);
  kernels::merge_candidates::MergeRound round{static_cast<std::int32_t>(tiles_of(layout, shape.tile)),
                                              static_cast<std::int32_t>(shape.tile), shape.ways, limit};
  do {
    runs = merge_round_emulated(runs, round);
    round.runs = (round.runs + round.ways - 1) / round.ways;
    round.run_size *= round.ways;
  } while (round.runs > 1);
  return selected_of(runs, classes);
}

// The same with the one block that ranks few of many.
Selected rank_emulated(const std::vector<float>& scores, const Layout& layout, std::uint32_t tile, std::int32_t limit) {
  using Rank = void(DeviceSpan<const std::uint64_t>, DeviceSpan<const std::int32_t>, std::int32_t, std::int32_t,
                    std::int32_t, DeviceSpan<std::uint64_t>, DeviceSpan<std::int32_t>);
  GuardedBuffer<std::int32_t> classes(static_cast<std::size_t>(layout.items));
  const EmulatedRuns tiles = tiles_emulated(scores, layout, {tile, 1, 0}, classes);
  const GuardedBuffer<std::uint64_t> keys(tiles.keys);
  const GuardedBuffer<std::int32_t> tile_counts(tiles.counts);
  GuardedBuffer<std::uint64_t> ranked(static_cast<std::size_t>(limit));
  GuardedBuffer<std::int32_t> counts(2);
  emulate<Rank>(kernels::emulated::select_candidates_cu, "rank_tiles", grid_per_item(1, 1024), {.seed = 4},
                keys.device(), tile_counts.device(), static_cast<std::int32_t>(tile),
                static_cast<std::int32_t>(tiles_of(layout, tile)), limit, ranked.device(), counts.device());
  return selected_of({ranked.values(), counts.values()}, classes);
}

TEST(SelectionKernelsTest, RankWhatTheDefinitionRanks) {
  for (const std::int32_t items : {1, 31, 64, 65, 200}) {
    const auto scores = random_scores(static_cast<std::size_t>(items) * 5, 40, static_cast<std::uint32_t>(items));
    const Layout layout = planes(items, 5, 0.1F);
    for (const EmulatedShape& shape : {EmulatedShape{32, 1, 2}, EmulatedShape{32, 2, 4}, EmulatedShape{32, 2, 32}}) {
      EXPECT_EQ(select_emulated(scores, layout, shape, items),
                by_definition(scores, layout, static_cast<std::size_t>(items)));
    }
    EXPECT_EQ(select_emulated(scores, layout, {64, 1, 2}, 17), by_definition(scores, layout, 17));
  }
}

TEST(SelectionKernelsTest, MergeMoreRunsThanAThreadSearchesAtOnce) {
  const auto scores = random_scores(4200, 400, 9);  // 66 tiles, whose keys need two blocks each.
  const Layout layout{4200, 1, 1, 0, 0, kInfinity, 0};
  EXPECT_EQ(select_emulated(scores, layout, {64, 1, 66}, 4200), by_definition(scores, layout, 4200));
}

TEST(SelectionKernelsTest, OneBlockRanksFewOfMany) {
  const Layout layout{2400, 1, 1, 0, 0, kInfinity, 0};
  for (const auto& [steps, limit] :
       {std::pair{3, 300}, std::pair{400, 1}, std::pair{400, 512}}) {  // Many ties, and few.
    const auto scores = random_scores(2400, steps, 10);
    EXPECT_EQ(rank_emulated(scores, layout, 32, limit), by_definition(scores, layout, static_cast<std::size_t>(limit)))
        << steps << " steps, " << limit << " ranked";
  }
  const std::vector<float> few(scores_with(2400, {5, 900, 901, 2399}));
  EXPECT_EQ(rank_emulated(few, layout, 32, 300), by_definition(few, layout, 300));
}

// The best lie in few tiles: what is likely of others is wrong here.
TEST(SelectionKernelsTest, OneBlockRanksWhatLiesTogether) {
  const Layout layout{8000, 1, 1, 0, 0, kInfinity, 0};
  std::vector<float> scores(8000);
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = static_cast<float>(i + 1);
  for (std::size_t i = 0; i < 64; ++i) scores[i * 125] = 0.5F;
  EXPECT_EQ(rank_emulated(scores, layout, 64, 300), by_definition(scores, layout, 300));
}

TEST(SelectionKernelsTest, RankPairsByIndexWhereScoresAreEqual) {
  const Layout layout{300, 1, 1, 0, 0, kInfinity, 10};
  const std::vector<float> scores(300, 2.0F);
  EXPECT_EQ(select_emulated(scores, layout, {64, 1, 2}, 100), by_definition(scores, layout, 100));
}

}  // namespace
}  // namespace vrt
