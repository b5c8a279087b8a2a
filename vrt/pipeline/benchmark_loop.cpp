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
  Time deliver();
  void add(FrameStage stage, Time from, Time to);
  void add_device_time();

  BenchmarkSubject& subject_;
  const BenchmarkPlan& plan_;
  BenchmarkSamples samples_;
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
  if (!samples_.device_problem.empty()) samples_.of(FrameStage::kDevice).clear();
  return std::move(samples_);
}

/// Returns when the frame was asked for. Opening the source again is no frame's time.
Loop::Time Loop::deliver() {
  Time asked = plan_.clock();
  while (!subject_.deliver()) {
    subject_.restart();
    ++samples_.restarts;
    asked = plan_.clock();
  }
  return asked;
}

void Loop::run_frame(bool measured) {
  const Time asked = deliver();
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
  add(FrameStage::kSource, asked, delivered);
  add(FrameStage::kEnqueue, begun, enqueued);
  add(FrameStage::kWait, waiting, done);
  add(FrameStage::kFinalise, done, finished);
  add(FrameStage::kFrame, asked, finished);
  add_device_time();
}

void Loop::add(FrameStage stage, Time from, Time to) {
  samples_.of(stage).push_back(std::chrono::duration<double, std::milli>(to - from).count());
}

void Loop::add_device_time() {
  if (!samples_.device_problem.empty()) return;
  try {
    samples_.of(FrameStage::kDevice).push_back(subject_.device_time().count());
  } catch (const Error& error) {
    samples_.device_problem = error.what();
  }
}

}  // namespace

BenchmarkSamples measure_frames(BenchmarkSubject& subject, const BenchmarkPlan& plan) {
  return Loop(subject, plan).run();
}

}  // namespace vrt
