#include "vrt/models/classifier/image_classifier.h"

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
#include "vrt/device/emulator/emulate.h"
#include "vrt/models/classifier/classify_keys_cu.h"
#include "vrt/models/classifier/classify_scores_cu.h"
#include "vrt/models/classifier/classify_scores_emulated.h"
#include "vrt/models/common/candidate_ranking.h"
#include "vrt/models/testing/device_data.h"
#include "vrt/models/testing/onnx_graph.h"
#include "vrt/models/testing/payload_test.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::HasSubstr;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Ranked {
  std::vector<std::int32_t> ids;
  std::vector<double> scores;
};

// In double: a stable sort of the finite values, their softmax over all finite ones.
Ranked by_definition(const std::vector<float>& values, std::size_t top_k, bool softmax) {
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) ids.push_back(static_cast<std::int32_t>(i));
  }
  const auto value = [&](std::int32_t id) { return values[static_cast<std::size_t>(id)]; };
  std::ranges::stable_sort(ids, [&](std::int32_t a, std::int32_t b) { return value(a) > value(b); });
  double sum = 0;
  for (const std::int32_t id : ids) sum += std::exp(double{value(id)} - double{value(ids[0])});
  ids.resize(std::min(ids.size(), top_k));
  Ranked ranked{ids, {}};
  for (const std::int32_t id : ids) {
    ranked.scores.push_back(softmax ? std::exp(double{value(id)} - double{value(ids[0])}) / sum : double{value(id)});
  }
  return ranked;
}

// Adds `values` to a picture that is black everywhere: the network's output is `values` if the picture's mean is 0.
std::string network_of(const std::vector<float>& values) {
  const auto classes = static_cast<std::int64_t>(values.size());
  testing::OnnxGraph graph;
  graph.input("image", {1, 3, 32, 32});
  graph.constant("values", {1, classes}, values);
  graph.constant("zero", {1, 1}, {0.0F});
  graph.node("ReduceMean", {"image"}, "mean", {{"axes", {1, 2, 3}}, testing::OnnxGraph::integer("keepdims", 0)});
  graph.constant("axes", {1});
  graph.node("Unsqueeze", {"mean", "axes"}, "column");
  graph.node("Mul", {"column", "zero"}, "nothing");
  graph.node("Add", {"nothing", "values"}, "logits");
  graph.output("logits", {1, classes});
  return graph.bytes();
}

class ImageClassifierTest : public testing::PayloadTest {
 protected:
  Ranked classify(const std::vector<float>& values, const ImageClassifierOptions& options) {
    ImageClassifier classifier(open(network_of(values)), stream_, options);
    ImageClassifierResult result = classifier.allocate_result();
    const testing::TestPicture black = picture({50, 40});
    classifier.submit(black.view, result);
    stream_.synchronize();
    Ranked ranked;
    for (const Classification& each : result.classes()) {
      ranked.ids.push_back(each.class_id);
      ranked.scores.push_back(each.score);
      EXPECT_EQ(each.label, options.names[each.class_id]);
    }
    return ranked;
  }
  void expect_as_defined(const std::vector<float>& values, const ImageClassifierOptions& options) {
    const Ranked found = classify(values, options);
    const Ranked expected = by_definition(values, static_cast<std::size_t>(options.top_k), options.softmax);
    EXPECT_EQ(found.ids, expected.ids);
    ASSERT_EQ(found.scores.size(), expected.scores.size());
    for (std::size_t i = 0; i < found.scores.size(); ++i) EXPECT_NEAR(found.scores[i], expected.scores[i], 1e-5) << i;
  }
};

std::vector<float> random_values(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random() % 200) / 16 - 6;
  return values;
}

TEST_P(ImageClassifierTest, GivesTheBestClassesOfAThousand) {
  expect_as_defined(random_values(1000, 1), {});
  expect_as_defined(random_values(1000, 2), {.top_k = 1000, .softmax = false});
  expect_as_defined(random_values(3000, 3), {.top_k = 1024});
}

