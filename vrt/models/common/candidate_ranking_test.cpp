#include "vrt/models/common/candidate_ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/device/emulator/emulate.h"
#include "vrt/models/common/rank_candidates_emulated.h"
#include "vrt/models/testing/device_data.h"

namespace vrt {
namespace {

using Keys = std::vector<std::uint64_t>;

// What a model's kernel writes for a score, said with integers: sign and magnitude to an unsigned order.
std::uint64_t key_of(float score, std::uint32_t index) {
  const auto magnitude = std::bit_cast<std::uint32_t>(score) & 0x7FFFFFFFU;
  const std::uint32_t ordered = std::signbit(score) ? 0x7FFFFFFFU - magnitude : 0x80000000U + magnitude;
  return (std::uint64_t{ordered} << 32) + (0xFFFFFFFFU - index);
}

// `count` keys in random order. Scores are multiples of 1 / steps in (low, high]: few steps make many ties.
Keys random_keys(std::size_t count, float low, float high, int steps, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> step(1, steps);
  Keys keys;
  for (std::uint32_t i = 0; i < count; ++i) {
    const float share = static_cast<float>(step(random)) / static_cast<float>(steps);
    keys.push_back(key_of(low + (high - low) * share, i));
  }
  std::shuffle(keys.begin(), keys.end(), random);
  return keys;
}

Keys greatest_by_full_sort(Keys keys) {
  std::sort(keys.begin(), keys.end(), std::greater<>());
  keys.resize(std::min<std::size_t>(keys.size(), CandidateRanking::kMaxRanked));
  return keys;
}

class CandidateRankingTest : public ::testing::TestWithParam<Device> {
 protected:
  // Ranks `keys` where `reported` says how many there are.
  Keys rank(const Keys& keys, std::int32_t capacity, std::int32_t reported) {
    CandidateRanking ranking(stream_, capacity);
    if (!keys.empty()) {
      upload_blocking(stream_, std::span<const std::uint64_t>(keys), ranking.keys().subspan(0, keys.size()));
    }
    const auto key_count = testing::to_device<std::int32_t>(stream_, {reported});
    auto ranked_count = testing::to_device<std::int32_t>(stream_, {-1});
    ranking.submit(key_count.span(), ranked_count.span());
    const std::int32_t count = testing::to_host(stream_, ranked_count.span(), 1)[0];
    return testing::to_host(stream_, ranking.ranked(), static_cast<std::size_t>(count));
  }
  Keys rank(const Keys& keys) {
    const auto count = static_cast<std::int32_t>(keys.size());
    return rank(keys, std::max(count, 1), count);
  }

