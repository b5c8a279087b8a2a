#include "vrt/models/xfeat/matcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/device/counters.h"
#include "vrt/device/emulator/emulate.h"
#include "vrt/device/graph.h"
#include "vrt/device/kernel.h"
#include "vrt/models/testing/device_data.h"
#include "vrt/models/testing/golden.h"
#include "vrt/models/xfeat/match_best_emulated.h"
#include "vrt/models/xfeat/match_best_half_emulated.h"
#include "vrt/models/xfeat/match_collect_emulated.h"
#include "vrt/models/xfeat/match_halves_cu.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::HasSubstr;

constexpr std::size_t kChannels = Matcher::kChannels;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

using Descriptors = std::vector<float>;
using Matches = std::vector<Match>;

// Whole numbers from -`most` to `most`: every sum of products is exact, in any order and in float16 too. Small ones make many ties.
Descriptors whole_numbers(std::size_t count, int most, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> value(-most, most);
  Descriptors values(count * kChannels);
  for (float& each : values) each = static_cast<float>(value(random));
  return values;
}

Descriptors unit_vectors(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> value;
  Descriptors values(count * kChannels);
  for (std::size_t i = 0; i < count; ++i) {
    double squares = 0;
    for (std::size_t c = 0; c < kChannels; ++c) squares += std::pow(values[i * kChannels + c] = value(random), 2.0);
    for (std::size_t c = 0; c < kChannels; ++c) values[i * kChannels + c] /= static_cast<float>(std::sqrt(squares));
  }
  return values;
}

// By the definition: the whole matrix, in the order in which a similarity is summed.
class SimilarityMatrix {
 public:
  SimilarityMatrix(const Descriptors& a, const Descriptors& b)
      : rows_(a.size() / kChannels), columns_(b.size() / kChannels), values_(rows_ * columns_) {
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < columns_; ++j) {
        float sum = 0;
        for (std::size_t c = 0; c < kChannels; ++c) sum = std::fma(a[i * kChannels + c], b[j * kChannels + c], sum);
        values_[i * columns_ + j] = sum;
      }
    }
  }

  [[nodiscard]] Matches mutual(float least) const {
    Matches matches;
    for (std::size_t i = 0; i < rows_; ++i) {
      const std::ptrdiff_t j = best(columns_, [&](std::size_t column) { return values_[i * columns_ + column]; });
      if (j < 0) continue;
      const auto column = static_cast<std::size_t>(j);
      const std::ptrdiff_t back = best(rows_, [&](std::size_t row) { return values_[row * columns_ + column]; });
      const float similarity = values_[i * columns_ + column];
      if (back != static_cast<std::ptrdiff_t>(i) || !(similarity >= least) || std::isinf(similarity)) continue;
      matches.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), similarity});
    }
    return matches;
  }

 private:
  template <typename Value>
  static std::ptrdiff_t best(std::size_t count, const Value& value) {
    std::ptrdiff_t found = -1;
    for (std::size_t k = 0; k < count; ++k) {
      const float candidate = value(k);
      if (std::isnan(candidate) || candidate == -kInfinity) continue;
      if (found < 0 || candidate > value(static_cast<std::size_t>(found))) found = static_cast<std::ptrdiff_t>(k);
    }
    return found;
  }

  std::size_t rows_;
  std::size_t columns_;
  std::vector<float> values_;
};

class MatcherTest : public ::testing::TestWithParam<Device> {
 protected:
  // Two sets of which the counts say something else than their room.
  Matches match(const Descriptors& a, std::int32_t a_count, const Descriptors& b, std::int32_t b_count,
                const MatcherOptions& options) {
    Matcher matcher(stream_, options);
    MatchResult result = matcher.allocate_result({.read_back = true});
    const auto a_values = testing::to_device(stream_, a);
    const auto b_values = testing::to_device(stream_, b);
    const auto counts = testing::to_device<std::int32_t>(stream_, {a_count, b_count});
    matcher.submit({a_values.span().subspan(0, a.size()), counts.span().subspan(0, 1)},
                   {b_values.span().subspan(0, b.size()), counts.span().subspan(1, 1)}, result);
    stream_.synchronize();
    return {result.matches().begin(), result.matches().end()};
  }
  Matches match(const Descriptors& a, const Descriptors& b, const MatcherOptions& options) {
    return match(a, static_cast<std::int32_t>(a.size() / kChannels), b, static_cast<std::int32_t>(b.size() / kChannels),
                 options);
  }

