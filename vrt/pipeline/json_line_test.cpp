#include "vrt/pipeline/json_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/scene/mask_rle.h"

namespace vrt {
namespace {

using test::error_of;

ModelFindings findings_of(std::string_view model, std::span<const Detection> detections) {
  ModelFindings findings;
  findings.model = model;
  findings.detections = detections;
  return findings;
}

std::string line_of(const FrameRecord& record) {
  std::string line;
  append_json_line(line, record);
  return line;
}

TEST(JsonLineTest, LooksExactlyAsDocumented) {
  const Keypoint keypoints[] = {{70.5F, 60, 1}, {90, 61.25F, 0.5F}};
  const Detection detections[] = {{{57.5F, 32, 104.25F, 90}, 0.93F, 0, "face", keypoints},
                                  {{0, 1, 2, 3}, 0.5F, 7, "", {}}};
  const ModelFindings models[] = {findings_of("centerface", detections)};
  EXPECT_EQ(line_of({"clip.mp4", 17, 0.567, {176, 144}, models}),
            R"({"source": "clip.mp4", "frame": 17, "time": 0.567, "width": 176, "height": 144, "detections": [)"
            R"({"box": [57.5, 32, 104.25, 90], "score": 0.93, "class": 0, "label": "face", )"
            R"("keypoints": [[70.5, 60, 1], [90, 61.25, 0.5]], "model": "centerface"}, )"
            R"({"box": [0, 1, 2, 3], "score": 0.5, "class": 7, "label": "", "keypoints": [], "model": "centerface"}]})"
            "\n");
}

TEST(JsonLineTest, AFrameWithoutDetectionsHasAnEmptyList) {
  EXPECT_EQ(line_of({"a", 0, 0, {1, 1}, {}}),
            "{\"source\": \"a\", \"frame\": 0, \"time\": 0, \"width\": 1, \"height\": 1, \"detections\": []}\n");
}

TEST(JsonLineTest, EveryFloatReadsBackAsItWas) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::uint32_t bits = static_cast<std::uint32_t>(random());
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const Detection detections[] = {{{value, 0, 0, 0}, 0.1F, 0, "", {}}};
    const ModelFindings models[] = {findings_of("", detections)};
    const double time = static_cast<double>(random()) / 30.0;
    const auto parsed = nlohmann::json::parse(line_of({"", 0, time, {1, 1}, models}));
    EXPECT_EQ(static_cast<float>(parsed["detections"][0]["box"][0].get<double>()), value);
    EXPECT_EQ(parsed["time"].get<double>(), time);
  }
}

TEST(JsonLineTest, NamesAreEscapedAndReadBack) {
  for (const std::string name : {"plain", "quo\"te", "back\\slash", "tab\tline\nbell\a", "żółć 顔 😀", "\x7f"}) {
    EXPECT_EQ(nlohmann::json::parse(line_of({name, 0, 0, {1, 1}, {}}))["source"].get<std::string>(), name);
  }
}

TEST(JsonLineTest, WhatIsNotUtf8IsReplaced) {
  const std::string mark = "\xEF\xBF\xBD";
  const std::pair<std::string, std::string> cases[] = {
      {"caf\xe9.mp4", "caf" + mark + ".mp4"},           // Latin-1
      {"\xc0\xaf", mark + mark},                        // overlong
      {"\xed\xa0\x80", mark + mark + mark},             // surrogate
      {"\xf4\x90\x80\x80", mark + mark + mark + mark},  // above U+10FFFF
      {"cut \xe9\xa1", "cut " + mark + mark}};          // ends in the middle
  for (const auto& [name, expected] : cases) {
    EXPECT_EQ(nlohmann::json::parse(line_of({name, 0, 0, {1, 1}, {}}))["source"].get<std::string>(), expected);
  }
}

