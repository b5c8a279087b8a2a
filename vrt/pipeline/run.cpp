#include "vrt/pipeline/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <span>
#include <thread>

#include "vrt/base/fail.h"
#include "vrt/pipeline/draw_findings.h"
#include "vrt/pipeline/lanes.h"
#include "vrt/pipeline/model_pool.h"
#include "vrt/pipeline/outputs.h"
#include "vrt/view/annotate.h"

namespace vrt {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// How frames are spread over streams and slots.
struct Layout {
  /// Frames between the waiting and the writing thread, beside the one that is being written.
  static constexpr std::size_t kQueued = 2;

  std::size_t lanes = 1;
  std::size_t in_flight = 2;

  static Layout choose(Device device, SourceKind kind) {
    if (!device.is_cpu() || kind == SourceKind::kPicture) return {};
    const std::size_t lanes = lanes_for_video(device);
    return {lanes, 2 * lanes};  // One frame runs and one is queued behind it, so that no lane waits for the writer.
  }
  /// Frames that are alive at once: in flight, queued, being written.
  [[nodiscard]] std::size_t frames() const { return in_flight + kQueued + 1; }
  [[nodiscard]] std::size_t slots_per_lane() const { return (frames() + lanes - 1) / lanes; }
  /// A frame that was given back can be filled again only when its stream is past what was queued behind it.
  [[nodiscard]] SourceOptions source_options() const { return {static_cast<std::int32_t>(frames() + in_flight)}; }
};

/// A network of the run as its results name it.
struct Member {
  std::string name;
  const ModelFamily* family = nullptr;
  std::int64_t findings = 0;
};

/// Results are told apart by their networks' names: one that an earlier network has gets a number behind it.
std::string unused_name(const std::vector<Member>& members, const std::string& name) {
  std::string unused = name;
  for (int number = 2; std::ranges::find(members, unused, &Member::name) != members.end(); ++number)
    unused = fmt::format("{}#{}", name, number);
  return unused;
}

std::vector<Member> name_all(const std::vector<ModelChoice>& models, const std::vector<PoolModel>& chosen) {
  std::vector<Member> members;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const std::string name = models[i].name.empty() ? models[i].file.stem().string() : models[i].name;
    members.push_back({unused_name(members, name), chosen[i].family});
  }
  return members;
}

class Run {
 public:
  Run(const RunOptions& options, const RunHooks& hooks)
      : options_(options),
        hooks_(hooks),
        source_(options.source, options.device, Layout::choose(options.device, SourceKind::kVideo).source_options()),
        layout_(Layout::choose(options.device, source_.info().kind)),
        chosen_(choose_models(options.models)),
        members_(name_all(options.models, chosen_)),
        pool_(pool_options()),
        in_flight_(layout_.in_flight),
        done_(Layout::kQueued),
        findings_(members_.size()) {
    if (!options.save.empty()) pictures_.emplace(options.save, source_.info());
    if (!options.json.empty()) {
      const auto pictures = picture_files(options.source, source_.info().kind);
      const bool in_folder = source_.info().kind == SourceKind::kFolder && options.json != "-";
      if (in_folder) require_beside_pictures(options.json, options.source, pictures, options.save);
      json_.emplace(options.json, options.json_format, pictures);
    }
    (void)pool_.lane_for(source_.info().size, 0);
  }

  RunReport execute();

 private:
  [[nodiscard]] ModelPoolOptions pool_options() const;
  void submit_all();
  bool submit_next();
  void hand_on_oldest();
  void write_all();
  void write(Slot& slot);
  void read(Slot& slot);
  void finish_outputs();
  void remember(std::exception_ptr error);
  [[nodiscard]] bool should_end() const;
  [[nodiscard]] bool stop_requested() const { return hooks_.stop != nullptr && hooks_.stop->load(); }
  [[nodiscard]] std::optional<std::int64_t> total() const;
  [[nodiscard]] RunReport report() const;

  const RunOptions& options_;
  const RunHooks& hooks_;
  Source source_;
  Layout layout_;
  std::optional<PictureOutput> pictures_;
  std::optional<JsonOutput> json_;
  std::vector<PoolModel> chosen_;
  std::vector<Member> members_;
  ModelPool pool_;
  BoundedQueue<Slot*> in_flight_;  ///< Submitted, in order; only the submitting thread uses it.
  BoundedQueue<Slot*> done_;       ///< Results are on the host; closed at the end.
  Canvas canvas_;
  std::vector<ModelFindings> findings_;  ///< Of the frame that is written.
  StageTimes times_;
  Clock::time_point start_;
  std::int64_t submitted_ = 0;
  std::int64_t written_ = 0;
  std::int64_t detections_ = 0;
  std::mutex error_mutex_;
  std::exception_ptr error_;
  std::atomic<bool> failed_ = false;
};

ModelPoolOptions Run::pool_options() const {
  ModelPoolOptions pool;
  pool.models = chosen_;
  pool.device = options_.device;
  pool.engine = options_.engine;
  pool.wanted = {options_.score_threshold, !options_.save.empty() || !options_.json.empty()};
  pool.lanes = layout_.lanes;
  pool.slots_per_lane = layout_.slots_per_lane();
  pool.precision = options_.precision;
  pool.largest_difference = options_.largest_difference;
  pool.stop = hooks_.stop;
  pool.building = hooks_.building;
  pool.source = options_.source;
  return pool;
}

