// Internal (not installed): the loop that times a frame's stages, apart from what it times and from the clock that it reads.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vrt/base/export.h"

namespace vrt {

/// What is timed of each frame, in the order of a report.
enum class FrameStage : std::size_t {
  kSource,    ///< Until the next frame is delivered; not of a frame behind a restart, which opening has decoded.
  kEnqueue,   ///< The host's part of submitting its work.
  kDevice,    ///< Between an event before that work and one behind it, on the device's own clock.
  kWait,      ///< The one wait: what the device needs beyond `kEnqueue`.
  kFinalise,  ///< Reading the results on the host.
  kFrame,     ///< All of it, source to results; kDevice runs beside the host's stages and is no summand.
};
inline constexpr std::size_t kFrameStages = 6;

/// A frame at a time, in the steps that are timed. What any step but `device_time` throws ends the loop.
class BenchmarkSubject {
 public:
  virtual ~BenchmarkSubject() = default;

  /// BLOCKS until the next frame is delivered; false at the source's end, after which `restart` begins again.
  virtual bool deliver() = 0;
  virtual void restart() = 0;
  virtual void record_start() = 0;  ///< An event before the frame's work; not timed.
  virtual void enqueue() = 0;
  virtual void record_end() = 0;  ///< An event behind it; not timed.
  virtual void wait() = 0;        ///< BLOCKS until the frame's work is done.
  virtual void finalise() = 0;
  /// Between the two events. Throws vrt::Error if they measured nothing.
  [[nodiscard]] virtual std::chrono::duration<double, std::milli> device_time() = 0;
};

/// How many frames, and what happens beside them.
struct BenchmarkPlan {
  std::int64_t warm_up = 0;
  std::int64_t frames = 0;
  std::function<std::chrono::steady_clock::time_point()> clock = &std::chrono::steady_clock::now;
  /// Called between two measured frames with the number of those done; what it takes is in no stage.
  std::function<void(std::int64_t)> between_frames = {};
  const std::atomic<bool>* stop = nullptr;  ///< Ends the loop before the next frame.
};

/// Milliseconds of each measured frame, by FrameStage.
struct BenchmarkSamples {
  std::array<std::vector<double>, kFrameStages> stages;
  /// Why a stage has no samples; empty if it has. Of kDevice in the words of the first frame whose events measured nothing: it
  /// then has none at all, as a part of the frames would pass for all of them.
  std::array<std::string, kFrameStages> problems;
  std::int64_t restarts = 0;  ///< While warming up and measuring.
  bool stopped = false;       ///< The samples are not complete.

  [[nodiscard]] std::vector<double>& of(FrameStage stage) { return stages[static_cast<std::size_t>(stage)]; }
  [[nodiscard]] const std::vector<double>& of(FrameStage stage) const {
    return stages[static_cast<std::size_t>(stage)];
  }
  [[nodiscard]] std::string& problem_of(FrameStage stage) { return problems[static_cast<std::size_t>(stage)]; }
};

/// Runs `warm_up` frames that are not measured, then `frames` that are. A frame is finished before the next is asked for.
[[nodiscard]] VRT_API BenchmarkSamples measure_frames(BenchmarkSubject& subject, const BenchmarkPlan& plan);

}  // namespace vrt
