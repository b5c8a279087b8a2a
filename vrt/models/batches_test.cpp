// Several pictures in one submit: each payload finds in every one of them what it finds in it alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/models/centerface/centerface.h"
#include "vrt/models/classifier/image_classifier.h"
#include "vrt/models/depth_anything/depth_anything.h"
#include "vrt/models/rfdetr/rfdetr.h"
#include "vrt/models/rfdetr/rfdetr_keypoints.h"
#include "vrt/models/rfdetr/rfdetr_seg.h"
#include "vrt/models/testing/constant_network.h"
#include "vrt/models/testing/payload_test.h"
#include "vrt/models/xfeat/xfeat.h"
#include "vrt/models/yolo/yolo.h"

namespace vrt {
namespace {

using test::error_of;
using testing::ConstantOutput;
using ::testing::HasSubstr;
using testing::TestPicture;
using Numbers = std::vector<float>;

constexpr std::int64_t kBatch = 4;

// An output whose numbers are `value`, but for those that are set, and what each of them gains with the picture's brightness.
class OutputMaker {
 public:
  OutputMaker(const std::string& name, const std::vector<std::int64_t>& shape, float value) : output_{name, shape, {}} {
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    output_.values.assign(count, value);
    output_.gains.assign(count, 0);
  }
  OutputMaker& set(std::size_t index, float value, float gain) {
    output_.values.at(index) = value;
    output_.gains.at(index) = gain;
    return *this;
  }
  OutputMaker& gain_everywhere(float gain) {
    std::ranges::fill(output_.gains, gain);
    return *this;
  }
  [[nodiscard]] const ConstantOutput& output() const { return output_; }

 private:
  ConstantOutput output_;
};

void append(Numbers& numbers, std::span<const Detection> detections) {
  for (const Detection& each : detections) {
    const Box& box = each.box;
    numbers.insert(numbers.end(), {box.x1, box.y1, box.x2, box.y2, each.score, static_cast<float>(each.class_id)});
    for (const Keypoint& point : each.keypoints) numbers.insert(numbers.end(), {point.x, point.y, point.confidence});
  }
}

template <typename Result>
void append_masks(Numbers& numbers, const Result& result) {
  for (std::size_t i = 0; i < result.mask_count(); ++i)
    numbers.push_back(static_cast<float>(count_set(result.mask(i))));
}

class BatchesTest : public testing::PayloadTest {
 protected:
  // A network for one picture, and for several: a fixed number, any up to it, at least two.
  [[nodiscard]] std::vector<Engine> engines(Size input, const std::vector<ConstantOutput>& outputs,
                                            const std::map<std::string, std::string>& metadata = {}) const {
    const auto network = [&](std::int64_t batch) {
      return testing::constant_network(input.height, input.width, outputs, metadata, batch);
    };
    return {open(network(1)), open(network(kBatch)), open(network(-1), {.batch = {.largest = kBatch}}),
            open(network(-1), {.batch = {.smallest = 2, .typical = 3, .largest = kBatch}})};
  }

  // What the first engine gives for each picture alone, the others give for any number of them together. `make` gives a payload,
  // `allocate` one of its results, `read` the numbers of that.
  template <typename Make, typename Allocate, typename Read>
  void expect_as_alone(const std::vector<Engine>& engines, const Make& make, const Allocate& allocate,
                       const Read& read) {
    std::vector<Numbers> expected;
    auto alone = make(engines[0]);
    auto result = allocate(alone);
    for (const ImageView& image : images_) {
      alone.submit(image, result);
      stream_.synchronize();
      expected.push_back(read(result));
      ASSERT_FALSE(expected.back().empty());
    }
    for (std::size_t i = 1; i < expected.size(); ++i) ASSERT_NE(expected[i], expected[i - 1]);
    for (const Engine& engine : std::span(engines).subspan(1)) {
      auto together = make(engine);
      for (std::size_t count = images_.size(); count > 0; --count)
        expect_together(together, count, expected, allocate, read);
    }
  }

