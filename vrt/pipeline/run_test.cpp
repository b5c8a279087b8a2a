#include "vrt/pipeline/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/device/allocation_count.h"
#include "vrt/device/counters.h"
#include "vrt/media/sink.h"
#include "vrt/models/testing/onnx_graph.h"
#include "vrt/pipeline/testing/family_networks.h"

namespace vrt {
namespace {

namespace fs = std::filesystem;

class RunTest : public ::testing::Test {
 protected:
  RunTest() {
    options_.source = VRT_TEST_CLIP;
    options_.models = {{.file = VRT_TEST_CENTERFACE}};
  }

  [[nodiscard]] std::vector<nlohmann::json> lines(const std::string& name) const {
    std::vector<nlohmann::json> parsed;
    std::ifstream stream(folder_ / name);
    for (std::string line; std::getline(stream, line);) parsed.push_back(nlohmann::json::parse(line));
    return parsed;
  }
  [[nodiscard]] std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  /// A uniform picture in the folder `pictures`.
  void add_picture(const std::string& name, Size size, std::uint8_t grey = 90) const {
    fs::create_directories(folder_ / "pictures");
    const std::vector<std::uint8_t> pixels(packed_bytes(size, PixelFormat::kRgb8), grey);
    write_picture(folder_ / "pictures" / name,
                  ImageView::packed(Device::cpu(), pixels.data(), size, PixelFormat::kRgb8));
  }

  /// Two runs that differ by 40 frames: what they spend differs by what 40 warm frames cost, whose launches are returned.
  std::uint64_t expect_that_frames_cost_one_wait_alone() {
    (void)spend(20);  // Lazy loading anywhere is over.
    const Spent few = spend(20);
    const Spent many = spend(60);
    EXPECT_EQ(many.device.waits - few.device.waits, 40U);
    EXPECT_EQ(many.device.device_allocations, few.device.device_allocations);
    EXPECT_EQ(many.device.pinned_allocations, few.device.pinned_allocations);
    EXPECT_EQ(many.device.blocking_copies, few.device.blocking_copies);
#if !defined(VRT_EAGER_CPU_STREAM)
    EXPECT_LT(allocations_of_40_frames(few, many), 20) << "one allocation a frame would be 40";
#endif
    return many.device.launches - few.device.launches;
  }

  testing::ScopedFolder scratch_;
  const fs::path& folder_ = scratch_.path();
  RunOptions options_;

 private:
  struct Spent {
    DeviceCounters device;
    std::uint64_t allocations = 0;
  };
  /// The networks are compiled on this thread, too. From run to run that allocates the same but for two or three, but rises once in many
  /// runs, for good: OpenVINO numbers what it makes in a process, and the numbers grow longer. That meets one pair of runs at most.
  std::int64_t allocations_of_40_frames(const Spent& few, const Spent& many) {
    const auto difference = [](const Spent& a, const Spent& b) {
      return static_cast<std::int64_t>(b.allocations) - static_cast<std::int64_t>(a.allocations);
    };
    std::int64_t least = difference(few, many);
    for (int again = 0; again < 2 && least >= 20; ++again) {
      const Spent next_few = spend(20);
      least = std::min(least, difference(next_few, spend(60)));
    }
    return least;
  }
  Spent spend(std::int64_t frames) {
    options_.max_frames = frames;
    const DeviceCounters before = counters(Device::cpu());
    const std::uint64_t allocations = test::allocation_count();
    EXPECT_EQ(run_detection(options_).frames, frames);
    return {counters(Device::cpu()) - before, test::allocation_count() - allocations};
  }
};

TEST_F(RunTest, FramesComeOutInOrderWithOneFaceEach) {
  options_.json = (folder_ / "lines.jsonl").string();
  options_.save = folder_ / "annotated.mp4";
  options_.max_frames = 24;
  std::vector<std::int64_t> progress;
  const RunReport report = run_detection(options_, {.progress = [&](const RunProgress& p) {
                                           progress.push_back(p.frames);
                                           EXPECT_EQ(p.total, 24);
                                         }});
  EXPECT_EQ(report.frames, 24);
  EXPECT_EQ(report.detections, 24);
  EXPECT_FALSE(report.stopped_early);
  EXPECT_EQ(progress.size(), 24U);
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
  const auto found = lines("lines.jsonl");
  ASSERT_EQ(found.size(), 24U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i]["frame"], i);
    EXPECT_EQ(found[i]["width"], 176);
    EXPECT_EQ(found[i]["detections"].size(), 1U) << i;
    const double before = i == 0 ? -1 : found[i - 1]["time"].get<double>();
    EXPECT_GT(found[i]["time"].get<double>(), before);
  }
  EXPECT_GT(fs::file_size(folder_ / "annotated.mp4"), 1000U);
  EXPECT_EQ(file_count(), 2U) << "temporary files are left";
  EXPECT_EQ(report.stages.size(), 6U);
}