  Stream stream_{GetParam()};
};

constexpr MatchPrecision kPrecisions[] = {MatchPrecision::kFloat32, MatchPrecision::kFloat16};

TEST_P(MatcherTest, FindsThePairsOfTheDefinitionWhereSumsAreExact) {
  for (const MatchPrecision precision : kPrecisions) {
    for (const auto& [rows, columns] :
         {std::pair{1, 1}, {1, 300}, {300, 1}, {127, 129}, {128, 128}, {257, 64}, {500, 700}}) {
      for (const int most : {1, 8}) {
        const Descriptors a = whole_numbers(static_cast<std::size_t>(rows), most, 1);
        const Descriptors b = whole_numbers(static_cast<std::size_t>(columns), most, 2);
        EXPECT_EQ(match(a, b, {.min_similarity = 0.0F, .max_descriptors = 700, .precision = precision}),
                  SimilarityMatrix(a, b).mutual(0.0F))
            << rows << "x" << columns << " up to " << most;
      }
    }
  }
}

TEST_P(MatcherTest, FindsThePairsThatNumPyFinds) {
  const auto descriptors = [](std::size_t count, std::int64_t factor, std::int64_t modulus) {
    Descriptors values(count * kChannels);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(testing::pattern(i, 7, factor) - 3 + testing::pattern(i, modulus) % 2);
    }
    return values;
  };
  const std::vector<float> golden = testing::golden("matches_150x210");
  ASSERT_GE(golden.size(), 3U * 5);
  for (const MatchPrecision precision : kPrecisions) {
    // Similarities of whole numbers exceed 1: the least one is met by scaling the first set, exactly.
    Descriptors first = descriptors(150, 104729, 61);
    for (float& value : first) value /= 64;
    const Matches found =
        match(first, descriptors(210, 7919, 59), {.min_similarity = 40.0F / 64, .precision = precision});
    ASSERT_EQ(found.size() * 3, golden.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(static_cast<float>(found[i].first), golden[3 * i]);
      EXPECT_EQ(static_cast<float>(found[i].second), golden[3 * i + 1]);
      EXPECT_EQ(found[i].similarity * 64, golden[3 * i + 2]);
    }
  }
}

TEST_P(MatcherTest, SimilaritiesInFloat32HaveTheBitsOfFusedSumsInOrder) {
  const Descriptors a = unit_vectors(300, 3);
  const Descriptors b = unit_vectors(420, 4);
  const Matches found = match(a, b, {.min_similarity = -1.0F, .max_descriptors = 512});
  EXPECT_EQ(found, SimilarityMatrix(a, b).mutual(-1.0F));
  EXPECT_GT(found.size(), 10U);
}

TEST_P(MatcherTest, NoisyCopiesFindEachOtherInFloat16) {
  const Descriptors a = unit_vectors(600, 5);
  Descriptors b(a.size());
  for (std::size_t i = 0; i < 600; ++i) {  // Row i of a is row 599 - i of b, a little off.
    for (std::size_t c = 0; c < kChannels; ++c) b[(599 - i) * kChannels + c] = a[i * kChannels + c] + 1e-3F;
  }
  const Matches found = match(a, b, {.max_descriptors = 600, .precision = MatchPrecision::kFloat16});
  ASSERT_EQ(found.size(), 600U);
  for (std::int32_t i = 0; i < 600; ++i) {
    EXPECT_EQ(found[static_cast<std::size_t>(i)].first, i);
    EXPECT_EQ(found[static_cast<std::size_t>(i)].second, 599 - i);
    EXPECT_NEAR(found[static_cast<std::size_t>(i)].similarity, 1, 1e-2);
  }
}

