#include "vrt/pipeline/benchmark_loop.h"

#include <utility>

#include "vrt/base/error.h"

namespace vrt {
namespace {

class Loop {
 public:
  Loop(BenchmarkSubject& subject, const BenchmarkPlan& plan) : subject_(subject), plan_(plan) {}

  BenchmarkSamples run();

 private:
  using Time = std::chrono::steady_clock::time_point;

  [[nodiscard]] bool should_stop() const { return plan_.stop != nullptr && plan_.stop->load(); }
  void run_frame(bool measured);
  void deliver();
  void add(FrameStage stage, Time from, Time to);
  void add_device_time();

  BenchmarkSubject& subject_;
  const BenchmarkPlan& plan_;
  BenchmarkSamples samples_;
  Time asked_;             ///< When the frame was asked for.
  bool is_first_ = false;  ///< It was delivered behind a restart.
};

BenchmarkSamples Loop::run() {
  for (auto& stage : samples_.stages) stage.reserve(static_cast<std::size_t>(plan_.frames));
  for (std::int64_t frame = 0; frame < plan_.warm_up + plan_.frames; ++frame) {
    if (should_stop()) {
      samples_.stopped = true;
      break;
    }
    run_frame(frame >= plan_.warm_up);
    if (frame >= plan_.warm_up && plan_.between_frames) plan_.between_frames(frame - plan_.warm_up + 1);
  }
  if (!samples_.problem_of(FrameStage::kDevice).empty()) samples_.of(FrameStage::kDevice).clear();
  if (samples_.of(FrameStage::kSource).empty())
    samples_.problem_of(FrameStage::kSource) =
        "the source began again before every frame, and opening it decodes the first";
  return std::move(samples_);
}

/// Opening the source again is no frame's time.
void Loop::deliver() {
  const std::int64_t restarts = samples_.restarts;
  asked_ = plan_.clock();
  while (!subject_.deliver()) {
    subject_.restart();
    ++samples_.restarts;
    asked_ = plan_.clock();
  }
  is_first_ = samples_.restarts > restarts;
}

void Loop::run_frame(bool measured) {
  deliver();
  const Time delivered = plan_.clock();
  subject_.record_start();
  const Time begun = plan_.clock();
  subject_.enqueue();
  const Time enqueued = plan_.clock();
  subject_.record_end();
  const Time waiting = plan_.clock();
  subject_.wait();
  const Time done = plan_.clock();
  subject_.finalise();
  const Time finished = plan_.clock();
  if (!measured) return;
  if (!is_first_) add(FrameStage::kSource, asked_, delivered);
  add(FrameStage::kEnqueue, begun, enqueued);
  add(FrameStage::kWait, waiting, done);
  add(FrameStage::kFinalise, done, finished);
  add(FrameStage::kFrame, asked_, finished);
  add_device_time();
}

void Loop::add(FrameStage stage, Time from, Time to) {
  samples_.of(stage).push_back(std::chrono::duration<double, std::milli>(to - from).count());
}

void Loop::add_device_time() {
  if (!samples_.problem_of(FrameStage::kDevice).empty()) return;
  try {
    samples_.of(FrameStage::kDevice).push_back(subject_.device_time().count());
  } catch (const Error& error) {
    samples_.problem_of(FrameStage::kDevice) = error.what();
  }
}

}  // namespace

BenchmarkSamples measure_frames(BenchmarkSubject& subject, const BenchmarkPlan& plan) {
  return Loop(subject, plan).run();
}

}  // namespace vrt