TEST_F(RunTest, AFrameCostsOneWaitAndNoAllocationOfTheSubmittingThread) {
  options_.save = folder_ / "annotated.mp4";
  options_.json = (folder_ / "lines.jsonl").string();
  (void)expect_that_frames_cost_one_wait_alone();
}

/// Two networks more: one whose outputs are chosen, and one that looks at its boxes.
class SeveralModelsRunTest : public RunTest {
 protected:
  SeveralModelsRunTest() {
    const auto write = [&](const std::string& name, const std::string& network) {
      std::ofstream(folder_ / name, std::ios::binary) << network;
      return folder_ / name;
    };
    // Not that of the detector at the end, whose faces are those of the clip.
    options_.models = {{.file = write("yolo.onnx", testing::yolo_network())},
                       {.file = write("osnet.onnx", testing::osnet_network(16)), .name = "looks"},
                       {.file = VRT_TEST_CENTERFACE}};
    options_.json = (folder_ / "lines.jsonl").string();
  }
};

TEST_F(SeveralModelsRunTest, EachTellsWhatItFound) {
  options_.max_frames = 12;
  const RunReport report = run_detection(options_);
  EXPECT_EQ(report.frames, 12);
  EXPECT_EQ(report.detections, 3 * 12);
  ASSERT_EQ(report.models.size(), 3U);
  EXPECT_EQ(report.models[0].name, "yolo");
  EXPECT_EQ(report.models[0].family, "YOLO");
  EXPECT_EQ(report.models[0].input, (Size{64, 64}));
  EXPECT_EQ(report.models[0].findings, 2 * 12);
  EXPECT_EQ(report.models[1].name, "looks");
  EXPECT_EQ(report.models[1].family, "OSNet");
  EXPECT_EQ(report.models[1].findings, 2 * 12) << "one for each of YOLO's boxes";
  EXPECT_EQ(report.models[2].name, "centerface");
  EXPECT_EQ(report.models[2].input, (Size{320, 288}));
  EXPECT_EQ(report.models[2].findings, 12);
  for (const ModelReport& model : report.models) EXPECT_THAT(model.backend, ::testing::HasSubstr("openvino "));
}

TEST_F(SeveralModelsRunTest, AFrameOfAllCostsOneWaitAndNoAllocationOfTheSubmittingThread) {
  const std::uint64_t launches = expect_that_frames_cost_one_wait_alone();
  EXPECT_GT(launches, 40U * 10U) << "or not all networks ran";
}

TEST_F(SeveralModelsRunTest, EachFamilyHasAThresholdOfItsOwnUnlessOneIsGiven) {
  options_.max_frames = 4;
  options_.score_threshold = 0.8F;
  const RunReport report = run_detection(options_);
  EXPECT_EQ(report.models[0].findings, 4) << "the dog's score is 0.875, the cat's 0.75";
}

TEST_F(SeveralModelsRunTest, AFolderOfMixedSizesWithMasks) {
  std::ofstream(folder_ / "seg.onnx", std::ios::binary) << testing::rfdetr_seg_network();
  options_.models = {{.file = folder_ / "seg.onnx"}, {.file = VRT_TEST_CENTERFACE}};
  const Size sizes[] = {{64, 64}, {1, 1}, {333, 251}, {100, 320}, {320, 100}, {64, 64}};
  int number = 0;
  for (const Size size : sizes) add_picture("p" + std::to_string(number++) + ".png", size, 255);
  options_.source = (folder_ / "pictures").string();
  options_.save = folder_ / "annotated";
  const RunReport report = run_detection(options_);
  EXPECT_EQ(report.frames, 6);
  EXPECT_EQ(report.models[0].findings, 6);
  EXPECT_EQ(lines("lines.jsonl").size(), 6U);
}