TEST_P(MatcherTest, MatchingIsSymmetric) {
  const Descriptors a = unit_vectors(200, 6);
  const Descriptors b = unit_vectors(333, 7);
  Matches there = match(a, b, {.min_similarity = 0.2F});
  Matches back = match(b, a, {.min_similarity = 0.2F});
  for (Match& each : back) std::swap(each.first, each.second);
  std::ranges::sort(back, {}, &Match::first);
  EXPECT_EQ(there, back);
  EXPECT_FALSE(there.empty());
}

TEST_P(MatcherTest, OfEqualDescriptorsTheFirstMatch) {
  for (const MatchPrecision precision : kPrecisions) {
    Descriptors same(400 * kChannels, 0.125F);
    const Matches found = match(same, same, {.precision = precision});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0], (Match{0, 0, 1.0F}));
  }
}

TEST_P(MatcherTest, TheLeastSimilarityIsPartOfTheRange) {
  Descriptors a(kChannels, 0.0F);
  Descriptors b(kChannels, 0.0F);
  a[0] = 1;
  b[0] = 0.75F;
  EXPECT_EQ(match(a, b, {.min_similarity = 0.75F}).size(), 1U);
  EXPECT_EQ(match(a, b, {.min_similarity = std::nextafter(0.75F, 1.0F)}).size(), 0U);
}

TEST_P(MatcherTest, CountsOnTheDeviceDecideWhatTakesPart) {
  const Descriptors a = whole_numbers(260, 3, 8);
  const Descriptors b = whole_numbers(300, 3, 9);
  for (const MatchPrecision precision : kPrecisions) {
    const MatcherOptions options{.min_similarity = 0.0F, .max_descriptors = 300, .precision = precision};
    for (const auto& [rows, columns] : {std::pair{0, 300}, {260, 0}, {0, 0}, {1, 1}, {130, 129}, {260, 300}}) {
      const Descriptors some_a(a.begin(), a.begin() + rows * std::ptrdiff_t{kChannels});
      const Descriptors some_b(b.begin(), b.begin() + columns * std::ptrdiff_t{kChannels});
      EXPECT_EQ(match(a, rows, b, columns, options), SimilarityMatrix(some_a, some_b).mutual(0.0F))
          << rows << " " << columns;
    }
    EXPECT_EQ(match(a, 100000, b, 100000, options), SimilarityMatrix(a, b).mutual(0.0F));
    EXPECT_TRUE(match(a, -5, b, -5, options).empty());
  }
}

TEST_P(MatcherTest, WhatIsNotFiniteNeverMatches) {
  for (const MatchPrecision precision : kPrecisions) {
    Descriptors a = whole_numbers(150, 2, 10);
    const Descriptors b = whole_numbers(150, 2, 11);
    a[3 * kChannels + 5] = kNaN;
    a[70 * kChannels] = kInfinity;
    a[149 * kChannels + 63] = -kInfinity;
    const Matches found = match(a, b, {.min_similarity = -1.0F, .precision = precision});
    for (const Match& each : found) {
      EXPECT_NE(each.first, 3);
      EXPECT_NE(each.first, 70);
      EXPECT_NE(each.first, 149);
      EXPECT_TRUE(std::isfinite(each.similarity));
    }
    EXPECT_EQ(found, SimilarityMatrix(a, b).mutual(-1.0F));
  }
}

TEST_P(MatcherTest, ZeroAndNegativeZeroTie) {
  Descriptors a(2 * kChannels, 0.0F);
  Descriptors b(2 * kChannels, 0.0F);
  b[0] = -1;  // The first of b has the similarity -0 with the first of a, the second 0.
  const Matches found = match(a, b, {.min_similarity = -1.0F});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], (Match{0, 0, 0.0F}));
}

