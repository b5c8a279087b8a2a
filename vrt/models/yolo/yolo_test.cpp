#include "vrt/models/yolo/yolo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/models/testing/constant_network.h"
#include "vrt/models/testing/device_boxes.h"
#include "vrt/models/testing/device_data.h"
#include "vrt/models/testing/payload_test.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::HasSubstr;
using Metadata = std::map<std::string, std::string>;

const Metadata kTwoClasses{{"task", "detect"}, {"names", "{0: 'cat', 1: 'dog'}"}, {"stride", "32"}};

// Two objects among 21 cells: a dog of 16×8 around (32, 16), a cat of 10×10 at the upper left corner.
testing::ConstantOutput two_objects(std::int64_t extra = 0) {
  constexpr std::size_t kCells = 42;
  std::vector<float> values(static_cast<std::size_t>(6 + extra) * kCells, 0);
  const auto set = [&](std::size_t cell, const std::vector<float>& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) values[i * kCells + cell] = numbers[i];
  };
  set(5, {32, 16, 16, 8, 0.1F, 0.875F});
  set(20, {5, 5, 10, 10, 0.75F, 0});
  return {"output0", {1, 6 + extra, kCells}, values};
}

class YoloTest : public testing::PayloadTest {
 protected:
  [[nodiscard]] Engine open(const std::vector<testing::ConstantOutput>& outputs,
                            const Metadata& metadata = kTwoClasses) const {
    return PayloadTest::open(testing::constant_network(32, 64, outputs, metadata));
  }
  [[nodiscard]] const ImageView& view() const { return black_.view; }

  static constexpr Size kPicture{128, 64};
  testing::TestPicture black_ = picture(kPicture);
};

TEST_P(YoloTest, GivesObjectsWithTheNamesOfTheModel) {
  Yolo detector(open({two_objects()}), stream_);
  EXPECT_EQ(detector.task(), YoloTask::kDetect);
  EXPECT_EQ(detector.layout(), YoloLayout::kPlanes);
  EXPECT_EQ(detector.names()[1], "dog");
  YoloResult objects = detector.allocate_result();
  EXPECT_TRUE(objects.detections().empty());
  detector.submit(view(), objects);
  stream_.synchronize();
  ASSERT_EQ(objects.detections().size(), 2U);
  EXPECT_EQ(objects.detections()[0].label, "dog");
  EXPECT_EQ(objects.detections()[0].class_id, 1);
  EXPECT_EQ(objects.detections()[0].score, 0.875F);
  EXPECT_EQ(objects.detections()[0].box, (Box{48, 24, 80, 40}));
  EXPECT_EQ(objects.detections()[1].label, "cat");
  EXPECT_EQ(objects.detections()[1].box, (Box{0, 0, 20, 20}));
  EXPECT_EQ(objects.candidate_count(), 2);
  testing::expect_boxes_on_device(stream_, objects);
}

// A cell in each layout, found with `score`.
std::vector<testing::ConstantOutput> one_object(YoloLayout layout, float score) {
  if (layout == YoloLayout::kEndToEnd) return {{"found", {1, 1, 6}, {10, 10, 20, 20, score, 1}}};
  std::vector<float> values(7 * 42, 0);
  const float object[] = {32, 16, 16, 8, score, 1, 0};  // With objectness: one class is sure.
  const bool in_planes = layout == YoloLayout::kPlanes;
  for (std::size_t i = 0; i < (in_planes ? 6U : 7U); ++i) values[in_planes ? i * 42 + 5 : 5 * 7 + i] = object[i];
  values.resize((in_planes ? 6 : 7) * 42);
  if (in_planes) values[5 * 42 + 5] = 0;
  return {{"found", in_planes ? std::vector<std::int64_t>{1, 6, 42} : std::vector<std::int64_t>{1, 42, 7}, values}};
}

