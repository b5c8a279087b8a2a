#include "vrt/pipeline/detector_pool.h"

#include <algorithm>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/base/log.h"

namespace vrt {

Lane::Lane(const Engine& engine, const Stream& lane_stream, const CenterFaceOptions& options, std::size_t slot_count)
    : stream(lane_stream), detector(engine, lane_stream, options), free(slot_count) {
  for (std::size_t i = 0; i < slot_count; ++i) {
    slots.push_back(std::make_unique<Slot>(*this, detector.allocate_result(), lane_stream.device()));
    free.push(slots.back().get());
  }
}

void Lane::submit(Slot& slot, const ImageView& image) {
  // On the CPU the calls of a frame cost nothing beside its work; on a GPU they may cost more than it.
  if (stream.device().is_cuda() && is_capturable_) {
    launch_captured(slot, image);
  } else {
    detector.submit(image, slot.result);
  }
  slot.done.record(stream);
}

void Lane::launch_captured(Slot& slot, const ImageView& image) {
  if (slot.captured && slot.captured->picture == image.size) {
    detector.update(slot.captured->graph, slot.captured->input, image);
  } else {
    capture(slot, image);
    if (!is_capturable_) return detector.submit(image, slot.result);
  }
  slot.captured->graph.launch(stream);
}

void Lane::capture(Slot& slot, const ImageView& image) {
  slot.captured.reset();
  try {
    // Warm already: the session has run its network once, and the kernels are loaded.
    Graph graph =
        Graph::capture(stream, [&] { detector.submit(image, slot.result); }, {.warm_up = false, .foreign = {}});
    slot.captured.emplace(CapturedFrame{std::move(graph), detector.input_node(), image.size});
  } catch (const Error& error) {
    // Some backends run a part of a network on the host. Slower, but the same results.
    log(LogLevel::kWarning,
        fmt::format("a frame's work cannot be captured as a graph, and is enqueued call by call: {}", error.what()));
    is_capturable_ = false;
  }
}

DetectorPool::DetectorPool(DetectorPoolOptions options) : options_(std::move(options)) {
  require(options_.lanes > 0 && options_.slots_per_lane > 0, "a run needs at least one lane and one slot a lane");
  for (std::size_t i = 0; i < options_.lanes; ++i) streams_.emplace_back(options_.device);
}

DetectorPool::~DetectorPool() {
  for (const Stream& stream : streams_) {
    try {
      stream.synchronize();
    } catch (const Error& error) {
      // Only after a run that failed: the run reported what was first.
      log(LogLevel::kDebug, error.what());
    }
  }
}

bool DetectorPool::must_drain_for(Size picture) const {
  const Size input = CenterFace::input_size_for(picture);
  const bool open =
      std::any_of(groups_.begin(), groups_.end(), [&](const Group& group) { return group.input == input; });
  return !open && groups_.size() == kMaxSizes;
}

Lane& DetectorPool::lane_for(Size picture, std::size_t lane) {
  const Size input = CenterFace::input_size_for(picture);
  const auto found =
      std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) { return group.input == input; });
  if (found != groups_.end()) {
    groups_.splice(groups_.begin(), groups_, found);
  } else {
    if (groups_.size() == kMaxSizes) drop_oldest();
    groups_.push_front(open(input));
  }
  return *groups_.front().lanes[lane];
}

const Engine& DetectorPool::engine() const {
  if (groups_.empty()) fail(ErrorCode::kInternal, "no network is open yet");
  return groups_.front().engine;
}

Size DetectorPool::input() const {
  if (groups_.empty()) fail(ErrorCode::kInternal, "no network is open yet");
  return groups_.front().input;
}

DetectorPool::Group DetectorPool::open(Size input) const {
  EngineOptions engine_options;
  engine_options.backend = options_.engine;
  engine_options.hint = options_.lanes > 1 ? PerformanceHint::kThroughput : PerformanceHint::kLatency;
  engine_options.concurrent_sessions = static_cast<std::int32_t>(options_.lanes);
  engine_options.precision = options_.precision;
  engine_options.accuracy.largest_difference = options_.largest_difference;
  if (options_.stop != nullptr)
    engine_options.progress = [stop = options_.stop](const BuildProgress&) { return !stop->load(); };
  Group group{input, CenterFace::open_engine(options_.model, options_.device, input, engine_options), {}};
  for (const Stream& stream : streams_) {
    group.lanes.push_back(std::make_unique<Lane>(group.engine, stream, options_.detector, options_.slots_per_lane));
  }
  return group;
}

void DetectorPool::drop_oldest() {
  for (const auto& lane : groups_.back().lanes) {
    for (std::size_t i = 0; i < lane->slots.size(); ++i) lane->free.pop();  // Blocks until the last is given back.
  }
  groups_.pop_back();
}

}  // namespace vrt
