#include "vrt/pipeline/benchmark.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/device/event.h"
#include "vrt/device/graph.h"
#include "vrt/device/stream.h"
#include "vrt/models/centerface/centerface.h"
#include "vrt/models/centerface/without_network.h"
#include "vrt/pipeline/model_pool.h"

namespace vrt {
namespace {

using Clock = std::chrono::steady_clock;

/// The work of a frame: what is submitted, and what is read behind the wait.
class FrameWork {
 public:
  virtual ~FrameWork() = default;
  virtual void submit(const ImageView& image) = 0;
  /// Looks at what was found, and counts detections.
  [[nodiscard]] virtual std::int64_t detections() = 0;
  /// Name and version of what runs the network; empty if nothing does.
  [[nodiscard]] virtual std::string backend() const = 0;
  /// Of the first network.
  [[nodiscard]] virtual Size input() const = 0;
};

ModelPoolOptions pool_options(const BenchmarkOptions& options, const BenchmarkHooks& hooks) {
  ModelPoolOptions pool;
  pool.models = choose_models(options.models);
  pool.device = options.device;
  pool.engine = options.engine;
  pool.precision = options.precision;
  pool.largest_difference = options.largest_difference;
  pool.lanes = 1;
  pool.slots_per_lane = 1;
  pool.stop = hooks.stop;
  pool.building = hooks.building;
  pool.source = options.source;
  return pool;
}

/// One slot of a run's lane, on the pool's stream.
class ModelWork final : public FrameWork {
 public:
  ModelWork(ModelPool& pool, Size picture) : pool_(pool), lane_(pool.lane_for(picture, 0)), slot_(*lane_.slots[0]) {
    pool.fill_slots(picture);
  }

  void submit(const ImageView& image) override { lane_.enqueue(slot_, image); }
  std::int64_t detections() override {
    std::size_t count = 0;
    for (const auto& result : slot_.results) count += result->findings().detections.size();
    return static_cast<std::int64_t>(count);
  }
  [[nodiscard]] std::string backend() const override {
    return fmt::format("{} {}", pool_.engine(0).backend_name(), pool_.engine(0).backend_version());
  }
  [[nodiscard]] Size input() const override {
    const Shape& input = pool_.engine(0).inputs()[0].shape;
    return {static_cast<std::int32_t>(input[-1]), static_cast<std::int32_t>(input[-2])};
  }

 private:
  ModelPool& pool_;
  Lane& lane_;
  Slot& slot_;
};

class WorkWithoutNetwork final : public FrameWork {
 public:
  WorkWithoutNetwork(const Stream& stream, Size input) : input_(input), parts_(stream, input) {}

  void submit(const ImageView& image) override { parts_.submit(image); }
  std::int64_t detections() override { return static_cast<std::int64_t>(parts_.detections().size()); }
  [[nodiscard]] std::string backend() const override { return {}; }
  [[nodiscard]] Size input() const override { return input_; }

 private:
  Size input_;
  CenterFaceWithoutNetwork parts_;
};

std::unique_ptr<ModelPool> make_pool(const BenchmarkOptions& options, const BenchmarkHooks& hooks) {
  return options.without_network ? nullptr : std::make_unique<ModelPool>(pool_options(options, hooks));
}

/// Frames and their work on one stream, timed by two events.
class StreamSubject final : public BenchmarkSubject {
 public:
  StreamSubject(const BenchmarkOptions& options, const BenchmarkHooks& hooks);
  /// Graphs and frames are in use until then, also where the loop ended in the midst.
  ~StreamSubject() override;
  StreamSubject(const StreamSubject&) = delete;
  StreamSubject& operator=(const StreamSubject&) = delete;

  bool deliver() override { return frames_->next(stream_); }
  void restart() override { frames_->restart(); }
  void record_start() override { start_.record(stream_); }
  void enqueue() override;
  void record_end() override { end_.record(stream_); }
  void wait() override { end_.synchronize(); }
  void finalise() override { detections_ = work_->detections(); }
  std::chrono::duration<double, std::milli> device_time() override { return elapsed(start_, end_); }

  /// Of the last frame.
  [[nodiscard]] std::int64_t detections() const noexcept { return detections_; }
  void describe(BenchmarkReport& report) const;

 private:
  void capture();