TEST_F(SeveralModelsRunTest, AFolderReservesForItsPicturesAndNotForMore) {
  std::ofstream(folder_ / "seg.onnx", std::ios::binary) << testing::rfdetr_seg_network();
  options_.models = {{.file = folder_ / "seg.onnx"}};
  const auto allocations = [&](const fs::path& source) {
    options_.source = source.string();
    const DeviceCounters before = counters(Device::cpu());
    (void)run_detection(options_);
    const DeviceCounters spent = counters(Device::cpu()) - before;
    return spent.device_allocations + spent.pinned_allocations;
  };
  add_picture("0.png", {64, 64});
  const std::uint64_t of_a_picture = allocations(folder_ / "pictures" / "0.png");
  EXPECT_EQ(allocations(folder_ / "pictures"), of_a_picture);
}

TEST_F(SeveralModelsRunTest, WhatIsNoRunIsRefused) {
  std::swap(options_.models[0], options_.models[1]);
  EXPECT_THAT(test::error_of([&] { run_detection(options_); }).what(), ::testing::HasSubstr("name a detector first"));
  options_.models.clear();
  EXPECT_EQ(test::error_of([&] { run_detection(options_); }).code(), ErrorCode::kInvalidArgument);
  options_.models = {{.file = folder_ / "yolo.onnx", .family = "yolov5"}};
  EXPECT_THAT(test::error_of([&] { run_detection(options_); }).what(), ::testing::HasSubstr("'yolov5'"));
  options_.models = {{.file = folder_ / "yolo.onnx", .family = "rfdetr"}};
  EXPECT_THAT(test::error_of([&] { run_detection(options_); }).what(),
              ::testing::HasSubstr("not the outputs of an RF-DETR"));
  EXPECT_FALSE(fs::exists(folder_ / "lines.jsonl"));
}

TEST_F(RunTest, AnEarlyStopFinishesTheFiles) {
  options_.json = (folder_ / "lines.jsonl").string();
  options_.save = folder_ / "annotated.mp4";
  std::atomic<bool> stop = false;
  const RunReport report =
      run_detection(options_, {.progress = [&](const RunProgress& p) { stop = p.frames >= 5; }, .stop = &stop});
  EXPECT_TRUE(report.stopped_early);
  EXPECT_GE(report.frames, 5);
  EXPECT_LT(report.frames, 60);
  EXPECT_EQ(lines("lines.jsonl").size(), static_cast<std::size_t>(report.frames));
  Source written((folder_ / "annotated.mp4").string(), Device::cpu());
  Stream stream(Device::cpu());
  std::int64_t frames = 0;
  while (const auto frame = written.next(stream)) ++frames;
  EXPECT_EQ(frames, report.frames) << "the video is not complete";
}

TEST_F(RunTest, AStopBeforeTheFirstFrameEndsTheNetworksCompilationAndLeavesNoFile) {
  options_.json = (folder_ / "lines.jsonl").string();
  const std::atomic<bool> stop = true;
  const Error error = test::error_of([&] { run_detection(options_, {.progress = {}, .stop = &stop}); });
  EXPECT_EQ(error.code(), ErrorCode::kCancelled);
  EXPECT_EQ(file_count(), 0U);
}

TEST_F(RunTest, AStopBeforeTheFirstFrameClosesTheArrayOnTheStandardOutput) {
  const testing::ScopedVariable place("VRT_CACHE", (folder_ / "cache").string());
  const testing::ScopedVariable on("VRT_ENGINE_CACHE", "on");
  options_.max_frames = 1;
  (void)run_detection(options_);  // Compiles; the next run has nothing to compile that the stop could end.
  options_.json = "-";
  options_.json_format = JsonFormat::kCoco;
  const std::atomic<bool> stop = true;
  ::testing::internal::CaptureStdout();
  const RunReport report = run_detection(options_, {.progress = {}, .stop = &stop});
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "[]\n");
  EXPECT_EQ(report.frames, 0);
}