TEST_P(YoloTest, ScoresThatAreNoProbabilitiesAreRefusedByTheOutputsName) {
  for (const YoloLayout layout : {YoloLayout::kPlanes, YoloLayout::kV5, YoloLayout::kEndToEnd}) {
    for (const float score : {0.5F, 1.0F, 1.0000001F, 1.001F, 1.1F, 7.5F}) {
      Yolo detector(open(one_object(layout, score)), stream_, {.layout = layout});
      YoloResult objects = detector.allocate_result();
      detector.submit(view(), objects);
      stream_.synchronize();
      if (score < 1.01F) {
        ASSERT_EQ(objects.detections().size(), 1U) << score;
        EXPECT_EQ(objects.detections()[0].score, score);
      } else {
        const Error error = error_of([&] { (void)objects.detections(); });
        EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
        EXPECT_THAT(error.what(), HasSubstr("network.onnx: the output 'found' gives a score of"));
      }
    }
  }
}

TEST_P(YoloTest, AFrameCostsOneWaitAndNothingElse) {
  const testing::ConstantOutput prototypes{"output1", {1, 4, 8, 16}, std::vector<float>(4 * 8 * 16, 0.5F)};
  Yolo detector(open({two_objects(4), prototypes}, {{"task", "segment"}, {"names", "{0: 'cat', 1: 'dog'}"}}), stream_);
  YoloResult objects = detector.allocate_result({.masks = {.size = kPicture, .most = 10, .read_back = true}});
  expect_one_wait_a_frame([&] { detector.submit(view(), objects); },
                          [&] { (void)objects.detections(), (void)objects.mask(0); });
}

TEST_P(YoloTest, YoloxIsStatedByTheCallerOrTheFile) {
  constexpr std::size_t kValues = 7;
  std::vector<float> values(42 * kValues, 0);  // 8×4, 4×2 and 2×1 cells.
  const std::vector<float> dog{0.5F, 0.5F, std::log(2.0F), 0, 0.5F, 0.25F, 1};
  std::ranges::copy(dog, values.begin() + (32 + 5) * kValues);  // Of 16 pixels: column 1, row 1.
  const testing::ConstantOutput output{"output", {1, 42, kValues}, values};
  Metadata metadata{{"names", "{0: 'cat', 1: 'dog'}"}};
  EXPECT_THAT(error_of([&] { Yolo(open({output}, metadata), stream_); }).what(), HasSubstr("YoloOptions::layout"));
  const auto expect_dog = [&](const Engine& engine, const YoloOptions& options) {
    Yolo detector(engine, stream_, options);
    YoloResult objects = detector.allocate_result();
    const testing::TestPicture square = picture({64, 64});  // Half the input's width, on the left.
    detector.submit(square.view, objects);
    stream_.synchronize();
    ASSERT_EQ(objects.detections().size(), 1U);
    EXPECT_EQ(objects.detections()[0].label, "dog");
    EXPECT_EQ(objects.detections()[0].score, 0.5F);
    EXPECT_NEAR(objects.detections()[0].box.x1, 16, 1e-3);
    EXPECT_NEAR(objects.detections()[0].box.y1, 32, 1e-3);
    EXPECT_NEAR(objects.detections()[0].box.x2, 64, 1e-3);
    EXPECT_NEAR(objects.detections()[0].box.y2, 64, 1e-3);
  };
  expect_dog(open({output}, metadata), {.layout = YoloLayout::kYolox});
  metadata["yolo_layout"] = "yolox";
  expect_dog(open({output}, metadata), {});
}

TEST_P(YoloTest, SeveralCamerasInOneSubmit) {
  const std::string model = testing::constant_network(32, 64, {two_objects()}, kTwoClasses, -1);
  Yolo detector(PayloadTest::open(model, {.batch = {.largest = 4}}), stream_);
  const testing::TestPicture street = picture({128, 64});
  const testing::TestPicture yard = picture({640, 320});
  YoloResult in_street = detector.allocate_result();
  YoloResult in_yard = detector.allocate_result();
  const std::array<ImageView, 2> images{street.view, yard.view};
  const std::array<YoloResult*, 2> results{&in_street, &in_yard};
  detector.submit(images, results);
  stream_.synchronize();
  ASSERT_EQ(in_street.detections().size(), 2U);
  ASSERT_EQ(in_yard.detections().size(), 2U);
  EXPECT_EQ(in_street.detections()[0].box, (Box{48, 24, 80, 40}));
  EXPECT_EQ(in_yard.detections()[0].box, (Box{240, 120, 400, 200}));
}