TEST_P(ImageClassifierTest, SeesTheEndsOfAPictureOfEightThousandPixels) {
  constexpr Size kVast{7680, 4320};
  testing::OnnxGraph graph;  // Gives the four corners of its input.
  graph.input("image", {1, 3, 32, 32});
  graph.node("MaxPool", {"image"}, "corners", {{"kernel_shape", {1, 1}}, {"strides", {31, 31}}});
  graph.node("Flatten", {"corners"}, "logits");
  graph.output("logits", {1, 12});
  ImageClassifier classifier(open(graph.bytes()), stream_,
                             {.preprocessing = {.target = {32, 32}}, .top_k = 12, .softmax = false});
  std::vector<std::uint8_t> pixels(packed_bytes(kVast, PixelFormat::kRgb8));
  for (std::size_t corner = 0; corner < 4; ++corner) {  // 240x135 pixels, which become one of the input.
    for (std::size_t i = 0; i < 240 * 135; ++i) {
      const std::size_t x = i % 240 + (corner % 2 == 1 ? 7680 - 240 : 0);
      const std::size_t y = i / 240 + (corner >= 2 ? 4320 - 135 : 0);
      for (std::size_t c = 0; c < 3; ++c)
        pixels[3 * (y * 7680 + x) + c] = static_cast<std::uint8_t>(20 * (4 * c + corner) + 10);
    }
  }
  const testing::TestPicture vast = picture(kVast, pixels);
  ImageClassifierResult result = classifier.allocate_result();
  classifier.submit(vast.view, result);
  stream_.synchronize();
  ASSERT_EQ(result.classes().size(), 12U);
  for (std::int32_t i = 0; i < 12; ++i) {  // Value 4 c + corner is the greater the greater it is.
    const Classification& each = result.classes()[static_cast<std::size_t>(11 - i)];
    EXPECT_EQ(each.class_id, i);
    EXPECT_NEAR(each.score, (20 * i + 10) / 255.0, 1e-5);
  }
}

TEST_P(ImageClassifierTest, OneClassAndMoreAskedForThanThereAre) {
  expect_as_defined({-3}, {});
  expect_as_defined({1, 2, 3}, {.top_k = 100});
}

TEST_P(ImageClassifierTest, OfEqualValuesTheLowerIdsComeFirst) {
  expect_as_defined(std::vector<float>(70, 0.5F), {.top_k = 10});
  expect_as_defined({0.0F, -0.0F, 0.0F, 1.0F}, {.top_k = 4, .softmax = false});
}

TEST_P(ImageClassifierTest, LabelsComeWithTheirIds) {
  const Ranked found = classify({0, 5, 1}, {.names = ClassNames({"cat", "dog", "cow"})});
  EXPECT_EQ(found.ids[0], 1);
}

TEST_P(ImageClassifierTest, TellsTheNamesOfItsClasses) {
  const Engine engine = open(network_of({0, 5, 1}));
  EXPECT_EQ(ImageClassifier(engine, stream_).names().size(), 0U);
  const ImageClassifier classifier(engine, stream_, {.names = ClassNames({"cat", "dog", "cow"})});
  ASSERT_EQ(classifier.names().size(), 3U);
  EXPECT_EQ(classifier.names()[1], "dog");
}

TEST_P(ImageClassifierTest, GreatValuesDoNotOverflow) { expect_as_defined({1000, 999, -1e30F, 3}, {}); }

TEST_P(ImageClassifierTest, AFrameCostsOneWaitAndNothingElse) {
  ImageClassifier classifier(open(network_of(random_values(1000, 5))), stream_);
  ImageClassifierResult result = classifier.allocate_result();
  EXPECT_TRUE(result.classes().empty());
  const testing::TestPicture black = picture({50, 40});
  expect_one_wait_a_frame([&] { classifier.submit(black.view, result); }, [&] { (void)result.classes(); });
}

TEST_P(ImageClassifierTest, WhatDoesNotFitIsRefused) {
  const Engine engine = open(network_of({1, 2, 3}));
  EXPECT_THROW(ImageClassifier(engine, stream_, {.top_k = 0}), Error);
  EXPECT_THROW(ImageClassifier(engine, stream_, {.top_k = 1025}), Error);
  EXPECT_THAT(error_of([&] { ImageClassifier(engine, stream_, {.names = ClassNames::coco80()}); }).what(),
              HasSubstr("3 classes, there are names for 80"));
  testing::OnnxGraph graph;
  graph.input("image", {1, 3, 32, 32});
  graph.node("Relu", {"image"}, "same");
  graph.output("same", {1, 3, 32, 32});
  EXPECT_THAT(error_of([&] { ImageClassifier(open(graph.bytes()), stream_); }).what(),
              HasSubstr("found 'same' float32 [1, 3, 32, 32]"));
}

