// Every family through the interface that a run uses, on small networks whose outputs are chosen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/device/allocation_count.h"
#include "vrt/device/counters.h"
#include "vrt/device/graph.h"
#include "vrt/pipeline/families/family.h"
#include "vrt/pipeline/families/network_input.h"
#include "vrt/pipeline/model_pool.h"
#include "vrt/pipeline/testing/family_networks.h"
#include "vrt/scene/mask.h"

namespace vrt {
namespace {

constexpr Size kPicture{100, 100};

void expect_box(const Detection& found, const Box& expected, float score) {
  EXPECT_NEAR(found.box.x1, expected.x1, 0.01);
  EXPECT_NEAR(found.box.y1, expected.y1, 0.01);
  EXPECT_NEAR(found.box.x2, expected.x2, 0.01);
  EXPECT_NEAR(found.box.y2, expected.y2, 0.01);
  EXPECT_NEAR(found.score, score, 1e-5);
}

/// One mask, of the columns from `first` to `last` in the picture's middle row.
void expect_columns(const ModelFindings& found, int first, int last) {
  ASSERT_EQ(found.masks.size(), 1U);
  EXPECT_EQ(found.masks[0].size, kPicture);
  for (const int x : {0, 10, 24, 26, 48, 52, 90}) EXPECT_EQ(is_set(found.masks[0], x, 50), x >= first && x < last) << x;
}

/// A family, a network of it, and what it finds in a picture of 100×100.
struct FamilyCase {
  std::string family;
  std::string network;
  std::int64_t count;
  std::function<void(const ModelFindings&)> check;
};

std::ostream& operator<<(std::ostream& out, const FamilyCase& test) { return out << test.family; }

const Box kMiddle{25, 25, 75, 75};

std::vector<FamilyCase> detectors() {
  return {
      {"yolo", testing::yolo_network(), 2,
       [](const ModelFindings& found) {
         ASSERT_EQ(found.detections.size(), 2U);
         expect_box(found.detections[0], kMiddle, 0.875F);
         expect_box(found.detections[1], {0, 0, 50, 50}, 0.75F);
         EXPECT_EQ(found.detections[0].label, "dog");
         EXPECT_TRUE(found.masks.empty());
         ASSERT_NE(found.names, nullptr);
         EXPECT_EQ(found.names->size(), 2U);
       }},
      {"yolo", testing::yolo_seg_network(), 1,
       [](const ModelFindings& found) {
         ASSERT_EQ(found.detections.size(), 1U);
         expect_columns(found, 25, 50);
       }},
      {"rfdetr", testing::rfdetr_network(), 1,
       [](const ModelFindings& found) {
         ASSERT_EQ(found.detections.size(), 1U);
         expect_box(found.detections[0], kMiddle, 0.880797F);
         EXPECT_EQ(found.detections[0].class_id, 90);
         ASSERT_NE(found.names, nullptr) << "91 columns are COCO's";
         EXPECT_EQ((*found.names)[90], "toothbrush");
       }},
      {"rfdetr-seg", testing::rfdetr_seg_network(), 1,
       [](const ModelFindings& found) {
         ASSERT_EQ(found.detections.size(), 1U);
         expect_columns(found, 0, 50);
       }},
      {"rfdetr-keypoints", testing::rfdetr_keypoints_network(), 1,
       [](const ModelFindings& found) {
         ASSERT_EQ(found.detections.size(), 1U);
         ASSERT_EQ(found.detections[0].keypoints.size(), 17U);
         EXPECT_NEAR(found.detections[0].keypoints[16].x, 50, 0.01);
         EXPECT_GT(found.detections[0].keypoints[16].confidence, 0.9);
       }},
  };
}

std::vector<FamilyCase> others() {
  return {
      {"depth", testing::depth_network({}), 1,
       [](const ModelFindings& found) {
         ASSERT_TRUE(found.depth.has_value());
         EXPECT_EQ(found.depth->size, kPicture);
         EXPECT_EQ(found.depth->metres[5050], 2);
         EXPECT_FALSE(found.nearness.has_value());
       }},
      {"relative-depth", testing::depth_network({}), 1,
       [](const ModelFindings& found) {
         ASSERT_TRUE(found.nearness.has_value());
         EXPECT_EQ(found.nearness->nearness[5050], 2);
         EXPECT_FALSE(found.depth.has_value());
       }},
      {"xfeat", testing::xfeat_network(), 1,
       [](const ModelFindings& found) {
         ASSERT_EQ(found.features.size(), 1U);
         EXPECT_NEAR(found.features[0].x, 40.5 * 100 / 64, 1e-4);
         EXPECT_NEAR(found.features[0].y, 24.5 * 100 / 64, 1e-4);
         EXPECT_EQ(found.features[0].confidence, 0.5);
       }},
      {"classifier", testing::classifier_network({{"names", "{0: 'a', 1: 'b', 2: 'c', 3: 'd', 4: 'e'}"}}), 5,
       [](const ModelFindings& found) {
         ASSERT_EQ(found.classes.size(), 5U);
         EXPECT_EQ(found.classes[0].class_id, 2);
         EXPECT_EQ(found.classes[0].label, "c");
       }},
  };
}

class FamiliesTest : public ::testing::TestWithParam<FamilyCase> {
 protected:
  [[nodiscard]] std::unique_ptr<FrameModel> open(const FrameModelOptions& options) const {
    const ModelFamily& family = find_family(GetParam().family);
    const auto file = folder_.write("net.onnx", GetParam().network);
    // XFeat's network is one for 64×64.
    const Size input = family.input_size_for != nullptr ? Size{64, 64} : Size{};
    return family.make(family.open(file, Device::cpu(), input, {}), stream_, options);
  }
  [[nodiscard]] ImageView view(const std::vector<std::uint8_t>& pixels) const {
    return ImageView::packed(Device::cpu(), pixels.data(), kPicture, PixelFormat::kRgb8);
  }

