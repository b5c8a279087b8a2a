#include "vrt/pipeline/benchmark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/models/centerface/without_network.h"
#include "vrt/pipeline/testing/family_networks.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

BenchmarkOptions made_frames(bool graph = false) {
  BenchmarkOptions options;
  options.synthetic = SyntheticFrames{{320, 240}, PixelFormat::kNv12};
  options.without_network = true;
  options.graph = graph;
  options.warm_up = 4;
  options.frames = 100;
  return options;
}

std::vector<FrameStage> stages_of(const BenchmarkReport& report) {
  std::vector<FrameStage> stages;
  for (const StageDistribution& row : report.stages) stages.push_back(row.stage);
  return stages;
}

const Distribution& times_of(const BenchmarkReport& report, FrameStage stage) {
  return report.stages[static_cast<std::size_t>(stage)].times;
}

/// What holds of every complete measurement on the CPU.
void expect_consistent(const BenchmarkReport& report, std::uint64_t frames) {
  ASSERT_THAT(stages_of(report), ElementsAre(FrameStage::kSource, FrameStage::kEnqueue, FrameStage::kDevice,
                                             FrameStage::kWait, FrameStage::kFinalise, FrameStage::kFrame));
  for (const auto& [stage, times] : report.stages) {
    EXPECT_EQ(times.count,
              stage == FrameStage::kSource ? frames - static_cast<std::uint64_t>(report.restarts) : frames);
    EXPECT_GE(times.p50, 0);
    EXPECT_LE(times.p50, times.p95);
    EXPECT_LE(times.p95, times.p99);
    EXPECT_LE(times.p99, times.maximum);
  }
  const Distribution& frame = times_of(report, FrameStage::kFrame);
  double host = 0;
  for (const FrameStage stage : {FrameStage::kSource, FrameStage::kEnqueue, FrameStage::kWait, FrameStage::kFinalise})
    host += times_of(report, stage).mean * static_cast<double>(times_of(report, stage).count);
  EXPECT_LE(host, frame.mean * static_cast<double>(frames) + 1e-6) << "the stages are parts of the frame";
  EXPECT_NEAR(report.frames_per_second, 1000 / frame.mean, 1e-6 * report.frames_per_second);
  EXPECT_GT(times_of(report, FrameStage::kDevice).mean, 0);
  EXPECT_LE(times_of(report, FrameStage::kDevice).mean, frame.mean) << "the frame's work lies within the frame";
  EXPECT_EQ(report.problems, (std::array<std::string, kFrameStages>{}));
  EXPECT_FALSE(report.gpu.has_value());
}

TEST(BenchmarkTest, TheClipIsMeasuredWithItsModel) {
  BenchmarkOptions options;
  options.source = VRT_TEST_CLIP;
  options.models = {{.file = VRT_TEST_CENTERFACE}};
  options.warm_up = 10;
  options.frames = 120;
  const BenchmarkReport report = run_benchmark(options);
  expect_consistent(report, 120);
  EXPECT_EQ(report.restarts, 1) << "130 frames of a clip of 120, one of which told the format";
  EXPECT_EQ(report.detections, 120) << "every frame of the clip has one face";
  EXPECT_EQ(report.picture, (Size{176, 144}));
  EXPECT_EQ(report.network_input, (Size{320, 288}));
  EXPECT_THAT(report.backend, HasSubstr("openvino "));
  EXPECT_EQ(report.graph_nodes, 0U);
}

TEST(BenchmarkTest, SeveralModelsAreMeasuredTogether) {
  const testing::ScopedFolder folder;
  BenchmarkOptions options = made_frames(true);
  options.synthetic = SyntheticFrames{{100, 100}, PixelFormat::kRgb8};
  options.without_network = false;
  options.models = {{.file = folder.write("yolo.onnx", testing::yolo_network())},
                    {.file = folder.write("osnet.onnx", testing::osnet_network(16))}};
  const BenchmarkReport report = run_benchmark(options);
  expect_consistent(report, 100);
  EXPECT_EQ(report.network_input, (Size{64, 64})) << "of the first";
  EXPECT_GT(report.graph_nodes, 12U) << "four runs of the second alone are as many";
  EXPECT_GT(report.detections, 0);
  EXPECT_THAT(report.backend, HasSubstr("openvino "));
  std::swap(options.models[0], options.models[1]);
  EXPECT_THAT(error_of([&] { (void)run_benchmark(options); }).what(), HasSubstr("name a detector first"));
}

TEST(BenchmarkTest, MadeFramesAreMeasuredWithoutANetwork) {
  const BenchmarkReport report = run_benchmark(made_frames());
  expect_consistent(report, 100);
  EXPECT_EQ(report.restarts, 0);
  EXPECT_EQ(report.detections, 100 * CenterFaceWithoutNetwork::kPlantedFaces);
  EXPECT_EQ(report.backend, "");
  EXPECT_EQ(report.format, PixelFormat::kNv12);
}

TEST(BenchmarkTest, AGraphFindsTheSame) {
  const BenchmarkReport report = run_benchmark(made_frames(true));
  expect_consistent(report, 100);
  EXPECT_GT(report.graph_nodes, 10U);
  EXPECT_EQ(report.detections, 100 * CenterFaceWithoutNetwork::kPlantedFaces);
}

TEST(BenchmarkTest, AStopGivesNoReport) {
  const std::atomic<bool> stop = true;
  const BenchmarkReport report = run_benchmark(made_frames(), {.stop = &stop, .building = {}});
  EXPECT_TRUE(report.stopped);
  EXPECT_TRUE(report.stages.empty());
}

TEST(BenchmarkTest, WhatCannotBeMeasuredIsRefused) {
  const auto message_of = [](const std::function<void(BenchmarkOptions&)>& change) {
    BenchmarkOptions options = made_frames();
    change(options);
    const Error error = error_of([&] { (void)run_benchmark(options); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return std::string(error.what());
  };
  EXPECT_THAT(message_of([](auto& o) { o.frames = 99; }), HasSubstr("99 frames are too few"));
  EXPECT_THAT(message_of([](auto& o) { o.frames = INT64_MAX; }), HasSubstr("too many"));
  EXPECT_THAT(message_of([](auto& o) { o.warm_up = INT64_MAX; }), HasSubstr("too many"));
  EXPECT_THAT(message_of([](auto& o) { o.warm_up = -1; }), HasSubstr("warm-up"));
  EXPECT_THAT(message_of([](auto& o) {
                o.graph = true;
                o.synthetic.reset();
                o.source = VRT_TEST_CLIP;
              }),
              HasSubstr("addresses"));
}

TEST(BenchmarkTest, TheColumnBetweenTheEventsIsCalledByWhatItIs) {
  EXPECT_EQ(stage_name(FrameStage::kDevice, Device::cpu()), "worker");
  EXPECT_EQ(stage_name(FrameStage::kDevice, Device::cuda(0)), "gpu");
  EXPECT_EQ(stage_name(FrameStage::kFrame, Device::cuda(0)), "frame");
}

}  // namespace
}  // namespace vrt
