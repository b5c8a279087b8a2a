// The comparison's arithmetic, and the samples it is made on. Engine::open with it: engine_cache_test.cpp.
#include "vrt/engine/accuracy.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/engine/element_values.h"
#include "vrt/engine/samples.h"

namespace vrt::detail {
namespace {

using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::byte> bytes_of(DType type, const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * size_bytes(type));
  for (std::size_t i = 0; i < values.size(); ++i) set_element(type, bytes, i, values[i]);
  return bytes;
}

OutputAccuracy compared(const std::vector<double>& values, const std::vector<double>& reference,
                        DType type = DType::kFloat32) {
  OutputComparison comparison;
  comparison.add(type, bytes_of(type, values), type, bytes_of(type, reference));
  return comparison.result("out");
}

TEST(OutputComparisonTest, MeasuresDifferenceRangeAndCosine) {
  const OutputAccuracy output = compared({3, 4.5}, {3, 4});
  EXPECT_EQ(output.name, "out");
  EXPECT_DOUBLE_EQ(output.largest_difference, 0.5);
  EXPECT_DOUBLE_EQ(output.share_of_range, 0.5);  // The range is 1.
  EXPECT_NEAR(output.cosine, (3 * 3 + 4.5 * 4) / (std::hypot(3, 4.5) * 5), 1e-12);
}

TEST(OutputComparisonTest, TakesAllRunsTogether) {
  OutputComparison comparison;
  for (const double shift : {0.0, 0.25}) {
    comparison.add(DType::kFloat32, bytes_of(DType::kFloat32, {shift, 1}), DType::kFloat32,
                   bytes_of(DType::kFloat32, {0, 1 + 4 * shift}));
  }
  EXPECT_DOUBLE_EQ(comparison.result("x").largest_difference, 1);
  EXPECT_DOUBLE_EQ(comparison.result("x").share_of_range, 0.5);
}

TEST(OutputComparisonTest, EqualOutputsAreEqual) {
  for (const auto& values :
       std::vector<std::vector<double>>{{}, {0, 0}, {5, 5}, {1, -2, 3}, {kInfinity, 1}, {NAN, 2}}) {
    const OutputAccuracy output = compared(values, values);
    EXPECT_EQ(output.largest_difference, 0);
    EXPECT_EQ(output.share_of_range, 0);
    EXPECT_NEAR(output.cosine, 1, 1e-12);
  }
}

TEST(OutputComparisonTest, NumbersThatAreNoneHaveToBeAtTheSamePlaces) {
  for (const double strange : {kInfinity, -kInfinity, std::nan("")}) {
    EXPECT_EQ(compared({strange, 1}, {0, 1}).share_of_range, kInfinity);
    EXPECT_EQ(compared({0, 1}, {strange, 1}).share_of_range, kInfinity);
  }
  EXPECT_EQ(compared({kInfinity}, {-kInfinity}).share_of_range, kInfinity);
}

TEST(OutputComparisonTest, AnOutputThatDoesNotVaryIsMeasuredByItsMagnitude) {
  EXPECT_DOUBLE_EQ(compared({4, 4.2, 4, 4}, {4, 4, 4, 4}, DType::kFloat32).share_of_range,
                   compared({4, 4.2, 4, 4}, {4, 4, 4, 4}).largest_difference / 4);
  EXPECT_EQ(compared({0.1}, {0}).share_of_range, kInfinity);
  EXPECT_EQ(compared({0.1}, {0}).cosine, 0);
}

TEST(OutputComparisonTest, WholeNumbersAreCountedWhereTheyDiffer) {
  for (const DType type : {DType::kInt64, DType::kInt32, DType::kUInt8, DType::kBool}) {
    EXPECT_DOUBLE_EQ(compared({1, 0, 1, 1}, {1, 1, 1, 1}, type).share_of_range, 0.25) << to_string(type);
    EXPECT_EQ(compared({1, 0}, {1, 0}, type).share_of_range, 0);
  }
}

TEST(OutputComparisonTest, TheWorstOutputIsNamedOnlyWhereOneIsOutOfBounds) {
  AccuracyReport report{
      "reference", 1, true, {{"good", 0, 0.01, 0.9995}, {"worse", 1, 0.05, 0.9999}, {"bad", 1, 0.3, 1}}};
  EXPECT_EQ(find_worst(report, {})->name, "bad");
  EXPECT_EQ(find_worst(report, {{}, 0.999, 0.3}), nullptr);
  report.outputs.push_back({"turned", 0, 0, 0.5});
  EXPECT_EQ(find_worst(report, {})->name, "turned");
  EXPECT_THAT(describe(report.outputs[2], {}), HasSubstr("'bad' by 30 % of its range (2 % is allowed)"));
  EXPECT_EQ(find_worst(AccuracyReport{}, {}), nullptr);
}

TEST(ElementValuesTest, EachTypeIsReadAsWritten) {
  const std::map<DType, std::vector<double>> values = {
      {DType::kFloat32, {0, -1.5, 1e30}},
      {DType::kFloat16, {0, -1.5, 65504, 0.000244140625, 1.0009765625}},
      {DType::kBFloat16, {0, -1.5, 3.0e38}},
      {DType::kInt8, {-128, 127}},
      {DType::kUInt8, {0, 255}},
      {DType::kInt32, {-2147483648.0, 2147483647.0}},
      {DType::kInt64, {-9e15, 9e15}},
      {DType::kBool, {0, 1}}};
  for (const auto& [type, expected] : values) {
    const auto bytes = bytes_of(type, expected);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(element_at(type, bytes, i), expected[i], std::abs(expected[i]) * 0.01) << to_string(type);
  }
}

TEST(ElementValuesTest, HalvesAreThoseOfTheStandard) {
  const std::pair<std::uint16_t, double> halves[] = {{0x0001, 5.9604644775390625e-8},
                                                     {0x03FF, 6.097555160522461e-05},
                                                     {0x0400, 6.103515625e-05},
                                                     {0x3C00, 1},
                                                     {0x3C01, 1.0009765625},
                                                     {0x7BFF, 65504},
                                                     {0x7C00, kInfinity},
                                                     {0xFC00, -kInfinity},
                                                     {0xC000, -2},
                                                     {0x8000, -0.0}};
  for (const auto& [bits, value] : halves) {
    std::vector<std::byte> bytes(2);
    std::memcpy(bytes.data(), &bits, 2);
    EXPECT_EQ(element_at(DType::kFloat16, bytes, 0), value) << bits;
  }
  std::vector<std::byte> bytes(2, std::byte{0xFF});
  EXPECT_TRUE(std::isnan(element_at(DType::kFloat16, bytes, 0)));
}

TEST(NoiseSamplesTest, NoiseIsTheSameEachTimeAndFitsEachType) {
  std::vector<TensorInfo> inputs;
  for (std::int32_t type = 1; type <= 8; ++type)
    inputs.push_back({"input" + std::to_string(type), static_cast<DType>(type), Shape{4, 500}, type == 1});
  const auto samples = noise_samples(inputs, 2);
  ASSERT_EQ(samples.size(), kNoiseRuns);
  EXPECT_EQ(samples, noise_samples(inputs, 2));
  EXPECT_NE(samples[0], samples[2]);
  for (const TensorInfo& info : inputs) {
    const std::size_t count = info.batched ? 1000 : 2000;
    ASSERT_EQ(samples[0].at(info.name).size(), count * size_bytes(info.type));
    double sum = 0;
    double square = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double value = element_at(info.type, samples[1].at(info.name), i);
      sum += value;
      square += value * value;
    }
    EXPECT_GT(square / static_cast<double>(count), 0.2) << info.name;
    if (!is_floating(info.type)) continue;
    EXPECT_NEAR(sum / static_cast<double>(count), 0, 0.15);
    EXPECT_NEAR(square / static_cast<double>(count), 1, 0.2);
    for (std::size_t i = 0; i < count; ++i) {
      const double value = element_at(info.type, samples[0].at(info.name), i);
      ASSERT_TRUE(value >= 0 && value <= 1);
    }
  }
}

TEST(NoiseSamplesTest, DigestsTellSamplesApart) {
  const SampleInputs one = {{"a", std::vector<std::byte>(2)}};
  const SampleInputs other = {{"a", {}}, {"b", std::vector<std::byte>(2)}};
  EXPECT_EQ(digest_of({}), "");
  EXPECT_EQ(digest_of(std::vector{one}), digest_of(std::vector{one}));
  EXPECT_NE(digest_of(std::vector{one}), digest_of(std::vector{other}));
  EXPECT_NE(digest_of(std::vector{one}), digest_of(std::vector{one, one}));
}

TEST(NoiseSamplesTest, TheTrialBatchIsInTheRange) {
  EXPECT_EQ(trial_batch({}), 0);
  EXPECT_EQ(trial_batch({1, 0, 2}), 2);
  EXPECT_EQ(trial_batch({1, 0, 64}), 4);
  EXPECT_EQ(trial_batch({16, 0, 64}), 16);
}

}  // namespace
}  // namespace vrt::detail