  std::unique_ptr<ModelPool> pool_;  ///< Unless the network is left out.
  Stream stream_;
  std::unique_ptr<BenchmarkFrames> frames_;
  SyntheticBenchmarkFrames* ring_ = nullptr;  ///< `frames_`, if they are made ones.
  std::unique_ptr<FrameWork> work_;
  std::vector<Graph> graphs_;  ///< One for each frame of the ring, or none.
  TimedEvent start_;
  TimedEvent end_;
  std::int64_t detections_ = 0;
};

StreamSubject::StreamSubject(const BenchmarkOptions& options, const BenchmarkHooks& hooks)
    : pool_(make_pool(options, hooks)),
      stream_(pool_ ? pool_->stream(0) : Stream(options.device)),
      start_(options.device),
      end_(options.device) {
  if (options.synthetic) {
    auto ring = std::make_unique<SyntheticBenchmarkFrames>(*options.synthetic, stream_);
    ring_ = ring.get();
    frames_ = std::move(ring);
  } else {
    frames_ = std::make_unique<SourceBenchmarkFrames>(options.source, stream_);
  }
  const Size picture = frames_->first().size;
  if (pool_) {
    work_ = std::make_unique<ModelWork>(*pool_, picture);
  } else {
    work_ = std::make_unique<WorkWithoutNetwork>(stream_, CenterFace::input_size_for(picture));
  }
  if (options.graph) capture();
}

StreamSubject::~StreamSubject() {
  try {
    stream_.synchronize();
  } catch (const Error&) {  // The loop has thrown what was first.
  }
}

void StreamSubject::capture() {
  for (const ImageView& image : ring_->ring())
    graphs_.push_back(Graph::capture(stream_, [&] { work_->submit(image); }));
}

void StreamSubject::enqueue() {
  if (graphs_.empty()) return work_->submit(frames_->image());
  graphs_[ring_->position()].launch(stream_);
}

void StreamSubject::describe(BenchmarkReport& report) const {
  report.device = vrt::describe(stream_.device());
  report.picture = frames_->first().size;
  report.format = frames_->first().format;
  report.network_input = work_->input();
  report.backend = work_->backend();
  report.graph_nodes = graphs_.empty() ? 0 : graphs_.front().node_count();
}

/// Looks at the GPU between frames, on the thread that measures: a thread of its own would compete with the frames for the driver's
/// locks. What a look takes is in no stage.
class GpuWatch {
 public:
  GpuWatch(Device device, std::int64_t frames) : middle_(frames / 2), monitor_(GpuMonitor::open(device)) {
    report_.before = monitor_->sample();
  }

  void between_frames(std::int64_t done) {
    if (done != middle_ && Clock::now() - last_ < std::chrono::milliseconds(500)) return;
    report_.during.push_back(monitor_->sample());
    last_ = Clock::now();
  }

  GpuReport finish() {
    report_.after = monitor_->sample();
    report_.facts = monitor_->facts();
    std::vector<GpuState> all = report_.during;
    all.insert(all.end(), {report_.before, report_.after});
    report_.throttling = throttling_in(all, report_.during);
    return std::move(report_);
  }

 private:
  std::int64_t middle_;
  std::unique_ptr<GpuMonitor> monitor_;
  GpuReport report_;
  Clock::time_point last_ = Clock::now();
};

void add_stages(const BenchmarkSamples& samples, BenchmarkReport& report) {
  for (std::size_t i = 0; i < kFrameStages; ++i) {
    const auto stage = static_cast<FrameStage>(i);
    if (!samples.of(stage).empty()) report.stages.push_back({stage, distribution_of(samples.of(stage))});
  }
  report.problems = samples.problems;
  const auto& frames = samples.of(FrameStage::kFrame);
  const double total = std::accumulate(frames.begin(), frames.end(), 0.0);
  report.frames_per_second = static_cast<double>(frames.size()) * 1000 / total;
}

}  // namespace

std::string_view stage_name(FrameStage stage, Device device) {
  constexpr std::array<std::string_view, kFrameStages> kNames{"source", "enqueue", "gpu", "wait", "finalise", "frame"};
  if (stage == FrameStage::kDevice && device.is_cpu()) return "worker";
  return kNames[static_cast<std::size_t>(stage)];
}

void check_options(const BenchmarkOptions& options) {
  require(options.frames >= BenchmarkOptions::kLeastFrames,
          "{} frames are too few to measure; ask for {} or more, so that the 99th percentile is one of them",
          options.frames, BenchmarkOptions::kLeastFrames);
  require(options.warm_up >= 0, "the warm-up is {} frames; it must be 0 or more", options.warm_up);
  require(std::max(options.frames, options.warm_up) <= BenchmarkOptions::kMostFrames,
          "{} frames are too many; {} are the most, measured or of warm-up", std::max(options.frames, options.warm_up),
          BenchmarkOptions::kMostFrames);
  require(
      !options.graph || options.synthetic,
      "a graph holds the addresses of its frames, which a source's frames do not keep; measure it with made frames");
}

BenchmarkReport run_benchmark(const BenchmarkOptions& options, const BenchmarkHooks& hooks) {
  check_options(options);
  const auto begun = Clock::now();
  BenchmarkReport report;
  StreamSubject subject(options, hooks);
  subject.describe(report);
  report.setup_seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  std::optional<GpuWatch> watch;
  if (options.device.is_cuda()) watch.emplace(options.device, options.frames);
  const auto between_frames = [&](std::int64_t done) {
    report.detections += subject.detections();
    if (watch) watch->between_frames(done);
  };
  const BenchmarkSamples samples = measure_frames(
      subject,
      {.warm_up = options.warm_up, .frames = options.frames, .between_frames = between_frames, .stop = hooks.stop});
  report.stopped = samples.stopped;
  if (report.stopped) return report;
  if (watch) report.gpu = watch->finish();
  report.restarts = samples.restarts;
  add_stages(samples, report);
  return report;
}

}  // namespace vrt