  testing::ScopedFolder folder_;
  Stream stream_{Device::cpu()};
  std::vector<std::uint8_t> bright_ = std::vector<std::uint8_t>(packed_bytes(kPicture, PixelFormat::kRgb8), 255);
};

TEST_P(FamiliesTest, GivesWhatTheNetworkSays) {
  const auto model = open({.score_threshold = {}, .read_back_dense = true});
  const auto result = model->allocate_result(kPicture);
  model->submit(view(bright_), *result, nullptr);
  stream_.synchronize();
  GetParam().check(result->findings());
  EXPECT_EQ(result->count(), GetParam().count);
  EXPECT_TRUE(result->findings().model.empty()) << "that is the caller's to say";
}

TEST_P(FamiliesTest, WithoutDenseResultsNothingLargeComesToTheHost) {
  const auto model = open({});
  const auto result = model->allocate_result(kPicture);
  EXPECT_FALSE(model->results_have_picture_size());
  model->submit(view(bright_), *result, nullptr);
  stream_.synchronize();
  const ModelFindings found = result->findings();
  EXPECT_TRUE(found.masks.empty() && !found.depth && !found.nearness);
  EXPECT_EQ(result->count(), GetParam().count);
}

TEST_P(FamiliesTest, AWarmFrameCostsOneWaitAndNoAllocation) {
  const auto model = open({.score_threshold = {}, .read_back_dense = true});
  const auto result = model->allocate_result(kPicture);
  const auto frame = [&] {
    model->submit(view(bright_), *result, nullptr);
    stream_.synchronize();
    return result->findings().detections.size();
  };
  for (int i = 0; i < 3; ++i) (void)frame();
  const DeviceCounters before = counters(Device::cpu());
  const std::uint64_t allocations = test::allocation_count();
  for (int i = 0; i < 5; ++i) (void)frame();
  const std::uint64_t allocated = test::allocation_count() - allocations;
  const DeviceCounters spent = counters(Device::cpu()) - before;
  EXPECT_EQ(spent.waits, 5U);
  EXPECT_EQ(spent.device_allocations + spent.pinned_allocations + spent.blocking_copies, 0U);
#if !defined(VRT_EAGER_CPU_STREAM)
  EXPECT_EQ(allocated, 0U);
#else
  (void)allocated;
#endif
}

TEST_P(FamiliesTest, ACapturedFrameTakesAnotherPicture) {
  const auto model = open({.score_threshold = {}, .read_back_dense = true});
  const auto result = model->allocate_result(kPicture);
  const std::vector<std::uint8_t> dark(bright_.size(), 0);
  Graph graph = Graph::capture(stream_, [&] { model->submit(view(dark), *result, nullptr); },
                               {.warm_up = true, .foreign = {{dark.data(), dark.size()}}});
  const std::vector<GraphNode> nodes = model->input_nodes();
  EXPECT_EQ(nodes.size(), 1U);
  graph.launch(stream_);
  stream_.synchronize();
  EXPECT_TRUE(result->findings().detections.empty() && result->findings().features.empty());
  model->update(graph, nodes, view(bright_), nullptr);
  graph.launch(stream_);
  stream_.synchronize();
  GetParam().check(result->findings());
}

TEST_P(FamiliesTest, ItsPreprocessingIsForTheInputThatItIsOpenedWith) {
  const ModelFamily& family = find_family(GetParam().family);
  const auto file = folder_.write("net.onnx", GetParam().network);
  const Size input = family.input_size_for != nullptr ? Size{64, 64} : Size{};
  const Shape opened = family.open(file, Device::cpu(), input, {}).inputs()[0].shape;
  ASSERT_NE(family.preprocessing, nullptr);
  const PreprocessOptions options = family.preprocessing(file, input);
  EXPECT_EQ(options.target.height, opened[2]);
  EXPECT_EQ(options.target.width, opened[3]);
  EXPECT_EQ(pictures_of_a_run(file, input), opened[0]);
}

INSTANTIATE_TEST_SUITE_P(Detectors, FamiliesTest, ::testing::ValuesIn(detectors()));
INSTANTIATE_TEST_SUITE_P(Others, FamiliesTest, ::testing::ValuesIn(others()));

/// How many masks a result has of `network`, of family `name`, whose objects all have one.
std::size_t masks_of(std::string_view name, const std::string& network, const FrameModelOptions& options) {
  const testing::ScopedFolder folder;
  const Stream stream(Device::cpu());
  const ModelFamily& family = find_family(name);
  const Engine engine = family.open(folder.write("net.onnx", network), Device::cpu(), {}, {});
  const auto model = family.make(engine, stream, options);
  const auto result = model->allocate_result(kPicture);
  const std::vector<std::uint8_t> bright(std::size_t{3} * 100 * 100, 255);
  model->submit(ImageView::packed(Device::cpu(), bright.data(), kPicture, PixelFormat::kRgb8), *result, nullptr);
  stream.synchronize();
  const ModelFindings found = result->findings();
  for (const MaskView& mask : found.masks) EXPECT_TRUE(is_set(mask, 30, 50) && !is_set(mask, 70, 50));
  return found.masks.size();
}

TEST(MasksOfAllTest, ThereIsRoomForAsManyAsTheNetworkFinds) {
  const std::string network = testing::yolo_crowd_seg_network(350);
  EXPECT_EQ(masks_of("yolo", network, {.score_threshold = {}, .read_back_dense = true, .masks_of_all = true}), 300U);
  EXPECT_EQ(masks_of("yolo", network, {.score_threshold = {}, .read_back_dense = true}), 100U);
  EXPECT_EQ(masks_of("yolo", network, {.score_threshold = {}, .masks_of_all = true}), 0U) << "nobody reads them";
  const std::string instances = testing::rfdetr_seg_network();
  const float every = 0.00001F;  // 910 pairs of a query and a class, of sigmoid(-9) at least.
  EXPECT_EQ(
      masks_of("rfdetr-seg", instances, {.score_threshold = every, .read_back_dense = true, .masks_of_all = true}),
      300U);
  EXPECT_EQ(masks_of("rfdetr-seg", instances, {.score_threshold = every, .read_back_dense = true}), 100U);
}

/// Class names that the caller gives, in place of the file's.
class GivenNamesTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string label(const std::string& family, const std::string& network, std::size_t classes) const {
    const auto file = folder_.write("net.onnx", network);
    std::string lines;
    for (std::size_t i = 0; i < classes; ++i) lines += "given " + std::to_string(i) + "\n";
    const PoolModel chosen =
        choose_models({{.file = file, .family = family, .class_names = folder_.write("names.txt", lines)}}).front();
    const Engine engine = chosen.family->open(file, Device::cpu(), {}, {});
    const auto model = chosen.family->make(engine, stream_, {.score_threshold = {}, .names = chosen.names});
    const auto result = model->allocate_result(kPicture);
    const std::vector<std::uint8_t> bright(std::size_t{3} * 100 * 100, 255);
    model->submit(ImageView::packed(Device::cpu(), bright.data(), kPicture, PixelFormat::kRgb8), *result, nullptr);
    stream_.synchronize();
    const ModelFindings found = result->findings();
    return std::string(found.classes.empty() ? found.detections[0].label : found.classes[0].label);
  }
  void expect_refused(const std::string& family, const std::string& network, std::size_t classes,
                      const std::string& reason) const {
    const Error error = test::error_of([&] { (void)label(family, network, classes); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), ::testing::HasSubstr(reason));
  }
  testing::ScopedFolder folder_;
  Stream stream_{Device::cpu()};
};

TEST_F(GivenNamesTest, AreThoseOfTheResults) {
  EXPECT_EQ(label("yolo", testing::yolo_network(), 2), "given 1");
  EXPECT_EQ(label("yolo", testing::yolo_seg_network(), 2), "given 1");
  EXPECT_EQ(label("rfdetr", testing::rfdetr_network(), 91), "given 90");
  EXPECT_EQ(label("rfdetr-seg", testing::rfdetr_seg_network(), 91), "given 90");
  EXPECT_EQ(label("rfdetr-keypoints", testing::rfdetr_keypoints_network(), 2), "given 1");
  EXPECT_EQ(label("classifier", testing::classifier_network({{"names", "{0: 'a'}"}}), 5), "given 2");
}

TEST_F(GivenNamesTest, AreAsManyAsTheNetworkHasClasses) {
  expect_refused("yolo", testing::yolo_network(), 3, "with 3 classes, as many as have names");
  expect_refused("yolo", testing::yolo_network(), 1, "with 1 classes, as many as have names");
  expect_refused("rfdetr", testing::rfdetr_network(), 92, "the 91 classes at most, found 92");
  expect_refused("rfdetr-seg", testing::rfdetr_seg_network(), 92, "the 91 classes at most, found 92");
  expect_refused("classifier", testing::classifier_network(), 4, "5 classes, there are names for 4");
}

TEST_F(GivenNamesTest, AreRefusedWhereThereIsNothingToName) {
  for (const char* family : {"centerface", "depth", "relative-depth", "xfeat", "osnet"})
    expect_refused(family, testing::depth_network({}), 5, "has no classes that");
}

class FamilyPreprocessingTest : public ::testing::Test {
 protected:
  [[nodiscard]] PreprocessOptions of(std::string_view family, const std::string& network, Size input = {}) const {
    return find_family(family).preprocessing(folder_.write("net.onnx", network), input);
  }
  testing::ScopedFolder folder_;
};

TEST_F(FamilyPreprocessingTest, YoloKeepsTheAspectAndYoloxWantsBlueFirst) {
  const PreprocessOptions usual = of("yolo", testing::yolo_network());
  EXPECT_EQ(usual.mode, ResizeMode::kLetterbox);
  EXPECT_EQ(usual.pad_position, PadPosition::kCenter);
  EXPECT_EQ(usual.order, ChannelOrder::kRgb);
  auto metadata = testing::ultralytics("detect");
  metadata["yolo_layout"] = "yolox";
  metadata["names"] = "{0: 'cat'}";  // Six values a cell are then four of the box, the objectness and one class.
  const PreprocessOptions yolox =
      of("yolo", testing::lit_network(64, 64, {{"output0", {1, 84, 6}, std::vector<float>(504)}}, metadata));
  EXPECT_EQ(yolox.pad_position, PadPosition::kBottomRight);
  EXPECT_EQ(yolox.order, ChannelOrder::kBgr);
  EXPECT_EQ(yolox.scale, 1);
}

TEST_F(FamilyPreprocessingTest, RfDetrResizesAsItsFileSays) {
  EXPECT_EQ(of("rfdetr", testing::rfdetr_network()).interpolation, Interpolation::kBilinearAntialiased);
  const PreprocessOptions plain = of("rfdetr", testing::rfdetr_network({{"antialias", "False"}}));
  EXPECT_EQ(plain.interpolation, Interpolation::kBilinear);
  EXPECT_EQ(plain.mode, ResizeMode::kStretch);
  EXPECT_FLOAT_EQ(plain.mean[0], 0.485F);
  EXPECT_EQ(of("rfdetr-seg", testing::rfdetr_seg_network({{"antialias", "False"}})).interpolation,
            Interpolation::kBilinear);
}

TEST_F(FamilyPreprocessingTest, TheOthersAsTheirClassesDo) {
  EXPECT_FLOAT_EQ(of("depth", testing::depth_network({})).standard_deviation[2], 0.225F);
  EXPECT_EQ(of("classifier", testing::classifier_network({})).mode, ResizeMode::kCrop);
  EXPECT_EQ(of("xfeat", testing::xfeat_network(), {96, 64}).target, (Size{96, 64}));
  EXPECT_EQ(of("centerface", "", {96, 64}).scale, 1) << "nothing of the file is needed";
  EXPECT_EQ(osnet_family().preprocessing, nullptr) << "it looks at crops";
}

TEST_F(FamilyPreprocessingTest, ANetworkOfAnotherFamilyIsRefused) {
  EXPECT_THROW((void)of("yolo", testing::classifier_network({})), Error);
  EXPECT_THROW((void)of("rfdetr", testing::depth_network({})), Error);
}

TEST(NetworkInputTest, ARunTakesAsManyPicturesAsTheFileStates) {
  testing::ScopedFolder folder;
  const auto file = [&](const std::vector<std::int64_t>& stated) {
    testing::OnnxGraph graph;
    graph.input("image", stated);
    graph.node("Relu", {"image"}, "same");
    graph.output("same", stated);
    return folder.write("net.onnx", graph.bytes());
  };
  EXPECT_EQ(pictures_of_a_run(file({4, 3, 24, 32}), {}), 4);
  EXPECT_EQ(pictures_of_a_run(file({4, 3, 24, 32}), {32, 24}), 1);
  EXPECT_EQ(pictures_of_a_run(file({-1, 3, 24, 32}), {}), 1);
  EXPECT_EQ(picture_input_size(file({4, 3, 24, 32}), {}, {64, 64}), (Size{32, 24}));
  EXPECT_EQ(picture_input_size(file({-1, 3, -1, -1}), {}, {64, 96}), (Size{64, 96}));
  EXPECT_THROW((void)picture_input_size(file({-1, 3, -1, -1}), {}, {}), Error);
}

TEST(NetworkInputTest, WhatTheFileLeavesOpenIsFilledIn) {
  testing::ScopedFolder folder;
  const auto input_of = [&](const std::vector<std::int64_t>& stated, Size given, Size fallback) {
    testing::OnnxGraph graph;
    graph.input("image", stated);
    graph.node("Relu", {"image"}, "same");
    graph.output("same", stated);
    const auto file = folder.write("net.onnx", graph.bytes());
    return open_picture_network(file, Device::cpu(), given, fallback, {}).inputs()[0].shape;
  };
  EXPECT_EQ(input_of({1, 3, 24, 32}, {}, {64, 64}), (Shape{1, 3, 24, 32}));
  EXPECT_EQ(input_of({-1, 3, 24, 32}, {}, {64, 64}), (Shape{1, 3, 24, 32}));
  EXPECT_EQ(input_of({-1, 3, -1, -1}, {}, {64, 96}), (Shape{1, 3, 96, 64}));
  EXPECT_EQ(input_of({-1, 3, -1, -1}, {32, 40}, {64, 96}), (Shape{1, 3, 40, 32}));
  EXPECT_THROW((void)input_of({-1, 3, -1, -1}, {}, {}), Error);
}

}  // namespace
}  // namespace vrt