  // The first `count` pictures, from the last to the first, then one of them.
  template <typename Payload, typename Allocate, typename Read>
  void expect_together(Payload& payload, std::size_t count, const std::vector<Numbers>& expected,
                       const Allocate& allocate, const Read& read) {
    using Result = decltype(allocate(payload));
    std::vector<Result> results;
    for (std::size_t i = 0; i < count; ++i) results.push_back(allocate(payload));
    std::vector<Result*> pointers;
    std::vector<ImageView> images;
    for (std::size_t i = count; i > 0; --i) {
      pointers.push_back(&results[i - 1]);
      images.push_back(images_[i - 1]);
    }
    payload.submit(images, pointers);
    stream_.synchronize();
    for (std::size_t i = 0; i < count; ++i) expect_equal(read(results[i]), expected[i]);
    payload.submit(images_[0], results.back());
    stream_.synchronize();
    expect_equal(read(results.back()), expected[0]);
  }

  // On the CPU by every bit. A GPU's engines may round otherwise in another batch.
  void expect_equal(const Numbers& found, const Numbers& expected) const {
    if (GetParam().is_cpu()) {
      EXPECT_EQ(found, expected);
      return;
    }
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], expected[i], 1e-3 * (1 + std::abs(expected[i])));
  }

  // Of several sizes, each brighter than the one before, and all brighter than a letterbox's padding.
  std::array<TestPicture, kBatch> pictures_{picture({128, 64}, 130), picture({128, 64}, 170), picture({33, 71}, 210),
                                            picture({1, 1}, 250)};
  std::array<ImageView, kBatch> images_{pictures_[0].view, pictures_[1].view, pictures_[2].view, pictures_[3].view};
};

const auto kPlainResult = [](const auto& payload) { return payload.allocate_result(); };
const auto kDetections = [](const auto& result) {
  Numbers numbers;
  append(numbers, result.detections());
  return numbers;
};

TEST_P(BatchesTest, Faces) {
  constexpr std::int64_t kCells = 8 * 16;
  const auto heat = OutputMaker("heatmap", {1, 1, 8, 16}, 0).set(20, 0.5F, 1.0F / 1024).set(70, 0.7F, -1.0F / 2048);
  const auto scale = OutputMaker("scale", {1, 2, 8, 16}, 0.5F).set(20, 1, 1.0F / 512).set(kCells + 70, 1, 1.0F / 256);
  const auto offset = OutputMaker("offset", {1, 2, 8, 16}, 0).set(20, 0, 1.0F / 512);
  const auto landmarks = OutputMaker("landmarks", {1, 10, 8, 16}, 0.25F).gain_everywhere(1.0F / 1024);
  expect_as_alone(
      engines({64, 32}, {heat.output(), scale.output(), offset.output(), landmarks.output()}),
      [&](const Engine& engine) { return CenterFace(engine, stream_); }, kPlainResult, kDetections);
}

TEST_P(BatchesTest, YoloWithMasks) {
  constexpr std::size_t kCells = 42;
  auto objects = OutputMaker("output0", {1, 8, kCells}, 0);  // Box, two classes, two coefficients.
  objects.set(5, 32, 8).set(kCells + 5, 16, 0).set(2 * kCells + 5, 16, 4).set(3 * kCells + 5, 8, 0);
  objects.set(5 * kCells + 5, 0.5F, 0.25F).set(6 * kCells + 5, -1, 2).set(7 * kCells + 5, 1, 0);
  objects.set(20, 5, 0).set(kCells + 20, 5, 0).set(2 * kCells + 20, 10, 0).set(3 * kCells + 20, 10, 0);
  objects.set(4 * kCells + 20, 0.75F, -0.125F).set(6 * kCells + 20, 1, 0);
  auto prototypes = OutputMaker("output1", {1, 2, 8, 16}, 0.5F);
  for (std::size_t i = 0; i < 128; i += 3) prototypes.set(i, -1, 1.25F);
  const auto read = [](const YoloResult& result) {
    Numbers numbers = kDetections(result);
    append_masks(numbers, result);
    return numbers;
  };
  expect_as_alone(
      engines({64, 32}, {objects.output(), prototypes.output()}, {{"names", "{0: 'cat', 1: 'dog'}"}}),
      [&](const Engine& engine) { return Yolo(engine, stream_); },
      [](const Yolo& yolo) {
        return yolo.allocate_result({.masks = {.size = {64, 32}, .most = 4, .read_back = true}});
      },
      read);
}