TEST_F(RunTest, JsonReplacesNoPictureOfTheSourceAndNoAnnotatedOne) {
  add_picture("1.png", {64, 64});
  options_.source = (folder_ / "pictures").string();
  options_.json = (folder_ / "pictures" / "1.png").string();
  const auto before = fs::file_size(options_.json);
  const auto refused = [&] { return std::string(test::error_of([&] { run_detection(options_); }).what()); };
  EXPECT_THAT(refused(), ::testing::HasSubstr("over a picture of the source"));
  EXPECT_EQ(fs::file_size(options_.json), before);
  options_.save = folder_ / "annotated";
  options_.json = (folder_ / "annotated" / "1.png").string();
  EXPECT_THAT(refused(), ::testing::HasSubstr("over an annotated picture"));
  options_.json = (folder_ / "annotated" / "lines.jsonl").string();
  EXPECT_EQ(run_detection(options_).frames, 1);
}

TEST_F(RunTest, NothingIsWrittenOverWeightsBesideAModel) {
  testing::OnnxGraph graph;
  graph.input("image", {1, 3, 64, 64});
  graph.external_constant("weights", {4}, "net.onnx.data");
  graph.node("Relu", {"image"}, "out");
  graph.output("out", {1, 3, 64, 64});
  std::ofstream(folder_ / "net.onnx", std::ios::binary) << graph.bytes();
  std::ofstream(folder_ / "net.onnx.data", std::ios::binary) << std::string(16, 'w');
  fs::create_symlink(folder_ / "net.onnx.data", folder_ / "link.mp4");
  options_.models.push_back({.file = folder_ / "net.onnx"});
  const auto refused = [&] { return std::string(test::error_of([&] { run_detection(options_); }).what()); };
  options_.json = (folder_ / "net.onnx.data").string();
  EXPECT_THAT(refused(), ::testing::HasSubstr("the JSON output would be written over weights of the model"));
  options_.json.clear();
  options_.save = folder_ / "link.mp4";
  EXPECT_THAT(refused(), ::testing::HasSubstr("the annotated output would be written over weights of the model"));
  EXPECT_EQ(fs::file_size(folder_ / "net.onnx.data"), 16U);
}

TEST_F(RunTest, PicturesThatWouldBeSavedUnderOneNameAreRefusedBeforeTheFirst) {
  add_picture("1.png", {64, 64});
  add_picture("a.webp.png", {64, 64});
  fs::copy_file(folder_ / "pictures" / "1.png", folder_ / "pictures" / "a.webp");  // Told by its content.
  options_.source = (folder_ / "pictures").string();
  options_.save = folder_ / "annotated";
  EXPECT_THAT(test::error_of([&] { run_detection(options_); }).what(),
              ::testing::HasSubstr("the pictures a.webp and a.webp.png would both be saved as"));
  EXPECT_FALSE(fs::exists(folder_ / "annotated"));
}

std::string xfeat_network_of_any_size() {
  testing::OnnxGraph graph;
  graph.input("image", {1, 3, -1, -1});
  graph.node("ReduceMean", {"image"}, "grey", {{"axes", {1}}});
  graph.node("Relu", {"grey"}, "heatmap");
  graph.node("Sigmoid", {"grey"}, "reliability");
  graph.node("SpaceToDepth", {"grey"}, "descriptors", {testing::OnnxGraph::integer("blocksize", 8)});
  graph.output("descriptors", {1, 64, -1, -1});
  graph.output("heatmap", {1, 1, -1, -1});
  graph.output("reliability", {1, 1, -1, -1});
  return graph.bytes();
}

