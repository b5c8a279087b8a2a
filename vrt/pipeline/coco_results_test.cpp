#include "vrt/pipeline/coco_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/scene/mask_rle.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::ElementsAre;

FrameRecord frame(std::string_view source, std::int64_t number, std::span<const ModelFindings> models) {
  return {source, number, 0, {3, 2}, models};
}

TEST(CocoResultsTest, LooksExactlyAsDocumented) {
  const Keypoint joints[] = {{10.5F, 20, 0.75F}, {3, 4, 0}};
  const Detection detections[] = {{{10, 20.5F, 30, 60}, 0.875F, 1, "person", joints}, {{0, 0, 3, 2}, 0.5F, 90, "", {}}};
  const std::uint32_t words[] = {0b010, 0b010};
  const MaskView masks[] = {{{3, 2}, words}};
  ModelFindings model;
  model.detections = detections;
  model.masks = masks;
  CocoResults results(CocoImageId::kFileName);
  std::string text;
  results.append(text, frame("val/000000000007.jpg", 0, {}));
  results.append(text, frame("val/000000397133.jpg", 1, {&model, 1}));
  results.append_end(text);
  EXPECT_EQ(text,
            R"([
{"image_id": 397133, "category_id": 1, "bbox": [10, 20.5, 20, 39.5], "score": 0.875, )"
            R"("segmentation": {"size": [2, 3], "counts": "222"}, "keypoints": [10.5, 20, 2, 3, 4, 0]},
{"image_id": 397133, "category_id": 90, "bbox": [0, 0, 3, 2], "score": 0.5}
]
)");
}

TEST(CocoResultsTest, AnArrayWithoutResultsIsEmpty) {
  CocoResults nothing(CocoImageId::kFrame);
  std::string text;
  nothing.append_end(text);
  EXPECT_EQ(text, "[]\n");
  CocoResults frames(CocoImageId::kFrame);
  text.clear();
  for (int i = 0; i < 3; ++i) frames.append(text, frame("", i, {}));
  frames.append_end(text);
  EXPECT_EQ(text, "[]\n");
}

TEST(CocoResultsTest, FramesAndNetworksAreOneArray) {
  const Detection detections[] = {{{0, 0, 1, 1}, 0.5F, 5, "", {}}, {{0, 0, 1, 1}, 0.25F, 6, "", {}}};
  ModelFindings model;
  model.detections = detections;
  const ModelFindings models[] = {model, {}, model};
  CocoResults results(CocoImageId::kFrame);
  std::string text;
  results.append(text, frame("clip.mp4", 0, {}));
  for (int i = 1; i < 4; ++i) results.append(text, frame("clip.mp4", i, models));
  results.append_end(text);
  std::vector<int> images;
  for (const auto& result : nlohmann::json::parse(text)) images.push_back(result["image_id"]);
  EXPECT_THAT(images, ElementsAre(1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3));
}

TEST(CocoResultsTest, ClassesOfNetworksWithCocosNamesAreItsCategories) {
  const ClassNames dense = ClassNames::coco80();
  const ClassNames columns = ClassNames::coco91();
  const ClassNames pose({"person"});
  const ClassNames own({"person", "forklift"});
  const Detection detections[] = {
      {{0, 0, 1, 1}, 0.5F, 0, "", {}}, {{0, 0, 1, 1}, 0.5F, 79, "", {}}, {{0, 0, 1, 1}, 0.5F, 1, "", {}}};
  std::vector<ModelFindings> models;
  for (const ClassNames* names : {&dense, &columns, &pose, &own, static_cast<const ClassNames*>(nullptr)}) {
    models.emplace_back();
    models.back().detections = detections;
    models.back().names = names;
  }
  CocoResults results(CocoImageId::kFrame);
  std::string text;
  results.append(text, frame("", 0, models));
  results.append_end(text);
  std::vector<int> categories;
  for (const auto& result : nlohmann::json::parse(text)) categories.push_back(result["category_id"]);
  EXPECT_THAT(categories, ElementsAre(1, 90, 2, /**/ 79, 1, /**/ 1, /**/ 0, 79, 1, /**/ 0, 79, 1))
      << "class 1 of a network that names class 0 alone is not COCO's 1, a person";
}

TEST(CocoResultsTest, CategoriesOfTheDenseClassesAreThePublishedOnes) {
  // coco80_to_coco91 of the YOLO programs: the ids of COCO's annotation files, where eleven are left out.
  std::vector<std::int32_t> published;
  for (std::int32_t id = 1; id <= 90; ++id) {
    const std::vector<std::int32_t> gaps = {12, 26, 29, 30, 45, 66, 68, 69, 71, 83};
    if (std::find(gaps.begin(), gaps.end(), id) == gaps.end()) published.push_back(id);
  }
  EXPECT_EQ(coco_categories(ClassNames::coco80()), published);
  EXPECT_TRUE(coco_categories(ClassNames()).empty());
  EXPECT_TRUE(coco_categories(ClassNames({"", ""})).empty());
  EXPECT_THAT(coco_categories(ClassNames({"", "person"})), ElementsAre(-1, 1));
}

TEST(CocoResultsTest, NumbersOfFileNames) {
  EXPECT_EQ(coco_image_number("val2017/000000397133.jpg"), 397133);
  EXPECT_EQ(coco_image_number("7.png"), 7);
  EXPECT_EQ(coco_image_number("0.png"), 0);
  EXPECT_EQ(coco_image_number("9007199254740992.png"), std::int64_t{1} << 53);
  for (const char* name : {"", "a.jpg", "12a.jpg", "-3.jpg", "+3.jpg", "1.5.jpg", " 7.jpg", ".jpg", "12/",
                           "9007199254740993.png", "99999999999999999999999.png", "COCO_val2014_000000397133.jpg"}) {
    EXPECT_EQ(coco_image_number(name), std::nullopt) << name;
  }
}

TEST(CocoResultsTest, PicturesAreToldApartByNumbersOnlyIfAllAre) {
  const auto apart = [](std::vector<std::string> files) { return are_named_by_numbers(files); };
  EXPECT_TRUE(apart({"10.jpg", "9.png", "000011.jpg"}));
  EXPECT_FALSE(apart({"10.jpg", "cover.jpg"}));
  EXPECT_FALSE(apart({"1.jpg", "0001.png"})) << "one number twice";
}

TEST(CocoResultsTest, WhatCannotBeWrittenLeavesTheTextAsItWas) {
  const Detection good[] = {{{0, 0, 1, 1}, 0.5F, 0, "", {}}};
  const Detection bad[] = {good[0], {{0, 0, 1, std::numeric_limits<float>::infinity()}, 0.5F, 0, "", {}}};
  ModelFindings model;
  model.detections = bad;
  CocoResults results(CocoImageId::kFileName);
  std::string text;
  EXPECT_THAT(error_of([&] { results.append(text, frame("1.jpg", 0, {&model, 1})); }).what(),
              ::testing::HasSubstr("the box"));
  EXPECT_THAT(error_of([&] { results.append(text, frame("new.jpg", 0, {})); }).what(),
              ::testing::HasSubstr("'new.jpg'"));
  EXPECT_EQ(text, "");
  model.detections = good;
  results.append(text, frame("1.jpg", 0, {&model, 1}));
  results.append_end(text);
  EXPECT_EQ(nlohmann::json::parse(text).size(), 1);
}

}  // namespace
}  // namespace vrt