TEST_P(MatcherTest, AsManyAsFit) {
  // All of the first set, and of the second as many as the device is quick with; row i is most similar to itself.
  const Descriptors values = unit_vectors(Matcher::kMaxDescriptors, 12);
  const std::int32_t others = GetParam().is_cpu() ? 200 : Matcher::kMaxDescriptors;
  for (const MatchPrecision precision : kPrecisions) {
    const Matches found = match(values, Matcher::kMaxDescriptors, values, others,
                                {.max_descriptors = Matcher::kMaxDescriptors, .precision = precision});
    ASSERT_EQ(found.size(), static_cast<std::size_t>(others));
    for (std::int32_t i = 0; i < others; ++i) {
      EXPECT_EQ(found[static_cast<std::size_t>(i)].first, i);
      EXPECT_EQ(found[static_cast<std::size_t>(i)].second, i);
    }
  }
}

TEST_P(MatcherTest, ASubmitAllocatesNothingAndGivesTheSameFromAGraph) {
  for (const MatchPrecision precision : kPrecisions) {
    const auto values = testing::to_device(stream_, unit_vectors(300, 13));
    const auto count = testing::to_device<std::int32_t>(stream_, {300});
    const DescriptorSet set{values.span(), count.span()};
    Matcher matcher(stream_, {.max_descriptors = 300, .precision = precision});
    MatchResult result = matcher.allocate_result({.read_back = true});
    EXPECT_EQ(result.count(), 0);
    EXPECT_TRUE(result.matches().empty());
    matcher.submit(set, set, result);
    stream_.synchronize();
    const DeviceCounters before = counters(GetParam());
    matcher.submit(set, set, result);
    const DeviceCounters spent = counters(GetParam()) - before;
    EXPECT_EQ(spent.device_allocations + spent.pinned_allocations + spent.blocking_copies + spent.waits, 0U);
    const Graph graph = Graph::capture(stream_, [&] { matcher.submit(set, set, result); });
    graph.launch(stream_);
    stream_.synchronize();
    EXPECT_EQ(result.matches().size(), 300U);
  }
}

TEST_P(MatcherTest, WhatDoesNotFitIsRefused) {
  const auto values = testing::to_device(stream_, Descriptors(20 * kChannels));
  const auto count = testing::to_device<std::int32_t>(stream_, {20, 20});
  const DescriptorSet set{values.span(), count.span().subspan(0, 1)};
  Matcher matcher(stream_, {.max_descriptors = 10});
  MatchResult result = matcher.allocate_result();
  const auto refusal = [&](const DescriptorSet& first, const DescriptorSet& second) {
    return error_of([&] { matcher.submit(first, second, result); });
  };
  const DescriptorSet fits{values.span().subspan(0, 10 * kChannels), set.count};
  EXPECT_THAT(refusal(fits, set).what(), HasSubstr("the second set has room for 20 descriptors"));
  EXPECT_THAT(refusal({values.span().subspan(0, 65), set.count}, fits).what(), HasSubstr("65 values"));
  EXPECT_THAT(refusal({values.span().subspan(1, 64), set.count}, fits).what(), HasSubstr("not aligned"));
  EXPECT_THAT(refusal({fits.values, count.span()}, fits).what(), HasSubstr("count has 2 elements"));
  EXPECT_THAT(error_of([&] { (void)result.matches(); }).what(), HasSubstr("read_back"));
  Matcher greater(stream_, {.max_descriptors = 20});
  EXPECT_THAT(error_of([&] { greater.submit(set, set, result); }).what(), HasSubstr("room for 10 matches"));
  EXPECT_THROW(Matcher(stream_, {.min_similarity = kNaN}), Error);
  EXPECT_THROW(Matcher(stream_, {.max_descriptors = 0}), Error);
  EXPECT_THROW(Matcher(stream_, {.max_descriptors = Matcher::kMaxDescriptors + 1}), Error);
}

