// Internal (not installed): a benchmark as `vrt bench` runs it: a model, or its work without the network, frame by frame on one
// stream. docs/benchmarking.md says what the numbers mean.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/device/device.h"
#include "vrt/device/gpu_status.h"
#include "vrt/engine/engine.h"
#include "vrt/image/image.h"
#include "vrt/pipeline/benchmark_frames.h"
#include "vrt/pipeline/benchmark_loop.h"
#include "vrt/pipeline/distribution.h"
#include "vrt/pipeline/model_choice.h"

namespace vrt {

/// What to measure.
struct BenchmarkOptions {
  /// Fewer say little of a 99th percentile.
  static constexpr std::int64_t kLeastFrames = 100;
  /// Every time is kept until the end.
  static constexpr std::int64_t kMostFrames = 1000000;

  std::string source;                        ///< As RunOptions::source; or
  std::optional<SyntheticFrames> synthetic;  ///< made frames, in its place.
  std::vector<ModelChoice> models;           ///< As RunOptions::models; not read without network.
  bool without_network = false;  ///< Preprocessing, decoding and read-back alone (CenterFaceWithoutNetwork).
  Device device;
  std::string engine = "auto";  ///< As EngineOptions::backend.
  Precision precision = Precision::kFloat32;
  double largest_difference = AccuracyOptions{}.largest_difference;  ///< With kFloat16: as AccuracyOptions.
  std::int64_t warm_up = 50;
  std::int64_t frames = 300;
  bool graph = false;  ///< A frame's work is one launch of a captured graph. Made frames only: a graph holds addresses.
};

/// One row of the report, in milliseconds.
struct StageDistribution {
  FrameStage stage = FrameStage::kSource;
  Distribution times;
};

/// A GPU around and during the measurement.
struct GpuReport {
  GpuFacts facts;
  GpuState before;               ///< Before the warm-up.
  std::vector<GpuState> during;  ///< Between measured frames, at most two a second and one in the middle.
  GpuState after;                ///< Right behind the last frame.
  Reading<std::vector<std::string>> throttling;
};

/// What was measured. Facts of the machine are the caller's to add.
struct BenchmarkReport {
  bool stopped = false;  ///< By `stop`: there is nothing to report.
  DeviceInfo device;
  Size picture;
  PixelFormat format = PixelFormat::kRgb8;
  Size network_input;            ///< Of the first network.
  std::string backend;           ///< Name and version; empty without network.
  std::size_t graph_nodes = 0;   ///< Of a frame's graph; 0 without graph.
  std::int64_t restarts = 0;     ///< How often the source began again.
  std::int64_t detections = 0;   ///< In the measured frames.
  double setup_seconds = 0;      ///< Opening the source, compiling network and kernels, capturing.
  double frames_per_second = 0;  ///< One frame after the other: the measured frames over the sum of their times.
  std::vector<StageDistribution> stages;           ///< Those that were measured, in order.
  std::array<std::string, kFrameStages> problems;  ///< Why one is not among them, by stage; empty if it is.
  std::optional<GpuReport> gpu;                    ///< On a GPU.
};

/// What the time between two events is on that device: "gpu"; on the CPU, where the stream is a thread, "worker".
[[nodiscard]] VRT_API std::string_view stage_name(FrameStage stage, Device device);

/// Throws kInvalidArgument for fewer frames than kLeastFrames, a warm-up below 0, more of either than kMostFrames, and a graph of
/// a source's frames.
VRT_API void check_options(const BenchmarkOptions& options);

/// What a caller of run_benchmark is told, and how it ends a measurement early.
struct BenchmarkHooks {
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const BuildProgress&)> building = {};  ///< As RunHooks::building.
};

/// BLOCKS until the frames are measured or `stop` is set. Throws as `check_options`, and what source, engine and device throw; kCancelled
/// where `stop` is set while a network is compiled.
[[nodiscard]] VRT_API BenchmarkReport run_benchmark(const BenchmarkOptions& options, const BenchmarkHooks& hooks = {});

}  // namespace vrt