TEST(JsonLineTest, DetectionsOfSeveralNetworksAreOneListInTheirOrder) {
  const Detection faces[] = {{{0, 0, 1, 1}, 0.2F, 0, "face", {}}};
  const Detection objects[] = {{{0, 0, 1, 1}, 0.9F, 1, "person", {}}, {{0, 0, 1, 1}, 0.8F, 3, "car", {}}};
  const ModelFindings models[] = {findings_of("faces", faces), findings_of("depth", {}),
                                  findings_of("objects", objects)};
  const auto line = nlohmann::json::parse(line_of({"", 0, 0, {1, 1}, models}));
  std::vector<std::string> found;
  for (const auto& detection : line["detections"])
    found.push_back(detection["model"].get<std::string>() + " " + detection["label"].get<std::string>());
  EXPECT_THAT(found, ::testing::ElementsAre("faces face", "objects person", "objects car"));
  for (const char* field : {"classes", "features", "depth"}) EXPECT_FALSE(line.contains(field)) << field;
}

TEST(JsonLineTest, MasksAreCocosCompressedRunLengths) {
  const std::uint32_t words[] = {0b001, 0b101, 0b000};
  const MaskView masks[] = {{{3, 3}, words}};
  const Detection detections[] = {{{0, 0, 3, 3}, 0.5F, 0, "", {}}, {{0, 0, 3, 3}, 0.5F, 0, "", {}}};
  ModelFindings findings = findings_of("seg", detections);
  findings.masks = masks;
  const auto line = nlohmann::json::parse(line_of({"", 0, 0, {3, 3}, {&findings, 1}}));
  const auto& mask = line["detections"][0]["mask"];
  EXPECT_EQ(mask["size"], (nlohmann::json{3, 3}));
  EXPECT_EQ(parse_coco_rle_text(mask["counts"].get<std::string>()), coco_run_lengths(masks[0]));
  EXPECT_FALSE(line["detections"][1].contains("mask")) << "it has none";
}

TEST(JsonLineTest, RunLengthsWithABackslashReadBack) {
  const std::uint32_t runs[] = {0, 44, 956};  // 44 is written as backslash and '1'.
  ASSERT_THAT(coco_rle_text(runs), ::testing::HasSubstr("\\"));
  const std::vector<std::uint32_t> words = mask_of_run_lengths(runs, {10, 100});
  const MaskView masks[] = {{{10, 100}, words}};
  const Detection detections[] = {{{0, 0, 1, 1}, 0.5F, 0, "", {}}};
  ModelFindings findings = findings_of("", detections);
  findings.masks = masks;
  const auto line = nlohmann::json::parse(line_of({"", 0, 0, {10, 100}, {&findings, 1}}));
  EXPECT_EQ(line["detections"][0]["mask"]["counts"], coco_rle_text(runs));
}

TEST(JsonLineTest, EmbeddingsGoToTheBoxesThatTheyAreOf) {
  const Detection boxes[] = {
      {{0, 0, 1, 1}, 0.9F, 0, "", {}}, {{0, 0, 1, 1}, 0.8F, 0, "", {}}, {{0, 0, 1, 1}, 0.7F, 0, "", {}}};
  const float values[] = {0.25F, -0.5F, 1, 0};
  ModelFindings embedder = findings_of("osnet", {});
  embedder.embeddings = EmbeddingFindings{.of = 1, .size = 2, .values = values};
  const ModelFindings models[] = {findings_of("a", boxes), findings_of("b", boxes), embedder};
  const auto line = nlohmann::json::parse(line_of({"", 0, 0, {1, 1}, models}));
  const auto& detections = line["detections"];
  ASSERT_EQ(detections.size(), 6);
  EXPECT_EQ(line["not_embedded"], 1) << "of b's boxes; nobody embeds a's";
  EXPECT_EQ(detections[3]["embedding"], (nlohmann::json{0.25, -0.5}));
  EXPECT_EQ(detections[4]["embedding"], (nlohmann::json{1, 0}));
  for (const std::size_t without : {0, 1, 2, 5}) EXPECT_FALSE(detections[without].contains("embedding")) << without;
}

TEST(JsonLineTest, WhereAllBoxesAreEmbeddedNoneIsCounted) {
  const Detection boxes[] = {{{0, 0, 1, 1}, 0.9F, 0, "", {}}};
  const float values[] = {1, 0};
  ModelFindings embedder = findings_of("osnet", {});
  embedder.embeddings = EmbeddingFindings{.of = 0, .size = 2, .values = values};
  const ModelFindings all[] = {findings_of("a", boxes), embedder};
  EXPECT_FALSE(nlohmann::json::parse(line_of({"", 0, 0, {1, 1}, all})).contains("not_embedded"));
  embedder.embeddings->values = {};
  const ModelFindings none[] = {findings_of("a", {}), embedder};
  EXPECT_FALSE(nlohmann::json::parse(line_of({"", 0, 0, {1, 1}, none})).contains("not_embedded"));
}