TEST_P(MatcherTest, HalvesAreRoundedToTheNearest) {
  using Halves = void(DeviceSpan<const float>, DeviceSpan<const std::int32_t>, std::int32_t, DeviceSpan<const float>,
                      DeviceSpan<const std::int32_t>, std::int32_t, DeviceSpan<std::uint16_t>,
                      DeviceSpan<std::uint16_t>, DeviceSpan<std::uint64_t>, DeviceSpan<std::uint64_t>);
  const auto round = KernelModule::load(GetParam(), kernels::match_halves_cu).get<Halves>("match_halves");
  Descriptors values(kChannels, 0.0F);
  // Their float16 as IEEE 754 has it: 65519.996 is below half a step of infinity, 2^-25 is half a step of zero.
  const std::vector<std::pair<float, std::uint16_t>> known{
      {1.0F, 0x3C00},          {-2.0F, 0xC000},          {65504.0F, 0x7BFF},        {65519.996F, 0x7BFF},
      {65520.0F, 0x7C00},      {-1e9F, 0xFC00},          {kInfinity, 0x7C00},       {kNaN, 0x7E00},
      {0.0F, 0x0000},          {-0.0F, 0x8000},          {6.103515625e-5F, 0x0400}, {5.9604645e-8F, 0x0001},
      {2.9802322e-8F, 0x0000}, {2.9802326e-8F, 0x0001},  {8.940697e-8F, 0x0002},    {1.00048828125F, 0x3C00},
      {1.0004884F, 0x3C01},    {1.00146484375F, 0x3C02}, {6.0975552e-5F, 0x03FF},   {6.1020256e-5F, 0x0400},
      {1e-30F, 0x0000},        {-1e-30F, 0x8000},        {0.333251953125F, 0x3555}};
  for (std::size_t i = 0; i < known.size(); ++i) values[i] = known[i].first;
  const auto input = testing::to_device(stream_, values);
  const auto count = testing::to_device<std::int32_t>(stream_, {1});
  auto first = DeviceBuffer<std::uint16_t>::zeros(stream_, kChannels);
  auto second = DeviceBuffer<std::uint16_t>::zeros(stream_, kChannels);
  auto best = testing::to_device<std::uint64_t>(stream_, {5, 5, 5, 5});
  LaunchShape shape = grid_1d(kChannels);
  shape.grid.y = 2;
  round.launch(stream_, shape, input.span(), count.span(), 1, input.span(), count.span(), 1, first.span(),
               second.span(), best.span().subspan(0, 2), best.span().subspan(2, 2));
  EXPECT_EQ(testing::to_host(stream_, best.span(), 4), (std::vector<std::uint64_t>{0, 5, 0, 5}));
  const auto halves = testing::to_host(stream_, first.span(), kChannels);
  for (std::size_t i = 0; i < known.size(); ++i) EXPECT_EQ(halves[i], known[i].second) << known[i].first;
  EXPECT_EQ(testing::to_host(stream_, second.span(), kChannels), halves);
}

INSTANTIATE_TEST_SUITE_P(Devices, MatcherTest, ::testing::ValuesIn(Device::all()), testing::device_name);

using Keys = std::vector<std::uint64_t>;
using Counts = DeviceSpan<const std::int32_t>;

struct BestKeys {
  Keys of_a;
  Keys of_b;
  friend bool operator==(const BestKeys&, const BestKeys&) = default;
};