  Stream stream_{GetParam()};
};

TEST_P(CandidateRankingTest, RanksAsAFullSortDoes) {
  for (const std::size_t count : {0, 1, 2, 3, 31, 32, 33, 500, 1023, 1024, 1025, 2047, 2048, 2049, 8400, 34000}) {
    const Keys keys = random_keys(count, 0.5F, 1.0F, 1 << 20, static_cast<std::uint32_t>(count));
    EXPECT_EQ(rank(keys), greatest_by_full_sort(keys)) << count << " keys";
  }
}

TEST_P(CandidateRankingTest, EqualScoresAreRankedByIndex) {
  for (const int steps : {1, 2, 7}) {
    for (const std::size_t count : {40, 1024, 1025, 5000, 20000}) {
      const Keys keys = random_keys(count, 0.25F, 0.75F, steps, 7);
      EXPECT_EQ(rank(keys), greatest_by_full_sort(keys)) << count << " keys, " << steps << " scores";
    }
  }
}

TEST_P(CandidateRankingTest, NegativeScoresRankBelowPositiveOnes) {
  const Keys keys = random_keys(6000, -8.0F, 2.0F, 1 << 16, 3);
  EXPECT_EQ(rank(keys), greatest_by_full_sort(keys));
}

TEST_P(CandidateRankingTest, OneOutlierDoesNotHideTheOrderOfTheRest) {
  Keys keys = random_keys(4000, 0.5F, 0.5001F, 1 << 10, 5);
  keys[1234] = key_of(3e38F, 4000);
  keys[77] = key_of(-3e38F, 4001);
  EXPECT_EQ(rank(keys), greatest_by_full_sort(keys));
}

TEST_P(CandidateRankingTest, OrderOfTheInputDoesNotMatter) {
  Keys keys = random_keys(3000, 0.5F, 1.0F, 50, 11);
  const Keys expected = rank(keys);
  for (std::uint32_t seed = 0; seed < 3; ++seed) {
    std::shuffle(keys.begin(), keys.end(), std::mt19937(seed));
    EXPECT_EQ(rank(keys), expected);
  }
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(rank(keys), expected);
}

TEST_P(CandidateRankingTest, ACountBeyondTheCapacityIsReadAsTheCapacity) {
  const Keys keys = random_keys(100, 0.0F, 1.0F, 1000, 2);
  EXPECT_EQ(rank(keys, 100, 5000), greatest_by_full_sort(keys));
}

TEST_P(CandidateRankingTest, AnEmptyCapacityIsRefused) { EXPECT_THROW(CandidateRanking(stream_, 0), Error); }

INSTANTIATE_TEST_SUITE_P(Devices, CandidateRankingTest, ::testing::ValuesIn(Device::all()), testing::device_name);

// The kernel as a GPU runs it, with `threads` threads. The outputs begin poisoned.
Keys rank_emulated(const Keys& keys, std::uint32_t threads, std::int32_t keep) {
  const GuardedBuffer<std::uint64_t> input(keys);
  const GuardedBuffer<std::int32_t> count(std::vector<std::int32_t>{static_cast<std::int32_t>(keys.size())});
  GuardedBuffer<std::uint64_t> ranked(static_cast<std::size_t>(keep));
  GuardedBuffer<std::int32_t> ranked_count(1);
  using Rank = void(DeviceSpan<const std::uint64_t>, DeviceSpan<const std::int32_t>, std::int32_t, std::int32_t,
                    DeviceSpan<std::uint64_t>, DeviceSpan<std::int32_t>);
  emulate<Rank>(kernels::emulated::rank_candidates_cu, "rank_candidates",
                grid_per_item(1, threads, sizeof(kernels::rank_candidates::RankShared)), {}, input.device(),
                count.device(), static_cast<std::int32_t>(keys.size()), keep, ranked.device(), ranked_count.device());
  Keys result = ranked.values();
  result.resize(static_cast<std::size_t>(ranked_count.host()[0]));
  return result;
}

TEST(RankCandidatesKernelTest, SortsAsAFullSortDoesWithAnyNumberOfWarps) {
  for (const std::uint32_t threads : {32U, 64U, 96U}) {
    for (const std::size_t count : {0, 1, 2, 33, 1025, 2048}) {
      const Keys keys = random_keys(count, 0.5F, 1.0F, 1 << 20, static_cast<std::uint32_t>(count));
      EXPECT_EQ(rank_emulated(keys, threads, 1024), greatest_by_full_sort(keys))
          << count << " keys, " << threads << " lanes";
    }
  }
}

TEST(RankCandidatesKernelTest, SelectsExactlyWhereKeysDoNotFitIntoSharedMemory) {
  for (const int steps : {1, 2, 1 << 20}) {  // One score for all: the select goes down to the bits of the index.
    const Keys keys = random_keys(2500, -1.0F, 1.0F, steps, 21);
    EXPECT_EQ(rank_emulated(keys, 64, 1024), greatest_by_full_sort(keys)) << steps << " scores";
  }
}

TEST(RankCandidatesKernelTest, KeepsTheFirstOfTwoScoresWhereItHasExactlyAsManyKeysAsAsked) {
  Keys keys;
  for (std::uint32_t i = 0; i < 2400; ++i) keys.push_back(key_of(i % 4 == 0 ? 0.75F : 0.5F, i));
  const Keys ranked = rank_emulated(keys, 64, 600);
  ASSERT_EQ(ranked.size(), 600U);
  for (std::size_t i = 0; i < ranked.size(); ++i)
    EXPECT_EQ(ranked[i], key_of(0.75F, static_cast<std::uint32_t>(4 * i)));
}

TEST(RankCandidatesKernelTest, KeepsAsManyAsAsked) {
  const Keys keys = random_keys(2300, 0.5F, 1.0F, 4, 22);
  for (const std::int32_t keep : {1, 31, 1000}) {
    Keys expected = greatest_by_full_sort(keys);
    expected.resize(static_cast<std::size_t>(keep));
    EXPECT_EQ(rank_emulated(keys, 64, keep), expected);
  }
}

}  // namespace
}  // namespace vrt
