#include "vrt/pipeline/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <mutex>
#include <span>
#include <thread>

#include "vrt/base/fail.h"
#include "vrt/base/log.h"
#include "vrt/pipeline/draw_findings.h"
#include "vrt/pipeline/lanes.h"
#include "vrt/pipeline/model_pool.h"
#include "vrt/pipeline/outputs.h"
#include "vrt/view/annotate.h"

namespace vrt {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// How frames are spread over streams and slots.
struct Layout {
  /// Frames between the waiting and the writing thread, beside the one that is being written.
  static constexpr std::size_t kQueued = 2;
  static constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();

  std::size_t lanes = 1;
  std::size_t in_flight = 2;
  std::size_t most_frames = kUnknown;  ///< That come at most.

  /// No more slots than frames: room for those that never come is not cheap where they are large. A single one has one lane, which uses
  /// all threads; more have what a video has, whose engine may be kept.
  static Layout choose(Device device, std::size_t most_frames) {
    const std::size_t lanes = device.is_cpu() && most_frames > 1 ? lanes_for_video(device) : 1;
    // One frame runs and one is queued behind it, so that no lane waits for the writer.
    return {lanes, std::min(2 * lanes, most_frames), most_frames};
  }
  /// Frames that are alive at once: in flight, queued, being written.
  [[nodiscard]] std::size_t frames() const { return std::min(in_flight + kQueued + 1, most_frames); }
  [[nodiscard]] std::size_t slots_per_lane() const { return (frames() + lanes - 1) / lanes; }
  /// A frame that was given back can be filled again only when its stream is past what was queued behind it.
  [[nodiscard]] SourceOptions source_options() const { return {static_cast<std::int32_t>(frames() + in_flight)}; }
};

/// Pictures are counted before the first is read; what a container says of its video is not to be relied on.
std::size_t most_frames_of(const SourceInfo& source) {
  const bool is_counted = source.kind != SourceKind::kVideo && source.frame_count;
  return is_counted ? static_cast<std::size_t>(*source.frame_count) : Layout::kUnknown;
}

/// What `call` cannot do with a picture is said of it by its name: there may be many.
template <typename Call>
decltype(auto) naming(const std::string& picture, const Call& call) {
  try {
    return call();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidArgument) throw;
    throw Error(error.code(), fmt::format("{}: {}", picture, error.message()), std::string(error.cause()));
  }
}

/// A network of the run as its results name it.
struct Member {
  std::string name;
  const ModelFamily* family = nullptr;
  std::int64_t findings = 0;
  std::int64_t left_out = 0;
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

/// Everything that the run reads.
std::vector<Place> read_by(const RunOptions& options) {
  std::vector<Place> read{{"the source", options.source}};
  for (const ModelChoice& model : options.models) add_places_of(model, read);
  return read;
}

class Run {
 public:
  Run(const RunOptions& options, const RunHooks& hooks)
      : options_(options),
        hooks_(hooks),
        source_(options.source, options.device, Layout::choose(options.device, Layout::kUnknown).source_options()),
        layout_(Layout::choose(options.device, most_frames_of(source_.info()))),
        chosen_(choose_models(options.models)),
        members_(name_all(options.models, chosen_)),
        pool_(pool_options()),
        in_flight_(layout_.in_flight),
        done_(Layout::kQueued),
        findings_(members_.size()) {
    const auto pictures = picture_files(options.source, source_.info().kind);
    const bool is_folder = source_.info().kind == SourceKind::kFolder;
    if (!options.save.empty()) {
      if (is_folder) require_names_of_their_own(pictures, options.save, read_by(options));
      pictures_.emplace(options.save, source_.info());
    }
    if (!options.json.empty()) {
      if (is_folder && options.json != "-")
        require_beside_pictures(options.json, options.source, pictures, options.save);
      json_.emplace(options.json, options.json_format, pictures);
    }
    set_up_for_first();
  }

  RunReport execute();