// Of whole numbers: by the definition, as keys.
BestKeys best_by_definition(const Descriptors& a, const Descriptors& b) {
  BestKeys best{Keys(a.size() / kChannels), Keys(b.size() / kChannels)};
  for (std::size_t i = 0; i < best.of_a.size(); ++i) {
    for (std::size_t j = 0; j < best.of_b.size(); ++j) {
      const auto similarity =
          static_cast<float>(std::inner_product(a.begin() + static_cast<std::ptrdiff_t>(i * kChannels),
                                                a.begin() + static_cast<std::ptrdiff_t>((i + 1) * kChannels),
                                                b.begin() + static_cast<std::ptrdiff_t>(j * kChannels), 0.0));
      const auto magnitude = std::bit_cast<std::uint32_t>(std::abs(similarity));
      const std::uint64_t ordered = similarity < 0 ? 0x7FFFFFFFU - magnitude : 0x80000000U + magnitude;
      best.of_a[i] = std::max(best.of_a[i], (ordered << 32U) + (0xFFFFFFFFU - j));
      best.of_b[j] = std::max(best.of_b[j], (ordered << 32U) + (0xFFFFFFFFU - i));
    }
  }
  return best;
}

GuardedBuffer<std::int32_t> count_of(const Descriptors& set) {
  return GuardedBuffer<std::int32_t>(std::vector<std::int32_t>{static_cast<std::int32_t>(set.size() / kChannels)});
}

std::uint32_t tiles(const Descriptors& set) { return static_cast<std::uint32_t>((set.size() / kChannels + 127) / 128); }

TEST(MatchBestKernelTest, FindsTheKeysOfTheDefinition) {
  using Best = void(DeviceSpan<const float>, Counts, std::int32_t, DeviceSpan<const float>, Counts, std::int32_t,
                    DeviceSpan<std::uint64_t>, DeviceSpan<std::uint64_t>);
  const Descriptors a = whole_numbers(130, 2, 20);
  const Descriptors b = whole_numbers(100, 2, 21);
  const GuardedBuffer<float> a_values(a);
  const GuardedBuffer<float> b_values(b);
  GuardedBuffer<std::uint64_t> of_a(Keys(130, 0));
  GuardedBuffer<std::uint64_t> of_b(Keys(100, 0));
  const auto a_count = count_of(a);
  const auto b_count = count_of(b);
  emulate<Best>(kernels::emulated::match_best_cu, "match_best", {{tiles(a), tiles(b), 1}, {256, 1, 1}, 0}, {},
                a_values.device(), a_count.device(), 130, b_values.device(), b_count.device(), 100, of_a.device(),
                of_b.device());
  EXPECT_EQ((BestKeys{of_a.values(), of_b.values()}), best_by_definition(a, b));
}

TEST(MatchBestHalfKernelTest, FindsTheKeysOfTheDefinition) {
  using Best = void(DeviceSpan<const std::uint16_t>, Counts, std::int32_t, DeviceSpan<const std::uint16_t>, Counts,
                    std::int32_t, std::int32_t, float, DeviceSpan<std::uint64_t>, DeviceSpan<std::uint64_t>);
  const Descriptors a = whole_numbers(70, 2, 22);
  const Descriptors b = whole_numbers(180, 2, 23);  // A block does two tiles, of which one is not full.
  const auto halves = [](const Descriptors& values) {
    const std::vector<std::uint16_t> known{0xC000, 0xBC00, 0x0000, 0x3C00, 0x4000};  // -2 to 2
    std::vector<std::uint16_t> result;
    for (const float value : values) result.push_back(known[static_cast<std::size_t>(value + 2)]);
    return result;
  };
  const GuardedBuffer<std::uint16_t> a_values(halves(a));
  const GuardedBuffer<std::uint16_t> b_values(halves(b));
  GuardedBuffer<std::uint64_t> of_a(Keys(70, 0));
  GuardedBuffer<std::uint64_t> of_b(Keys(180, 0));
  const auto a_count = count_of(a);
  const auto b_count = count_of(b);
  emulate<Best>(kernels::emulated::match_best_half_cu, "match_best_half", {{1, 1, 1}, {256, 1, 1}, 0}, {},
                a_values.device(), a_count.device(), 70, b_values.device(), b_count.device(), 180, 2, -1000.0F,
                of_a.device(), of_b.device());
  const BestKeys all = best_by_definition(a, b);
  EXPECT_EQ((BestKeys{of_a.values(), of_b.values()}), all);

  // Keys of at least 40 are the same where nothing below has to be looked at.
  constexpr std::uint64_t kForty = std::uint64_t{std::bit_cast<std::uint32_t>(40.0F) | 0x80000000U} << 32U;
  GuardedBuffer<std::uint64_t> some_of_a(Keys(70, 0));
  GuardedBuffer<std::uint64_t> some_of_b(Keys(180, 0));
  emulate<Best>(kernels::emulated::match_best_half_cu, "match_best_half", {{1, 1, 1}, {256, 1, 1}, 0}, {},
                a_values.device(), a_count.device(), 70, b_values.device(), b_count.device(), 180, 2, 40.0F,
                some_of_a.device(), some_of_b.device());
  const auto from_forty = [](Keys keys) {
    for (std::uint64_t& key : keys) key = key >= kForty ? key : 0;
    return keys;
  };
  EXPECT_EQ(from_forty(some_of_a.values()), from_forty(all.of_a));
  EXPECT_EQ(from_forty(some_of_b.values()), from_forty(all.of_b));
  EXPECT_NE(some_of_b.values(), all.of_b);
}