TEST_P(BatchesTest, YoloEndToEndPose) {
  auto objects = OutputMaker("output0", {1, 60, 12}, 0);  // Box, score, class, two points.
  for (std::size_t i = 0; i < 12; ++i) objects.set(12 + i, static_cast<float>(i), 2);
  objects.set(12 + 2, 30, 4).set(12 + 3, 30, 4).set(12 + 4, 0.5F, 0.25F).set(12 + 5, 0, 0);
  expect_as_alone(
      engines({64, 32}, {objects.output()}, {{"task", "pose"}, {"kpt_shape", "[2, 3]"}, {"names", "{0: 'person'}"}}),
      [&](const Engine& engine) { return Yolo(engine, stream_); }, kPlainResult, kDetections);
}

// Boxes and logits of six queries, two of which are something.
std::vector<ConstantOutput> rfdetr_outputs(std::int64_t columns) {
  const auto boxes = OutputMaker("dets", {1, 6, 4}, 0.25F).set(4, 0.5F, 1.0F / 64).set(17, 0.5F, 1.0F / 128);
  auto logits = OutputMaker("labels", {1, 6, columns}, -9);
  logits.set(static_cast<std::size_t>(columns + 1), 1, 0.5F).set(static_cast<std::size_t>(4 * columns + 1), 4, -0.5F);
  return {boxes.output(), logits.output()};
}

TEST_P(BatchesTest, RfDetrs) {
  expect_as_alone(
      engines({32, 32}, rfdetr_outputs(91)), [&](const Engine& engine) { return RfDetr(engine, stream_); },
      kPlainResult, kDetections);
}

TEST_P(BatchesTest, RfDetrsMasksAndAppearance) {
  std::vector<ConstantOutput> outputs = rfdetr_outputs(91);
  auto masks = OutputMaker("masks", {1, 6, 8, 8}, -1);
  for (std::size_t i = 0; i < 64; ++i) masks.set(64 + i, -static_cast<float>(i % 8), 4).set(256 + i, 1, 0);
  outputs.push_back(masks.output());
  outputs.push_back(OutputMaker("tokens", {1, 2, 2, 2}, 1).set(0, 1, 0.5F).set(7, 0, 0.25F).output());
  const auto allocate = [](const RfDetrSeg& detector) {
    return detector.allocate_result(
        {.masks = {.size = {64, 64}, .most = 4, .read_back = true}, .appearance = true, .read_back_appearance = true});
  };
  const auto read = [](const RfDetrSegResult& result) {
    Numbers numbers = kDetections(result);
    append_masks(numbers, result);
    for (std::size_t i = 0; i < result.detections().size(); ++i)
      numbers.insert(numbers.end(), result.appearance(i).begin(), result.appearance(i).end());
    return numbers;
  };
  expect_as_alone(
      engines({32, 32}, outputs), [&](const Engine& engine) { return RfDetrSeg(engine, stream_); }, allocate, read);
}

TEST_P(BatchesTest, RfDetrsKeypoints) {
  std::vector<ConstantOutput> outputs = rfdetr_outputs(2);
  outputs.push_back(OutputMaker("keypoints", {1, 6, 34, 8}, 2).gain_everywhere(0.25F).output());
  expect_as_alone(
      engines({32, 32}, outputs), [&](const Engine& engine) { return RfDetrKeypoints(engine, stream_); }, kPlainResult,
      kDetections);
}