 private:
  [[nodiscard]] ModelPoolOptions pool_options() const;
  void set_up_for_first();
  [[nodiscard]] Lane& lane_for(Size picture, const std::string& name, std::size_t number);
  void submit_all();
  bool submit_next();
  void hand_on_oldest();
  void write_all();
  void write(Slot& slot);
  void read(Slot& slot);
  void count_left_out(Member& member, const EmbeddingFindings& embeddings);
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
  pool.wanted.score_threshold = options_.score_threshold;
  pool.wanted.read_back_dense = !options_.save.empty() || !options_.json.empty();
  // Readers of COCO results take the box of an object for its mask where that is missing.
  pool.wanted.masks_of_all = options_.json_format == JsonFormat::kCoco;
  pool.wanted.most_embeddings = options_.most_embeddings;
  pool.lanes = layout_.lanes;
  pool.slots_per_lane = layout_.slots_per_lane();
  pool.precision = options_.precision;
  pool.largest_difference = options_.largest_difference;
  pool.stop = hooks_.stop;
  pool.building = hooks_.building;
  pool.source = options_.source;
  return pool;
}

/// Networks are compiled before anything is written. Slots for pictures whose sizes differ, or that are few, are filled when they are used.
void Run::set_up_for_first() {
  const Size size = source_.info().size;
  const bool is_folder = source_.info().kind == SourceKind::kFolder;
  const fs::path first = is_folder
                             ? fs::path(options_.source) / picture_files(options_.source, SourceKind::kFolder).front()
                             : fs::path(options_.source);
  (void)lane_for(size, first.string(), 0);
  if (source_.info().kind == SourceKind::kVideo) naming(first.string(), [&] { pool_.fill_slots(size); });
}

Lane& Run::lane_for(Size picture, const std::string& name, std::size_t number) {
  naming(name, [&] { pool_.require_inputs_for(picture); });
  return pool_.lane_for(picture, number);
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
  if (naming(frame->source(), [&] { return pool_.must_drain_for(size); })) {
    while (in_flight_.size() > 0) hand_on_oldest();
  }
  Lane& lane = lane_for(size, frame->source(), number);
  Slot& slot = **lane.free.pop();
  slot.frame.emplace(std::move(*frame));
  times_.time(Stage::kSubmit, [&] { naming(slot.frame->source(), [&] { lane.submit(slot, slot.frame->image()); }); });
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
    members_[i].findings += slot.results[i]->count();
    if (!findings_[i].embeddings) continue;
    findings_[i].embeddings->of = pool_.boxes_from(i).value_or(0);
    count_left_out(members_[i], *findings_[i].embeddings);
  }
}

/// Said once, and in the report: the boxes of a network that embeds no more of them.
void Run::count_left_out(Member& member, const EmbeddingFindings& embeddings) {
  const std::size_t found = findings_[embeddings.of].detections.size();
  const std::size_t embedded = count_of(embeddings);
  if (found <= embedded) return;
  if (member.left_out == 0)
    log(LogLevel::kWarning,
        fmt::format("{}: frame {} has {} boxes, and {} are embedded, the best by score; --max-embeddings "
                    "(RunOptions::most_embeddings) takes more. The summary counts what is left out",
                    member.name, written_, found, embedded));
  member.left_out += static_cast<std::int64_t>(found - embedded);
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
                             members_[i].findings,
                             members_[i].left_out});
  }
  report.stages = times_.summary();
  return report;
}

}  // namespace

RunReport run_detection(const RunOptions& options, const RunHooks& hooks) {
  const auto start = Clock::now();
  require(!options.models.empty(), "a run needs at least one model");
  const std::string json = options.json == "-" ? "" : options.json;
  if (!options.save.empty() || !json.empty())
    require_places_of_their_own(read_by(options), {{"the annotated output", options.save}, {"the JSON output", json}});
  Run run(options, hooks);
  const double setup_seconds = seconds_since(start);
  RunReport report = run.execute();
  report.setup_seconds = setup_seconds;
  return report;
}

}  // namespace vrt