TEST_F(RunTest, APictureThatANetworkCannotLookAtIsNamed) {
  add_picture("1.png", {64, 64});
  add_picture("2.png", {1, 1});
  std::ofstream(folder_ / "xfeat.onnx", std::ios::binary) << xfeat_network_of_any_size();
  options_.models = {{.file = folder_ / "xfeat.onnx", .family = "xfeat"}};
  for (const fs::path& source : {folder_ / "pictures", folder_ / "pictures" / "2.png"}) {
    options_.source = source.string();
    EXPECT_THAT(test::error_of([&] { run_detection(options_); }).what(),
                ::testing::StartsWith((folder_ / "pictures" / "2.png").string() + ": XFeat has no input size"));
  }
  fs::rename(folder_ / "pictures" / "2.png",
             folder_ / "pictures" / "0.png");  // The first, for which the run is set up.
  options_.source = (folder_ / "pictures").string();
  EXPECT_THAT(test::error_of([&] { run_detection(options_); }).what(),
              ::testing::StartsWith((folder_ / "pictures" / "0.png").string() + ": XFeat has no input size"));
}

TEST_F(RunTest, NetworksOfOneNameAreToldApart) {
  add_picture("1.png", {64, 64});
  options_.source = (folder_ / "pictures" / "1.png").string();
  std::ofstream(folder_ / "net.onnx", std::ios::binary) << testing::yolo_network();
  options_.models.assign(3, {.file = folder_ / "net.onnx"});
  options_.json = (folder_ / "lines.jsonl").string();
  std::vector<std::string> reported;
  for (const ModelReport& model : run_detection(options_).models) reported.push_back(model.name);
  EXPECT_THAT(reported, ::testing::ElementsAre("net", "net#2", "net#3"));
  std::vector<std::string> written;
  const auto found = lines("lines.jsonl");
  for (const auto& detection : found.at(0)["detections"]) written.push_back(detection["model"]);
  EXPECT_THAT(written, ::testing::ElementsAre("net", "net", "net#2", "net#2", "net#3", "net#3"));
}

TEST_F(RunTest, AFailureOfTheWritingThreadEndsTheRunOnceAndLeavesNoFile) {
  options_.json = (folder_ / "lines.jsonl").string();
  options_.save = folder_ / "annotated.mp4";
  int calls = 0;
  const auto failing = [&](const RunProgress& p) {
    ++calls;
    if (p.frames == 7) throw std::runtime_error("the seventh frame");
  };
  try {
    run_detection(options_, {.progress = failing});
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "the seventh frame");
  }
  EXPECT_EQ(calls, 7) << "frames behind the failure were written";
  EXPECT_EQ(file_count(), 0U);
}

TEST_F(RunTest, ACutVideoIsAFailureAndLeavesNoFile) {
  const fs::path cut = folder_ / "cut.mp4";
  options_.save = folder_ / "whole.mp4";
  run_detection(options_);
  fs::copy_file(folder_ / "whole.mp4", cut);
  fs::resize_file(cut, fs::file_size(cut) / 2);
  options_.source = cut.string();
  options_.save = folder_ / "annotated.mp4";
  EXPECT_THROW(run_detection(options_), Error);
  EXPECT_FALSE(fs::exists(folder_ / "annotated.mp4"));
}

TEST_F(RunTest, AFolderOfMixedSizesIsSavedPictureByPicture) {
  const Size sizes[] = {{64, 64}, {320, 100}, {100, 320}, {64, 64}, {400, 300}, {300, 400}, {333, 251}, {64, 64}};
  int number = 0;
  for (const Size size : sizes) add_picture("p" + std::to_string(number++) + ".png", size);
  options_.source = (folder_ / "pictures").string();
  options_.save = folder_ / "annotated";
  options_.json = (folder_ / "lines.jsonl").string();
  const RunReport report = run_detection(options_);
  EXPECT_EQ(report.frames, 8);
  const auto found = lines("lines.jsonl");
  ASSERT_EQ(found.size(), 8U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string name = "p" + std::to_string(i) + ".png";
    EXPECT_EQ(found[i]["source"], (folder_ / "pictures" / name).string());
    EXPECT_EQ(found[i]["width"], sizes[i].width);
    EXPECT_EQ(found[i]["height"], sizes[i].height);
    EXPECT_TRUE(fs::exists(folder_ / "annotated" / name)) << name;
  }
}

TEST_F(RunTest, AWrongTargetIsRefusedBeforeAnythingRuns) {
  options_.save = folder_ / "annotated.avi";
  EXPECT_THROW(run_detection(options_), Error);
  EXPECT_EQ(file_count(), 0U);
}

}  // namespace
}  // namespace vrt