RunReport Run::execute() {
  start_ = Clock::now();
  std::thread writer([this] { write_all(); });
  try {
    submit_all();
  } catch (...) {
    remember(std::current_exception());
  }
  done_.close();
  writer.join();
  if (error_) std::rethrow_exception(error_);
  finish_outputs();
  return report();
}

void Run::finish_outputs() {
  // Nothing to show after an early end is no reason to replace what was there. On the standard output nothing was.
  if (pictures_ && written_ > 0) pictures_->finish();
  if (json_ && (written_ > 0 || options_.json == "-")) json_->finish();
}

void Run::submit_all() {
  while (!should_end() && submit_next()) {
    if (in_flight_.size() == layout_.in_flight) hand_on_oldest();
  }
  while (in_flight_.size() > 0) hand_on_oldest();
}

bool Run::submit_next() {
  const std::size_t number = static_cast<std::size_t>(submitted_) % layout_.lanes;
  const auto asked = Clock::now();
  auto frame = source_.next(pool_.stream(number));
  if (!frame) return false;
  times_.add(Stage::kSource, Clock::now() - asked);
  const Size size = frame->image().size;
  if (pool_.must_drain_for(size)) {
    while (in_flight_.size() > 0) hand_on_oldest();
  }
  Lane& lane = pool_.lane_for(size, number);
  Slot& slot = **lane.free.pop();
  slot.frame.emplace(std::move(*frame));
  times_.time(Stage::kSubmit, [&] { lane.submit(slot, slot.frame->image()); });
  in_flight_.push(&slot);
  ++submitted_;
  return true;
}

void Run::hand_on_oldest() {
  Slot& slot = **in_flight_.pop();
  times_.time(Stage::kWait, [&] { slot.done.synchronize(); });
  done_.push(&slot);
}

void Run::write_all() {
  while (const auto slot = done_.pop()) {
    try {
      if (!failed_) write(**slot);
    } catch (...) {
      remember(std::current_exception());
    }
    (*slot)->lane->release(**slot);
  }
}

void Run::read(Slot& slot) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    findings_[i] = slot.results[i]->findings();
    findings_[i].model = members_[i].name;
    if (findings_[i].embeddings) findings_[i].embeddings->of = pool_.boxes_from(i).value_or(0);
    members_[i].findings += slot.results[i]->count();
  }
}

void Run::write(Slot& slot) {
  const Frame& frame = *slot.frame;
  read(slot);
  const std::span<const ModelFindings> models = findings_;
  if (pictures_) {
    times_.time(Stage::kDraw, [&] {
      canvas_.set(frame.host_image());
      draw_findings(canvas_, models);
    });
    times_.time(Stage::kEncode, [&] { pictures_->write(canvas_.view(), frame.source(), frame.time()); });
  }
  if (json_) {
    times_.time(Stage::kJson,
                [&] { json_->write({frame.source(), frame.index(), frame.time(), frame.host_image().size, models}); });
  }
  ++written_;
  for (const ModelFindings& found : models) detections_ += static_cast<std::int64_t>(found.detections.size());
  if (hooks_.progress) hooks_.progress({written_, total(), seconds_since(start_)});
}

void Run::remember(std::exception_ptr error) {
  const std::scoped_lock lock(error_mutex_);
  if (!error_) error_ = std::move(error);
  failed_ = true;
}

bool Run::should_end() const {
  return failed_ || stop_requested() || (options_.max_frames > 0 && submitted_ == options_.max_frames);
}

std::optional<std::int64_t> Run::total() const {
  const auto count = source_.info().frame_count;
  if (options_.max_frames == 0) return count;
  return count ? std::min(*count, options_.max_frames) : options_.max_frames;
}

RunReport Run::report() const {
  RunReport report;
  report.source = source_.info();
  report.frames = written_;
  report.detections = detections_;
  report.stopped_early = stop_requested();
  report.seconds = seconds_since(start_);
  report.device = options_.device;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Engine& engine = pool_.engine(i);
    const Shape& input = engine.inputs()[0].shape;
    report.models.push_back({members_[i].name,
                             std::string(members_[i].family->title),
                             fmt::format("{} {}", engine.backend_name(), engine.backend_version()),
                             {static_cast<std::int32_t>(input[-1]), static_cast<std::int32_t>(input[-2])},
                             members_[i].findings});
  }
  report.stages = times_.summary();
  return report;
}

}  // namespace

RunReport run_detection(const RunOptions& options, const RunHooks& hooks) {
  const auto start = Clock::now();
  require(!options.models.empty(), "a run needs at least one model");
  std::vector<Place> read{{"the source", options.source}};
  for (const ModelChoice& model : options.models) read.push_back({"the model", model.file});
  require_places_of_their_own(
      read, {{"the annotated output", options.save}, {"the JSON output", options.json == "-" ? "" : options.json}});
  Run run(options, hooks);
  const double setup_seconds = seconds_since(start);
  RunReport report = run.execute();
  report.setup_seconds = setup_seconds;
  return report;
}

}  // namespace vrt