TEST(JsonLineTest, TwoEmbeddingsOfOneBoxAreRefused) {
  ModelFindings embedder = findings_of("osnet", {});
  embedder.embeddings = EmbeddingFindings{.of = 0, .size = 1, .values = {}};
  const ModelFindings models[] = {findings_of("yolo", {}), embedder, embedder};
  std::string out = "before";
  const Error error = error_of([&] { append_json_line(out, {"", 0, 0, {1, 1}, models}); });
  EXPECT_THAT(error.what(), ::testing::HasSubstr("yolo"));
  EXPECT_EQ(out, "before");
}

TEST(JsonLineTest, ClassesFeaturesAndDepthLookAsDocumented) {
  const Classification classes[] = {{207, 0.75F, "retriever"}, {3, 0.125F, ""}};
  ModelFindings classifier = findings_of("resnet50", {});
  classifier.classes = classes;
  const Keypoint points[] = {{1.5F, 2, 0.25F}};
  ModelFindings features = findings_of("xfeat", {});
  features.features = points;
  const float metres[] = {2, 0, 4, 8};
  const float nearness[] = {-1, 3};
  ModelFindings depth = findings_of("depth", {});
  depth.depth = DepthMapView{{2, 2}, metres};
  depth.nearness = RelativeDepthMapView{{2, 1}, nearness};
  const ModelFindings models[] = {depth, classifier, features};
  EXPECT_EQ(line_of({"a", 0, 0, {4, 4}, models}),
            R"({"source": "a", "frame": 0, "time": 0, "width": 4, "height": 4, "detections": [], )"
            R"("classes": [{"model": "resnet50", "class": 207, "label": "retriever", "score": 0.75}, )"
            R"({"model": "resnet50", "class": 3, "label": "", "score": 0.125}], )"
            R"("features": [{"model": "xfeat", "keypoints": [[1.5, 2, 0.25]]}], )"
            R"("depth": [{"model": "depth", "unit": "metre", "width": 2, "height": 2, "known": 0.75, )"
            R"("min": 2, "median": 4, "max": 8}, {"model": "depth", "unit": "relative", "width": 2, "height": 1, )"
            R"("known": 1, "min": -1, "median": -1, "max": 3}]})"
            "\n");
}

TEST(JsonLineTest, DepthOfWhichNothingIsKnownIsNull) {
  const float metres[] = {0, -1};
  ModelFindings depth = findings_of("depth", {});
  depth.depth = DepthMapView{{2, 1}, metres};
  EXPECT_THAT(line_of({"a", 0, 0, {1, 1}, {&depth, 1}}),
              ::testing::HasSubstr(R"("known": 0, "min": null, "median": null, "max": null)"));
}

TEST(JsonLineTest, NumbersThatJsonCannotHoldAreRefused) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Detection scored[] = {{{0, 0, 1, 1}, nan, 0, "", {}}};
  const Detection sound[] = {{{0, 0, 1, 1}, 0.5F, 0, "", {}}};
  const Keypoint points[] = {{1, nan, 1}};
  const Classification classes[] = {{1, nan, ""}};
  const float values[] = {nan};
  ModelFindings features = findings_of("", {});
  features.features = points;
  ModelFindings classifier = findings_of("", {});
  classifier.classes = classes;
  ModelFindings embedder = findings_of("", sound);
  embedder.embeddings = EmbeddingFindings{.of = 0, .size = 1, .values = values};
  const std::pair<ModelFindings, const char*> cases[] = {{findings_of("", scored), "score"},
                                                         {features, "keypoint"},
                                                         {classifier, "class's score"},
                                                         {embedder, "embedding"}};
  for (const auto& [findings, field] : cases) {
    std::string out = "before";
    const Error error = error_of([&] { append_json_line(out, {"", 0, 0, {1, 1}, {&findings, 1}}); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), ::testing::HasSubstr(std::string("the ") + field + " of a frame is nan"));
    EXPECT_EQ(out, "before");
  }
}

}  // namespace
}  // namespace vrt
