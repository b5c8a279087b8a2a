#include "vrt/models/yolo/yolo_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/models/common/class_name_text.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::HasSubstr;

TensorInfo output(const std::string& name, const Shape& shape) { return {name, DType::kFloat32, shape, false}; }

YoloFacts facts_with(std::size_t classes, std::optional<YoloTask> task = {}) {
  YoloFacts facts;
  facts.task = task;
  facts.names = ClassNames(std::vector<std::string>(classes, "thing"));
  return facts;
}

YoloFormat recognise(const std::vector<TensorInfo>& outputs, const YoloFacts& facts = {}) {
  return recognise_yolo(outputs, facts);
}

std::string refusal(const std::vector<TensorInfo>& outputs, const YoloFacts& facts = {}) {
  const Error error = error_of([&] { (void)recognise(outputs, facts); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  return error.what();
}

TEST(YoloFormatTest, PlanesOfCells) {
  const YoloFormat format = recognise({output("output0", {1, 84, 8400})});
  EXPECT_EQ(format.task, YoloTask::kDetect);
  EXPECT_EQ(format.layout, YoloLayout::kPlanes);
  EXPECT_EQ(format.items, 8400);
  EXPECT_EQ(format.classes, 80);
  EXPECT_EQ(format.values(), 84);
  EXPECT_EQ(recognise({output("output0", {1, 5, 2100})}).classes, 1);
  EXPECT_EQ(recognise({output("output0", {1, 1004, 8400})}, facts_with(1000)).classes, 1000);
}

TEST(YoloFormatTest, EndToEndObjects) {
  const YoloFormat format = recognise({output("output0", {1, 300, 6})}, facts_with(80, YoloTask::kDetect));
  EXPECT_EQ(format.layout, YoloLayout::kEndToEnd);
  EXPECT_EQ(format.items, 300);
  EXPECT_EQ(format.values(), 6);
  EXPECT_EQ(recognise({output("output0", {1, 300, 6})}).layout, YoloLayout::kEndToEnd);
}

TEST(YoloFormatTest, MasksHavePrototypes) {
  const std::vector<TensorInfo> outputs{output("output1", {1, 32, 160, 120}), output("output0", {1, 116, 8400})};
  const YoloFormat format = recognise(outputs);
  EXPECT_EQ(format.task, YoloTask::kSegment);
  EXPECT_EQ(format.classes, 80);
  EXPECT_EQ(format.coefficients, 32);
  EXPECT_EQ(format.prototype_size, (Size{120, 160}));
  EXPECT_EQ(format.output, 1U);
  EXPECT_EQ(format.prototypes, 0U);
  const YoloFormat whole = recognise({output("a", {1, 300, 38}), output("b", {1, 32, 160, 160})}, facts_with(80));
  EXPECT_EQ(whole.layout, YoloLayout::kEndToEnd);
  EXPECT_EQ(whole.values(), 38);
}

TEST(YoloFormatTest, PoseByTaskOrNumberOfPoints) {
  YoloFacts facts = facts_with(1, YoloTask::kPose);
  EXPECT_EQ(recognise({output("output0", {1, 56, 8400})}, facts).keypoints, 17);
  facts.keypoints = 17;
  facts.keypoint_values = 2;
  EXPECT_EQ(recognise({output("output0", {1, 39, 8400})}, facts).values(), 39);
  EXPECT_EQ(recognise({output("output0", {1, 300, 57})}, facts_with(1, YoloTask::kPose)).keypoints, 17);
  YoloFacts points;
  points.keypoints = 17;
  const YoloFormat counted = recognise({output("output0", {1, 57, 8400})}, points);
  EXPECT_EQ(counted.task, YoloTask::kPose);
  EXPECT_EQ(counted.classes, 2);
}

YoloFacts facts_at(Size input, std::size_t classes = 0) {
  YoloFacts facts = classes > 0 ? facts_with(classes) : YoloFacts();
  facts.input = input;
  return facts;
}

TEST(YoloFormatTest, ARowAnAnchorIsOfV5AndV7) {
  const YoloFormat format = recognise({output("output0", {1, 25200, 85})}, facts_at({640, 640}, 80));
  EXPECT_EQ(format.layout, YoloLayout::kV5);
  EXPECT_EQ(format.items, 25200);
  EXPECT_EQ(format.classes, 80);
  EXPECT_EQ(format.values(), 85);
  EXPECT_EQ(recognise({output("output0", {1, 25200, 85})}, facts_at({640, 640})).classes, 80);
  EXPECT_EQ(recognise({output("output0", {1, 102000, 85})}, facts_at({1280, 1280})).layout, YoloLayout::kV5);  // P6
  EXPECT_EQ(recognise({output("output0", {1, 2535, 85})}, facts_at({416, 416})).layout, YoloLayout::kV5);  // Two grids.
  // One class: as many values as end-to-end objects have, but in numbers that only anchors come in.
  EXPECT_EQ(recognise({output("output0", {1, 25200, 6})}, facts_at({640, 640})).layout, YoloLayout::kV5);
  EXPECT_EQ(recognise({output("output0", {1, 300, 6})}, facts_at({640, 640})).layout, YoloLayout::kEndToEnd);
  EXPECT_EQ(recognise({output("output0", {1, 84, 8400})}, facts_at({640, 640})).layout, YoloLayout::kPlanes);
}

TEST(YoloFormatTest, V5sMasksHavePrototypes) {
  const YoloFormat format =
      recognise({output("output0", {1, 25200, 117}), output("output1", {1, 32, 160, 160})}, facts_at({640, 640}, 80));
  EXPECT_EQ(format.layout, YoloLayout::kV5);
  EXPECT_EQ(format.task, YoloTask::kSegment);
  EXPECT_EQ(format.classes, 80);
  EXPECT_EQ(format.extra(), 32);
}

TEST(YoloFormatTest, ARowACellIsYoloxRawOrDecoded) {
  const std::vector<TensorInfo> outputs{output("output", {1, 8400, 85})};
  EXPECT_THAT(refusal(outputs, facts_at({640, 640}, 80)), HasSubstr("can be read in 2 ways"));
  EXPECT_THAT(refusal(outputs, facts_at({640, 640})), HasSubstr("YoloOptions::layout"));
  YoloFacts facts = facts_at({640, 640}, 80);
  facts.layout = YoloLayout::kYolox;
  EXPECT_EQ(recognise(outputs, facts).classes, 80);
  EXPECT_EQ(recognise(outputs, facts).values(), 85);
  facts.layout = YoloLayout::kV5;
  EXPECT_EQ(recognise(outputs, facts).layout, YoloLayout::kV5);
  facts.layout = YoloLayout::kYolox;
  facts.input = {320, 320};
  EXPECT_THAT(refusal(outputs, facts), HasSubstr("2100 for an input of 320x320"));
  facts.task = YoloTask::kPose;
  EXPECT_THAT(refusal({output("output", {1, 2100, 57})}, facts), HasSubstr("[1, 2100, 57]"));
}

TEST(YoloFormatTest, RowsOfOtherNumbersNeedALayout) {
  YoloFacts facts = facts_at({640, 640}, 80);
  const std::vector<TensorInfo> outputs{output("output0", {1, 1000, 85})};
  EXPECT_THAT(refusal(outputs, facts), HasSubstr("YoloOptions::layout"));
  facts.layout = YoloLayout::kV5;
  EXPECT_EQ(recognise(outputs, facts).items, 1000);
}

TEST(YoloFormatTest, OrientedBoxesAreRefusedByName) {
  EXPECT_THAT(refusal({output("output0", {1, 20, 8400})}, facts_with(15)), HasSubstr("oriented boxes"));
  const Error error = error_of([] { (void)yolo_facts_of({{"task", "obb"}}); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("oriented"));
}

TEST(YoloFormatTest, WhatFitsNothingIsRefusedWithWhatWasMet) {
  EXPECT_THAT(refusal({output("output0", {1, 84, 8400})}, facts_with(20)), HasSubstr("20 classes"));
  EXPECT_THAT(refusal({output("output0", {1, 56, 8400})}, facts_with(1)), HasSubstr("YoloOptions::task"));
  EXPECT_THAT(refusal({output("output0", {1, 84, 8400})}, facts_with(20, YoloTask::kDetect)),
              HasSubstr("[1, 84, 8400]"));
  EXPECT_THAT(refusal({output("output0", {1, 25200, 85})}, facts_with(80, YoloTask::kDetect)),
              HasSubstr("[1, 25200, 85]"));
  EXPECT_THAT(refusal({output("a", {1, 84, 8400}), output("b", {1, 84, 8400})}), HasSubstr("'b'"));
  EXPECT_THAT(refusal({output("a", {8, 84, 8400})}), HasSubstr("[8, 84, 8400]"));
  EXPECT_THAT(refusal({}), HasSubstr("found none"));
  EXPECT_THAT(refusal({output("a", {1, 116, 8400})}, facts_with(80, YoloTask::kSegment)), HasSubstr("8400"));
  EXPECT_THAT(refusal({output("a", {1, 84, 8400}), output("b", {1, 32, 160, 160})}, facts_with(80, YoloTask::kSegment)),
              HasSubstr("'b'"));
}

TEST(YoloFormatTest, WhatCouldBeTwoThingsIsRefused) {
  EXPECT_THAT(refusal({output("output0", {1, 56, 8400})}), HasSubstr("YoloOptions::task"));
  YoloFacts facts;
  facts.task = YoloTask::kDetect;
  EXPECT_EQ(recognise({output("output0", {1, 56, 8400})}, facts).classes, 52);
}

TEST(YoloFactsTest, ReadsWhatUltralyticsWrites) {
  const YoloFacts facts = yolo_facts_of({{"task", "pose"},
                                         {"names", "{0: 'person', 1: \"driver's seat\", 3: 'a\\'b'}"},
                                         {"kpt_shape", "[17, 3]"},
                                         {"stride", "32"},
                                         {"end2end", "True"}});
  EXPECT_EQ(facts.task, YoloTask::kPose);
  EXPECT_EQ(facts.layout, YoloLayout::kEndToEnd);
  EXPECT_EQ(facts.keypoints, 17);
  EXPECT_EQ(facts.keypoint_values, 3);
  ASSERT_TRUE(facts.names);
  EXPECT_EQ(facts.names->size(), 4U);
  EXPECT_EQ((*facts.names)[1], "driver's seat");
  EXPECT_EQ((*facts.names)[2], "");
  EXPECT_EQ((*facts.names)[3], "a'b");
  EXPECT_FALSE(yolo_facts_of({}).task);
  EXPECT_FALSE(yolo_facts_of({{"end2end", "False"}}).layout);
  EXPECT_EQ(yolo_facts_of({{"yolo_layout", "yolox"}}).layout, YoloLayout::kYolox);
  EXPECT_EQ(yolo_facts_of({{"yolo_layout", "v5"}}).layout, YoloLayout::kV5);
}

TEST(YoloFactsTest, WhatCannotBeReadIsRefused) {
  for (const std::string names : {"", "{", "person", "{0 'person'}", "{0: person}", "{0: 'person'", "{-1: 'x'}",
                                  "{99999999: 'x'}", "{0: 'x' 1: 'y'}", "{0: 'x"}) {
    EXPECT_EQ(error_of([&] { (void)parse_class_names(names); }).code(), ErrorCode::kCorrupt) << names;
  }
  EXPECT_EQ(parse_class_names("{}").size(), 0U);
  EXPECT_EQ(error_of([] { (void)yolo_facts_of({{"yolo_layout", "v9"}}); }).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(error_of([] { (void)yolo_facts_of({{"kpt_shape", "[17, 4]"}}); }).code(), ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace vrt