INSTANTIATE_TEST_SUITE_P(Devices, ImageClassifierTest, ::testing::ValuesIn(testing::devices_of_engines()),
                         testing::device_name);

// The kernels on values that a network's arithmetic would not let through.
class ClassifyKernelsTest : public ::testing::TestWithParam<Device> {};

using Scores = void(DeviceSpan<const float>, std::int32_t, DeviceSpan<const std::uint64_t>,
                    DeviceSpan<const std::int32_t>, std::int32_t, std::int32_t, DeviceSpan<std::int32_t>,
                    DeviceSpan<float>, DeviceSpan<std::int32_t>);

TEST_P(ClassifyKernelsTest, WhatIsNotFiniteIsLeftOut) {
  using Keys = void(DeviceSpan<const float>, std::int32_t, DeviceSpan<std::uint64_t>, DeviceSpan<std::int32_t>);
  const Stream stream(GetParam());
  for (const std::vector<float>& values : {std::vector<float>{1, kNaN, kInfinity, 3, -kInfinity, 2},
                                           std::vector<float>{kNaN, kInfinity}, random_values(500, 6)}) {
    const auto classes = static_cast<std::int32_t>(values.size());
    CandidateRanking ranking(stream, classes);
    const auto on_device = testing::to_device(stream, values);
    auto counts = testing::to_device<std::int32_t>(stream, {0, -1, -1});
    auto ids = DeviceBuffer<std::int32_t>::zeros(stream, 100);
    auto scores = DeviceBuffer<float>::zeros(stream, 100);
    KernelModule::load(stream.device(), kernels::classify_keys_cu)
        .get<Keys>("classify_keys")
        .launch(stream, grid_1d(values.size()), on_device.span(), classes, ranking.keys(), counts.span().subspan(0, 1));
    ranking.submit(counts.span().subspan(0, 1), counts.span().subspan(1, 1));
    KernelModule::load(stream.device(), kernels::classify_scores_cu)
        .get<Scores>("classify_scores")
        .launch(stream, grid_per_item(1, 256), on_device.span(), classes, ranking.ranked(), counts.span().subspan(1, 1),
                100, 1, ids.span(), scores.span(), counts.span().subspan(2, 1));
    const Ranked expected = by_definition(values, 100, true);
    const auto found = static_cast<std::size_t>(testing::to_host(stream, counts.span(), 3)[2]);
    EXPECT_EQ(testing::to_host(stream, ids.span(), found), expected.ids);
    const auto found_scores = testing::to_host(stream, scores.span(), found);
    for (std::size_t i = 0; i < found; ++i) EXPECT_NEAR(found_scores[i], expected.scores[i], 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, ClassifyKernelsTest, ::testing::ValuesIn(Device::all()), testing::device_name);

TEST(ClassifyScoresKernelTest, IsTheHostsVersion) {
  const std::vector<float> values = random_values(700, 7);
  std::vector<std::uint64_t> keys;
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(values[i] + 0.0F);
    keys.push_back((std::uint64_t{std::signbit(values[i]) ? ~bits : bits + 0x80000000U} << 32U) | (0xFFFFFFFFU - i));
  }
  std::ranges::sort(keys, std::greater<>());
  for (const std::int32_t softmax : {0, 1}) {
    const GuardedBuffer<float> input(values);
    const GuardedBuffer<std::uint64_t> ranked(keys);
    const GuardedBuffer<std::int32_t> ranked_count(std::vector<std::int32_t>{700});
    GuardedBuffer<std::int32_t> ids(300);
    GuardedBuffer<float> scores(300);
    GuardedBuffer<std::int32_t> count(1);
    emulate<Scores>(kernels::emulated::classify_scores_cu, "classify_scores", grid_per_item(1, 256), {}, input.device(),
                    700, ranked.device(), ranked_count.device(), 300, softmax, ids.device(), scores.device(),
                    count.device());
    const Ranked expected = by_definition(values, 300, softmax != 0);
    EXPECT_EQ(count.host()[0], 300);
    EXPECT_EQ(ids.values(), expected.ids);
    for (std::size_t i = 0; i < 300; ++i) EXPECT_NEAR(scores.host()[i], expected.scores[i], 1e-6);
  }
}

}  // namespace
}  // namespace vrt
