#include "vrt/pipeline/families/recognition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/pipeline/testing/family_networks.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Metadata;
using ::testing::Not;

class RecognitionTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string family_of(const std::string& network) const {
    return std::string(recognise_family(folder_.write("net.onnx", network)).name);
  }
  [[nodiscard]] std::string refusal_of(const std::string& network, ErrorCode code = ErrorCode::kInvalidArgument) const {
    const Error error = error_of([&] { (void)family_of(network); });
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  testing::ScopedFolder folder_;
};

TEST_F(RecognitionTest, ShapesTellTheFamilies) {
  EXPECT_EQ(recognise_family(VRT_TEST_CENTERFACE).name, "centerface");
  EXPECT_EQ(family_of(testing::yolo_network({})), "yolo");
  EXPECT_EQ(family_of(testing::yolo_network()), "yolo");
  EXPECT_EQ(family_of(testing::yolo_seg_network()), "yolo");
  const std::vector<testing::ConstantOutput> anchors{
      {"output", {1, 252, 7}, std::vector<float>(252 * 7)}};  // v5's, of two classes.
  EXPECT_EQ(family_of(testing::constant_network(64, 64, anchors)), "yolo");
  const std::vector<testing::ConstantOutput> cells{{"output", {1, 84, 7}, std::vector<float>(84 * 7)}};
  EXPECT_EQ(family_of(testing::constant_network(64, 64, cells, {{"yolo_layout", "yolox"}})), "yolo");
  EXPECT_EQ(family_of(testing::rfdetr_network()), "rfdetr");
  EXPECT_EQ(family_of(testing::rfdetr_seg_network()), "rfdetr-seg");
  EXPECT_EQ(family_of(testing::rfdetr_keypoints_network()), "rfdetr-keypoints");
  EXPECT_EQ(family_of(testing::xfeat_network()), "xfeat");
  EXPECT_EQ(family_of(testing::osnet_network(16)), "osnet");
  EXPECT_EQ(family_of(testing::classifier_network()), "classifier");
}

TEST_F(RecognitionTest, TheMetadataOfExportersCounts) {
  EXPECT_EQ(family_of(testing::rfdetr_network({{"task", "detect"}})), "rfdetr");
  EXPECT_EQ(family_of(testing::rfdetr_seg_network({{"task", "segment"}})), "rfdetr-seg");
  EXPECT_EQ(family_of(testing::rfdetr_keypoints_network({{"task", "pose"}})), "rfdetr-keypoints");
  EXPECT_EQ(family_of(testing::xfeat_network({{"task", "features"}})), "xfeat");
  EXPECT_EQ(family_of(testing::depth_network({{"task", "depth"}, {"depth", "metric"}})), "depth");
  EXPECT_EQ(family_of(testing::depth_network({{"task", "depth"}, {"depth", "relative"}})), "relative-depth");
  EXPECT_EQ(family_of(testing::depth_network({{"depth", "relative"}})), "relative-depth");
  EXPECT_EQ(family_of(testing::classifier_network({{"task", "something of its own"}})), "classifier");
}

TEST_F(RecognitionTest, DepthThatDoesNotSayWhetherItIsMetresIsLeftToTheUser) {
  const std::string refused = refusal_of(testing::depth_network({}));
  EXPECT_THAT(refused, AllOf(HasSubstr("several families (depth, relative-depth)"),
                             HasSubstr("'depth' float32 [1, 28, 28]"), HasSubstr("'images' float32 [1, 3, 28, 28]"),
                             HasSubstr("metadata none"), HasSubstr("say which, as in depth:")));
  EXPECT_THAT(refusal_of(testing::depth_network({{"task", "depth"}})), HasSubstr("depth, relative-depth"));
}

TEST_F(RecognitionTest, AnOsNetForOneCropCouldBeAClassifier) {
  EXPECT_THAT(refusal_of(testing::osnet_network(1)), HasSubstr("several families (osnet, classifier)"));
}

TEST_F(RecognitionTest, WhatIsNoFamilysIsListed) {
  testing::OnnxGraph graph;
  graph.input("sound", {1, 16000});
  graph.node("Relu", {"sound"}, "louder");
  graph.output("louder", {1, 16000});
  EXPECT_THAT(refusal_of(graph.bytes()),
              AllOf(HasSubstr("net.onnx: a network of no family"), HasSubstr("centerface, yolo, rfdetr"),
                    HasSubstr("inputs 'sound' float32 [1, 16000]"), HasSubstr("outputs 'louder' float32 [1, 16000]"),
                    HasSubstr("say which in front of its name: FAMILY:"), Not(HasSubstr("centerface:"))));
}

TEST_F(RecognitionTest, KeypointsOfAnUnknownSchemaAreNotTakenForMasks) {
  auto outputs = testing::rfdetr_outputs(91);
  outputs.push_back({"keypoints", {1, 10, 17, 8}, std::vector<float>(10 * 17 * 8)});
  EXPECT_EQ(family_of(testing::constant_network(64, 64, outputs)), "rfdetr-keypoints");
  outputs.back() = {"keypoints", {1, 10, 20, 8}, std::vector<float>(10 * 20 * 8)};
  EXPECT_THAT(refusal_of(testing::constant_network(64, 64, outputs)), HasSubstr("of no family"));
  EXPECT_THAT(refusal_of(testing::constant_network(64, 64, outputs, {{"task", "pose"}})), HasSubstr("of no family"));
}

