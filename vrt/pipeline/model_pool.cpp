#include "vrt/pipeline/model_pool.h"

#include <algorithm>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/base/log.h"
#include "vrt/pipeline/families/network_input.h"
#include "vrt/pipeline/families/recognition.h"
#include "vrt/pipeline/sample_frames.h"

namespace vrt {
namespace {

using BoxesFrom = std::vector<std::optional<std::size_t>>;

BoxesFrom choose_boxes(const std::vector<PoolModel>& models) {
  BoxesFrom from(models.size());
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (!models[i].family->takes_boxes) continue;
    const auto before = models.begin() + static_cast<std::ptrdiff_t>(i);
    const auto first = std::find_if(models.begin(), before, [](const PoolModel& m) { return m.family->gives_boxes; });
    require(first != before,
            "{}: {} looks at the boxes of another network, and none that gives boxes comes before it; name a detector "
            "first",
            models[i].file.string(), models[i].family->title);
    from[i] = static_cast<std::size_t>(first - models.begin());
  }
  return from;
}

/// The size that the file gives the network's input, where the family keeps to that; else what the caller says.
Size settled_input(const PoolModel& model) {
  if (!model.family->keeps_stated_input || model.input != Size{}) return model.input;
  const auto stated = stated_input(model.file);
  if (!stated || stated->rank() != 4 || !stated->is_static()) return {};
  return {static_cast<std::int32_t>((*stated)[3]), static_cast<std::int32_t>((*stated)[2])};
}

}  // namespace

namespace {

std::optional<ClassNames> read_names(const ModelChoice& choice, const ModelFamily& family) {
  if (choice.class_names.empty()) return std::nullopt;
  require(family.names_classes,
          "{}: {} has no classes that '{}' could name; take names for detectors of many classes "
          "and classifiers alone",
          choice.file.string(), family.title, choice.class_names.string());
  return ClassNames::read(choice.class_names);
}

}  // namespace

std::vector<PoolModel> choose_models(const std::vector<ModelChoice>& choices) {
  std::vector<PoolModel> models;
  for (const ModelChoice& choice : choices) {
    const ModelFamily& family = choice.family.empty() ? recognise_family(choice.file) : find_family(choice.family);
    models.push_back({&family, choice.file, choice.input, read_names(choice, family)});
  }
  return models;
}

Lane::Lane(const Stream& lane_stream, const BoxesFrom& boxes_from, std::size_t slot_count)
    : stream(lane_stream), models(boxes_from.size()), free(slot_count), boxes_from_(boxes_from) {
  for (std::size_t i = 0; i < slot_count; ++i) {
    slots.push_back(std::make_unique<Slot>(*this, lane_stream.device()));
    slots.back()->results.resize(models.size());
    free.push(slots.back().get());
  }
}

void Lane::allocate_results(Slot& slot, Size picture) const {
  if (slot.picture == picture) return;
  slot.captured.reset();  // It holds the memory of the results that go.
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (slot.results[i] && !models[i]->results_have_picture_size()) continue;
    slot.results[i].reset();  // First: the two need not fit into memory together.
    slot.results[i] = models[i]->allocate_result(picture);
  }
  slot.picture = picture;
}

const FrameResult* Lane::boxes_for(const Slot& slot, std::size_t model) const {
  return boxes_from_[model] ? slot.results[*boxes_from_[model]].get() : nullptr;
}

void Lane::enqueue(Slot& slot, const ImageView& image) const {
  for (std::size_t i = 0; i < models.size(); ++i) models[i]->submit(image, *slot.results[i], boxes_for(slot, i));
}

void Lane::submit(Slot& slot, const ImageView& image) {
  allocate_results(slot, image.size);
  // On the CPU the calls of a frame cost nothing beside its work; on a GPU they may cost more than it.
  if (stream.device().is_cuda() && is_capturable_) {
    launch_captured(slot, image);
  } else {
    enqueue(slot, image);
  }
  slot.done.record(stream);
}

void Lane::release(Slot& slot) {
  {
    const std::scoped_lock lock(capturing_);
    slot.frame.reset();
  }
  free.push(&slot);
}

void Lane::launch_captured(Slot& slot, const ImageView& image) {
  if (slot.captured && slot.captured->picture == image.size) {
    CapturedFrame& captured = *slot.captured;
    for (std::size_t i = 0; i < models.size(); ++i)
      models[i]->update(captured.graph, captured.inputs[i], image, boxes_for(slot, i));
  } else {
    capture(slot, image);
    if (!is_capturable_) return enqueue(slot, image);
  }
  slot.captured->graph.launch(stream);
}

void Lane::capture(Slot& slot, const ImageView& image) {
  slot.captured.reset();
  const std::scoped_lock lock(capturing_);
  try {
    // Warm already: the sessions have run their networks once, and the kernels are loaded.
    Graph graph = Graph::capture(stream, [&] { enqueue(slot, image); }, {.warm_up = false, .foreign = {}});
    CapturedFrame captured{std::move(graph), {}, image.size};
    for (const FrameModel* model : models) captured.inputs.push_back(model->input_nodes());
    slot.captured.emplace(std::move(captured));
  } catch (const Error& error) {
    // Some backends run a part of a network on the host. Slower, but the same results.
    log(LogLevel::kWarning,
        fmt::format("a frame's work cannot be captured as a graph, and is enqueued call by call: {}", error.what()));
    is_capturable_ = false;
  }
}