TEST_P(YoloTest, MasksAreWhereTheyWereAskedFor) {
  auto with_masks = two_objects(1);
  with_masks.values[6 * 42 + 5] = 1;    // The dog's coefficient.
  with_masks.values[6 * 42 + 20] = -1;  // The cat's.
  const testing::ConstantOutput prototypes{"output1", {1, 1, 8, 16}, std::vector<float>(8 * 16, 0.5F)};
  Yolo detector(open({with_masks, prototypes}, {{"names", "{0: 'cat', 1: 'dog'}"}}), stream_);
  EXPECT_EQ(detector.task(), YoloTask::kSegment);
  YoloResult objects = detector.allocate_result({.masks = {.size = {128, 64}, .most = 2, .read_back = true}});
  YoloResult device_only = detector.allocate_result({.masks = {.size = {64, 32}, .most = 1}});
  YoloResult boxes = detector.allocate_result();
  detector.submit(view(), objects);
  detector.submit(view(), device_only);
  detector.submit(view(), boxes);
  stream_.synchronize();
  EXPECT_EQ(objects.mask_count(), 2U);
  EXPECT_EQ(count_set(objects.mask(0)), 32U * 16U);  // All of its box.
  EXPECT_TRUE(is_set(objects.mask(0), 48, 24));
  EXPECT_FALSE(is_set(objects.mask(0), 80, 24));
  EXPECT_EQ(count_set(objects.mask(1)), 0U);
  EXPECT_THROW((void)objects.mask(2), Error);
  EXPECT_EQ(device_only.mask_count(), 1U);
  EXPECT_THROW((void)device_only.mask(0), Error);
  const DeviceMaskView small = device_only.device_mask(0);
  const auto words = testing::to_host(stream_, small.words, small.words.size());
  EXPECT_EQ(count_set({small.size, words}), 16U * 8U);
  EXPECT_EQ(boxes.mask_count(), 0U);
  EXPECT_THROW((void)boxes.device_mask(0), Error);
}

TEST_P(YoloTest, AFrameWithoutObjectsHasNoMasks) {
  auto with_masks = two_objects(1);
  std::fill(with_masks.values.begin() + 6 * 42, with_masks.values.end(), 1.0F);
  const testing::ConstantOutput prototypes{"output1", {1, 1, 8, 16}, std::vector<float>(8 * 16, 0.5F)};
  Yolo detector(
      PayloadTest::open(testing::lit_network(32, 64, {with_masks, prototypes}, {{"names", "{0: 'cat', 1: 'dog'}"}})),
      stream_);
  YoloResult objects = detector.allocate_result({.masks = {.size = kPicture, .most = 2, .read_back = true}});
  const testing::TestPicture bright = picture(kPicture, 200);
  expect_masks_of_each_frame(detector, objects, view(), bright.view, [&](std::size_t found) {
    for (std::size_t i = 0; i < found; ++i) EXPECT_GT(count_set(objects.mask(i)), 0U);
  });
}

TEST_P(YoloTest, WhatTheCallerSaysCountsMoreThanTheFile) {
  const Engine engine = open({two_objects()}, {{"names", "{0: 'only'}"}});
  EXPECT_THAT(error_of([&] { Yolo(engine, stream_); }).what(), HasSubstr("network.onnx"));
  const Yolo detector(engine, stream_, {.names = ClassNames({"x", "y"})});
  EXPECT_EQ(detector.names()[1], "y");
}

TEST_P(YoloTest, OptionsOutOfRangeAreRefused) {
  const Engine engine = open({two_objects()});
  EXPECT_THROW(Yolo(engine, stream_, {.score_threshold = 1.5F}), Error);
  EXPECT_THROW(Yolo(engine, stream_, {.nms_threshold = -0.1F}), Error);
  EXPECT_THROW(Yolo(engine, stream_, {.max_detections = 0}), Error);
  EXPECT_THROW(Yolo(engine, stream_, {.max_detections = Yolo::kMostDetections + 1}), Error);
  const Yolo detector(engine, stream_);
  EXPECT_THROW((void)detector.allocate_result({.masks = {.size = {10, 10}}}), Error);
  EXPECT_THROW((void)Yolo::open_engine("any.onnx", GetParam(), {100, 64}), Error);
}

INSTANTIATE_TEST_SUITE_P(Devices, YoloTest, ::testing::ValuesIn(testing::devices_of_engines()), testing::device_name);

}  // namespace
}  // namespace vrt