TEST_F(RecognitionTest, OtherTasksOfUltralyticsAreRefusedByName) {
  const std::string refused =
      refusal_of(testing::classifier_network(testing::ultralytics("classify")), ErrorCode::kUnsupported);
  EXPECT_THAT(refused, AllOf(HasSubstr("'classify'"), HasSubstr("detect, segment and pose")));
}

TEST_F(RecognitionTest, NetworksThatLeaveExtentsOpenAreToldToo) {
  testing::OnnxGraph cells;  // As an exporter with open batch and sizes writes it.
  cells.input("images", {-1, 3, -1, -1});
  cells.output("output0", {-1, 84, -1});
  EXPECT_EQ(family_of(cells.bytes()), "yolo");
  testing::OnnxGraph features;
  features.input("image", {-1, 3, -1, -1});
  features.output("a", {-1, 64, -1, -1});
  features.output("b", {-1, 1, -1, -1});
  features.output("c", {-1, 1, -1, -1});
  EXPECT_EQ(family_of(features.bytes()), "xfeat");
  testing::OnnxGraph queries;
  queries.input("image", {-1, 3, 64, 64});
  queries.output("dets", {-1, 10, 4});
  queries.output("labels", {-1, 10, 91});
  EXPECT_EQ(family_of(queries.bytes()), "rfdetr");
  testing::OnnxGraph crops;
  crops.input("crops", {-1, 3, 256, 128});
  crops.output("embeddings", {-1, 512});
  EXPECT_THAT(refusal_of(crops.bytes()), HasSubstr("several families (osnet, classifier)"));
  testing::OnnxGraph all_open;
  all_open.input("image", {-1, 3, -1, -1});
  all_open.output("map", {-1, -1, -1});
  EXPECT_THAT(refusal_of(all_open.bytes()), HasSubstr("several families (depth, relative-depth)"));
}

TEST_F(RecognitionTest, NetworksOfAFixedBatchAreToldAsTheirPayloadsTakeThem) {
  const auto batch_of_4 = [&](const std::vector<testing::ConstantOutput>& outputs, const Metadata& metadata = {},
                              std::int64_t side = 64) {
    return family_of(testing::constant_network(side, side, outputs, metadata, 4));
  };
  EXPECT_EQ(batch_of_4({{"output0", {1, 6, 84}, std::vector<float>(6 * 84)}}), "yolo");
  EXPECT_EQ(batch_of_4(testing::rfdetr_outputs(91)), "rfdetr");
  auto with_masks = testing::rfdetr_outputs(91);
  with_masks.push_back({"masks", {1, 10, 16, 16}, std::vector<float>(2560)});
  EXPECT_EQ(batch_of_4(with_masks), "rfdetr-seg");
  EXPECT_EQ(batch_of_4({{"depth", {1, 28, 28}, std::vector<float>(784)}}, {{"depth", "metric"}}, 28), "depth");
  EXPECT_EQ(family_of(testing::osnet_network(4)), "osnet");
}

TEST_F(RecognitionTest, DamagedMetadataIsNotTakenForAnotherFamilys) {
  auto outputs = testing::rfdetr_outputs(91);
  outputs.push_back({"keypoints", {1, 10, 17, 8}, std::vector<float>(10 * 17 * 8)});
  const auto damaged = [&](const Metadata& metadata) {
    return refusal_of(testing::constant_network(64, 64, outputs, metadata), ErrorCode::kCorrupt);
  };
  EXPECT_THAT(damaged({{"keypoints_per_class", "[17"}}),
              AllOf(HasSubstr("net.onnx: the model's metadata"), HasSubstr("expected ']'")));
  outputs = {{"output0", {1, 84, 7}, std::vector<float>(84 * 7)}};
  EXPECT_THAT(damaged({{"yolo_layout", "v9"}}), HasSubstr("expected v5 or yolox as yolo_layout"));
  EXPECT_EQ(family_of(testing::classifier_network({{"names", "[\"a list\"]"}})), "classifier") << "not YOLO's names";
}

TEST_F(RecognitionTest, AFileThatIsNoneIsNamed) {
  EXPECT_EQ(error_of([] { (void)recognise_family("/nowhere/net.onnx"); }).code(), ErrorCode::kNotFound);
  EXPECT_THAT(refusal_of("not a network", ErrorCode::kCorrupt), HasSubstr("net.onnx"));
}

TEST(FamilyTest, NamesAreUniqueAndOthersAreRefusedWithThem) {
  for (const ModelFamily* family : model_families()) {
    EXPECT_EQ(&find_family(family->name), family);
    EXPECT_FALSE(family->title.empty());
    EXPECT_TRUE(family->fits != nullptr && family->open != nullptr && family->make != nullptr) << family->name;
  }
  const Error error = error_of([] { (void)find_family("yolov5"); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("'yolov5'"), HasSubstr("centerface, yolo, rfdetr, rfdetr-seg")));
}

}  // namespace
}  // namespace vrt