ModelPool::ModelPool(ModelPoolOptions options) : options_(std::move(options)), opened_(options_.models.size()) {
  require(options_.lanes > 0 && options_.slots_per_lane > 0, "a run needs at least one lane and one slot a lane");
  require(!options_.models.empty(), "a run needs at least one network");
  boxes_from_ = choose_boxes(options_.models);
  for (PoolModel& model : options_.models) model.input = settled_input(model);
  for (std::size_t i = 0; i < options_.lanes; ++i)
    lanes_.push_back(std::make_unique<Lane>(Stream(options_.device), boxes_from_, options_.slots_per_lane));
}

ModelPool::~ModelPool() {
  for (const auto& lane : lanes_) {
    try {
      lane->stream.synchronize();
    } catch (const Error& error) {
      // Only after a run that failed: the run reported what was first.
      log(LogLevel::kDebug, error.what());
    }
  }
}

Size ModelPool::input_of(std::size_t model, Size picture) const {
  const PoolModel& chosen = options_.models[model];
  const bool follows_picture = chosen.family->input_size_for != nullptr && chosen.input == Size{};
  return follows_picture ? chosen.family->input_size_for(picture) : chosen.input;
}

bool ModelPool::is_open(std::size_t model, Size input) const {
  const OpenedSizes& sizes = opened_[model];
  return std::any_of(sizes.begin(), sizes.end(), [&](const Opened& each) { return each.input == input; });
}

bool ModelPool::must_drain_for(Size picture) const {
  for (std::size_t i = 0; i < opened_.size(); ++i)
    if (opened_[i].size() == kMaxSizes && !is_open(i, input_of(i, picture))) return true;
  return false;
}

Lane& ModelPool::lane_for(Size picture, std::size_t lane) {
  for (std::size_t i = 0; i < opened_.size(); ++i) use(i, input_of(i, picture));
  return *lanes_[lane];
}

void ModelPool::fill_slots(Size picture) {
  for (const auto& lane : lanes_)
    for (const auto& slot : lane->slots) lane->allocate_results(*slot, picture);
}

void ModelPool::require_inputs_for(Size picture) const {
  for (std::size_t i = 0; i < opened_.size(); ++i) (void)input_of(i, picture);
}

/// Gives every lane the payload for that input size.
void ModelPool::use(std::size_t model, Size input) {
  OpenedSizes& sizes = opened_[model];
  const auto found = std::find_if(sizes.begin(), sizes.end(), [&](const Opened& each) { return each.input == input; });
  if (found != sizes.end()) {
    sizes.splice(sizes.begin(), sizes, found);
  } else {
    if (sizes.size() == kMaxSizes) drop_oldest(sizes);
    sizes.push_front(open(model, input));
  }
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
    lanes_[lane]->models[model] = sizes.front().payloads[lane].get();
}

const Engine& ModelPool::engine(std::size_t model) const {
  if (opened_[model].empty()) fail(ErrorCode::kInternal, "no network is open yet");
  return opened_[model].front().engine;
}

EngineOptions ModelPool::engine_options(const PoolModel& model, Size input) const {
  EngineOptions engine;
  engine.backend = options_.engine;
  engine.hint = options_.lanes > 1 ? PerformanceHint::kThroughput : PerformanceHint::kLatency;
  engine.concurrent_sessions = static_cast<std::int32_t>(options_.lanes);
  engine.precision = options_.precision;
  engine.accuracy.largest_difference = options_.largest_difference;
  engine.progress = [stop = options_.stop, told = options_.building](const BuildProgress& progress) {
    if (told) told(progress);
    return stop == nullptr || !stop->load();
  };
  if (options_.precision == Precision::kFloat32 || model.family->preprocessing == nullptr) return engine;
  engine.accuracy.make_samples = [this, model, input] { return samples_for(model, input); };
  engine.accuracy.samples_name = fmt::format("frames of '{}' as {} takes them", options_.source, model.family->title);
  return engine;
}

/// None but of a video: one picture says little more than noise, and those of a folder may have nothing in common.
std::vector<SampleInputs> ModelPool::samples_for(const PoolModel& model, Size input) const {
  constexpr std::int64_t kMostFrames = 160;  // Decoding them takes seconds, whatever the video's length.
  if (options_.source.empty() || Source(options_.source, Device::cpu()).info().kind != SourceKind::kVideo) return {};
  SampleChoice choice{.most_frames = kMostFrames, .stop = options_.stop};
  choice.pictures = pictures_of_a_run(model.file, input);
  return sample_frames(options_.source, choice, model.family->preprocessing(model.file, input), "");
}

ModelPool::Opened ModelPool::open(std::size_t model, Size input) const {
  const PoolModel& chosen = options_.models[model];
  Opened opened{input, chosen.family->open(chosen.file, options_.device, input, engine_options(chosen, input)), {}};
  FrameModelOptions wanted = options_.wanted;
  wanted.names = chosen.names;
  for (const auto& lane : lanes_) opened.payloads.push_back(chosen.family->make(opened.engine, lane->stream, wanted));
  return opened;
}

void ModelPool::drop_oldest(OpenedSizes& sizes) {
  // Nothing runs any longer, and whoever still reads results does not look at graphs.
  for (const auto& lane : lanes_)
    for (const auto& slot : lane->slots) slot->captured.reset();
  sizes.pop_back();
}

}  // namespace vrt