TEST_P(BatchesTest, Depth) {
  const auto depth = OutputMaker("depth", {1, 4, 6}, 1).gain_everywhere(0.5F).set(3, 5, 2).set(11, -1, 0);
  const auto read = [](const DepthResult& result) {
    return Numbers(result.metres().metres.begin(), result.metres().metres.end());
  };
  expect_as_alone(
      engines({84, 56}, {depth.output()}), [&](const Engine& engine) { return DepthAnything(engine, stream_); },
      [](const DepthAnything& payload) { return payload.allocate_result({.size = {9, 7}, .read_back = true}); }, read);
}

TEST_P(BatchesTest, RelativeDepthOfMapsWithAChannel) {
  const auto depth = OutputMaker("depth", {1, 1, 4, 6}, 1).gain_everywhere(0.5F).set(3, 5, 2);
  const auto read = [](const RelativeDepthResult& result) {
    return Numbers(result.nearness().nearness.begin(), result.nearness().nearness.end());
  };
  expect_as_alone(
      engines({84, 56}, {depth.output()}), [&](const Engine& engine) { return RelativeDepthAnything(engine, stream_); },
      [](const RelativeDepthAnything& payload) { return payload.allocate_result({.read_back = true}); }, read);
}

TEST_P(BatchesTest, Features) {
  const auto heat = OutputMaker("heatmap", {1, 1, 32, 64}, 0).set(700, 0.5F, 0.25F).set(1500, 0.75F, -0.25F);
  const auto reliability = OutputMaker("reliability", {1, 1, 32, 64}, 0.5F).gain_everywhere(0.125F);
  auto descriptors = OutputMaker("descriptors", {1, 64, 4, 8}, 1);
  for (std::size_t i = 0; i < 64 * 32; i += 3) descriptors.set(i, 0.5F, 0.75F);
  const auto read = [](const XFeatResult& result) {
    Numbers numbers(result.host_descriptors().begin(), result.host_descriptors().end());
    for (const Keypoint& point : result.keypoints())
      numbers.insert(numbers.end(), {point.x, point.y, point.confidence});
    return numbers;
  };
  expect_as_alone(
      engines({64, 32}, {heat.output(), reliability.output(), descriptors.output()}),
      [&](const Engine& engine) { return XFeat(engine, stream_); },
      [](const XFeat& features) { return features.allocate_result({.read_back = true}); }, read);
}

TEST_P(BatchesTest, Classes) {
  const auto classes = OutputMaker("logits", {1, 10}, 0).set(2, 1, 0.5F).set(5, 2, -0.5F).set(9, 0, 1);
  const auto read = [](const ImageClassifierResult& result) {
    Numbers numbers;
    for (const Classification& each : result.classes())
      numbers.insert(numbers.end(), {static_cast<float>(each.class_id), each.score});
    return numbers;
  };
  expect_as_alone(
      engines({32, 32}, {classes.output()}), [&](const Engine& engine) { return ImageClassifier(engine, stream_); },
      kPlainResult, read);
}

TEST_P(BatchesTest, CostOneWaitAndNothingElse) {
  Yolo detector(engines({64, 32}, {OutputMaker("output0", {1, 6, 42}, 0.5F).output()})[1], stream_);
  std::vector<YoloResult> results;
  std::array<YoloResult*, kBatch> pointers{};
  for (std::int64_t i = 0; i < kBatch; ++i) results.push_back(detector.allocate_result());
  for (std::size_t i = 0; i < results.size(); ++i) pointers[i] = &results[i];
  expect_one_wait_a_frame([&] { detector.submit(images_, pointers); },
                          [&] {
                            for (const YoloResult& result : results) (void)result.detections();
                          });
}