TEST(MatchCollectKernelTest, KeepsTheOrderWithAnyNumberOfWarps) {
  using Collect = void(DeviceSpan<const std::uint64_t>, Counts, std::int32_t, DeviceSpan<const std::uint64_t>, float,
                       DeviceSpan<std::int32_t>, DeviceSpan<float>, DeviceSpan<std::int32_t>, DeviceSpan<std::int32_t>);
  constexpr std::int32_t kRows = 301;
  const auto key = [](float similarity, std::uint32_t index) {
    return (std::uint64_t{std::bit_cast<std::uint32_t>(similarity) + 0x80000000U} << 32U) + (0xFFFFFFFFU - index);
  };
  Keys of_a(kRows, 0);
  Keys of_b(kRows, 0);
  std::vector<std::int32_t> expected;
  for (std::uint32_t i = 0; i < kRows;
       ++i) {  // Row i and column 300 - i; some are below, some without, some not mutual.
    of_a[i] = i % 7 == 3 ? 0 : key(i % 5 == 0 ? 0.5F : 0.9F, 300 - i);
    of_b[300 - i] = key(0.9F, i % 3 == 1 ? i + 1 : i);
    if (i % 7 != 3 && i % 5 != 0 && i % 3 != 1)
      expected.insert(expected.end(), {std::int32_t(i), std::int32_t(300 - i)});
  }
  for (const std::uint32_t threads : {32U, 96U}) {
    const GuardedBuffer<std::uint64_t> a_keys(of_a);
    const GuardedBuffer<std::uint64_t> b_keys(of_b);
    const GuardedBuffer<std::int32_t> rows(std::vector<std::int32_t>{kRows});
    GuardedBuffer<std::int32_t> pairs(std::size_t{2} * kRows);
    GuardedBuffer<float> similarities(kRows);
    GuardedBuffer<std::int32_t> count(1);
    GuardedBuffer<std::int32_t> host_count(1);
    emulate<Collect>(kernels::emulated::match_collect_cu, "match_collect", grid_per_item(1, threads), {},
                     a_keys.device(), rows.device(), kRows, b_keys.device(), 0.82F, pairs.device(),
                     similarities.device(), count.device(), host_count.device());
    EXPECT_EQ(host_count.host()[0], count.host()[0]);
    std::vector<std::int32_t> found = pairs.values();
    ASSERT_EQ(static_cast<std::size_t>(count.host()[0]) * 2, expected.size()) << threads;
    found.resize(expected.size());
    EXPECT_EQ(found, expected) << threads;
    EXPECT_EQ(similarities.host()[0], 0.9F);
  }
}

}  // namespace
}  // namespace vrt