TEST_P(BatchesTest, PicturesOfARingArePreprocessedInOneLaunch) {
  ImageClassifier classifier(engines({32, 32}, {OutputMaker("logits", {1, 3}, 1).output()})[1], stream_);
  std::vector<ImageClassifierResult> results;
  std::array<ImageClassifierResult*, kBatch> pointers{};
  for (std::int64_t i = 0; i < kBatch; ++i) results.push_back(classifier.allocate_result());
  for (std::size_t i = 0; i < results.size(); ++i) pointers[i] = &results[i];
  const TestPicture ring = picture({40, 30 * kBatch}, 100);
  std::array<ImageView, kBatch> images{};
  for (std::size_t i = 0; i < images.size(); ++i) {
    const std::uint8_t* slot = ring.view.planes[0].data + i * packed_bytes({40, 30}, PixelFormat::kRgb8);
    images[i] = ImageView::packed(GetParam(), slot, {40, 30}, PixelFormat::kRgb8);
  }
  const auto launches = [&] {
    const DeviceCounters before = counters(GetParam());
    classifier.submit(images, pointers);
    return (counters(GetParam()) - before).launches;
  };
  const std::uint64_t in_order = launches();
  std::ranges::reverse(images);  // No batch: strides are positive.
  EXPECT_EQ(launches(), in_order + kBatch - 1);
  stream_.synchronize();
}

TEST_P(BatchesTest, NoPicturesAreNothing) {
  ImageClassifier classifier(engines({32, 32}, {OutputMaker("logits", {1, 3}, 1).output()})[2], stream_);
  const DeviceCounters before = counters(GetParam());
  classifier.submit(std::span<const ImageView>(), std::span<ImageClassifierResult* const>());
  EXPECT_EQ(counters(GetParam()), before);
}

TEST_P(BatchesTest, WhatDoesNotFitIsRefused) {
  const auto all = engines({32, 32}, {OutputMaker("logits", {1, 3}, 1).output()});
  ImageClassifier single(all[0], stream_);
  ImageClassifier classifier(all[2], stream_);
  std::vector<ImageClassifierResult> results;
  for (std::int64_t i = 0; i <= kBatch; ++i) results.push_back(classifier.allocate_result());
  std::vector<ImageClassifierResult*> pointers;
  for (ImageClassifierResult& result : results) pointers.push_back(&result);
  std::vector<ImageView> images(images_.begin(), images_.end());
  images.push_back(images_[0]);
  const auto refusal = [&](ImageClassifier& payload, std::size_t count, std::size_t result_count) {
    const Error error =
        error_of([&] { payload.submit(std::span(images).first(count), std::span(pointers).first(result_count)); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return std::string(error.what());
  };
  EXPECT_THAT(refusal(single, 2, 2), HasSubstr("was opened for 1: give EngineOptions::batch a largest of 2"));
  EXPECT_THAT(refusal(classifier, 5, 5), HasSubstr("5 pictures in one submit"));
  EXPECT_THAT(refusal(classifier, 3, 2), HasSubstr("3 pictures and 2 results"));
  pointers[1] = pointers[0];
  EXPECT_THAT(refusal(classifier, 3, 3), HasSubstr("pictures 0 and 1 of one submit have the same result"));
  pointers[1] = nullptr;
  EXPECT_THAT(refusal(classifier, 3, 3), HasSubstr("result of picture 1 is null"));
}

TEST_P(BatchesTest, OutputsWithoutABatchAreRefused) {
  testing::OnnxGraph graph;
  graph.input("images", {2, 3, 32, 32});
  graph.node("ReduceMax", {"images"}, "greatest", {{"axes", {0, 2, 3}}, testing::OnnxGraph::integer("keepdims", 0)});
  graph.constant("axes", {0});
  graph.node("Unsqueeze", {"greatest", "axes"}, "logits");
  graph.output("logits", {1, 3});
  EXPECT_THAT(error_of([&] { ImageClassifier(open(graph.bytes()), stream_); }).what(),
              HasSubstr("takes 2 pictures, and its output 'logits' [1, 3]"));
}

INSTANTIATE_TEST_SUITE_P(Devices, BatchesTest, ::testing::ValuesIn(testing::devices_of_engines()),
                         testing::device_name);

}  // namespace
}  // namespace vrt
