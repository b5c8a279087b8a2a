#include "vrt/models/osnet/osnet.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "vrt/base/fail.h"
#include "vrt/device/format_device.h"
#include "vrt/device/kernel.h"
#include "vrt/engine/engine_state.h"
#include "vrt/models/common/engine_tensors.h"
#include "vrt/models/common/load_kernel.h"
#include "vrt/models/common/result_buffer.h"
#include "vrt/models/osnet/osnet_counts_cu.h"
#include "vrt/models/osnet/osnet_embed_cu.h"
#include "vrt/models/osnet/osnet_format.h"

namespace vrt {
namespace {

constexpr std::size_t kCropFloats = std::size_t{3} * OsNet::kCrop.width * OsNet::kCrop.height;

using Counts = void(DeviceSpan<const std::int32_t>, std::int32_t, std::int32_t, std::int32_t, DeviceSpan<std::int32_t>,
                    DeviceSpan<std::int32_t>);
using Embed = void(DeviceSpan<const float>, DeviceSpan<const std::int32_t>, std::int32_t, DeviceSpan<float>);

// Boxes a run.
std::int32_t batch_of(const Engine& engine) {
  require(is_osnet_input(engine.inputs()), "{}: OSNet has one input, float32 [B, 3, {}, {}], found {}",
          engine.model().string(), OsNet::kCrop.height, OsNet::kCrop.width, describe_tensors(engine.inputs()));
  return static_cast<std::int32_t>(engine.inputs()[0].shape[0]);
}

std::int32_t channels_of(const Engine& engine, std::int32_t batch) {
  require(is_osnet_output(engine.outputs(), batch), "{}: not OSNet's output: expected one, float32 [{}, C], found {}",
          engine.model().string(), batch, describe_tensors(engine.outputs()));
  return static_cast<std::int32_t>(engine.outputs()[0].shape[1]);
}

PreprocessOptions preprocessing() {
  return {.target = OsNet::kCrop, .mean = {0.485F, 0.456F, 0.406F}, .standard_deviation = {0.229F, 0.224F, 0.225F}};
}

const OsNetOptions& checked(const OsNetOptions& options) {
  require(options.max_boxes >= 1 && options.max_boxes <= OsNet::kMaxBoxes, "max_boxes must be in [1, {}], not {}",
          OsNet::kMaxBoxes, options.max_boxes);
  return options;
}

std::int32_t runs_for(std::int32_t boxes, std::int32_t batch) { return (boxes + batch - 1) / batch; }

}  // namespace

bool is_osnet_input(std::span<const TensorInfo> inputs) {
  return is_only(inputs, {Shape::kDynamic, 3, OsNet::kCrop.height, OsNet::kCrop.width});
}

bool is_osnet_output(std::span<const TensorInfo> outputs, std::int64_t batch) {
  return is_only(outputs, {batch, Shape::kDynamic});
}

struct EmbeddingResult::State {
  State(const Stream& stream, std::int32_t max_boxes, std::int32_t width, const EmbeddingResultOptions& options)
      : device(stream.device()),
        capacity(max_boxes),
        channels(static_cast<std::size_t>(width)),
        embeddings(stream, static_cast<std::size_t>(max_boxes) * channels,
                   options.read_back ? ReadBack::kWanted : ReadBack::kNone),
        device_count(DeviceBuffer<std::int32_t>::zeros(stream, 1)),
        count(device, 1),
        boxes(device, static_cast<std::size_t>(max_boxes)),
        box_count(device, 1) {}

  void enqueue_read_back(const Stream& stream) {
    read_back(stream, device_count.span(), count.span());
    embeddings.enqueue_read_back(stream);
  }

  Device device;
  std::int32_t capacity;
  std::size_t channels;
  ResultBuffer<float> embeddings;
  DeviceBuffer<std::int32_t> device_count;
  PinnedBuffer<std::int32_t> count;
  // Boxes of the host on their way.
  PinnedBuffer<CropBox> boxes;
  PinnedBuffer<std::int32_t> box_count;
};

EmbeddingResult::EmbeddingResult(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
EmbeddingResult::~EmbeddingResult() = default;
EmbeddingResult::EmbeddingResult(EmbeddingResult&&) noexcept = default;
EmbeddingResult& EmbeddingResult::operator=(EmbeddingResult&&) noexcept = default;

std::int32_t EmbeddingResult::count() const { return state_->count[0]; }

std::span<const float> EmbeddingResult::embeddings() const {
  require(state_->embeddings.is_read_back(),
          "these embeddings stay on {}: allocate the result with read_back to see them on the host", state_->device);
  return std::as_const(state_->embeddings).host().first(static_cast<std::size_t>(count()) * state_->channels);
}

DeviceSpan<const float> EmbeddingResult::device_embeddings() const { return std::as_const(state_->embeddings).span(); }
DeviceSpan<const std::int32_t> EmbeddingResult::device_count() const { return state_->device_count.span(); }

struct OsNet::State {
  State(const Engine& engine, const Stream& on, const OsNetOptions& wanted)
      : stream(on),
        options(checked(wanted)),
        batch(batch_of(engine)),
        channels(channels_of(engine, batch)),
        is_batched(engine.inputs()[0].batched),
        smallest_batch(is_batched ? engine.state()->batch().smallest : batch),
        session(engine, on),
        preprocessor(on, preprocessing()),
        input(session.input(0).as<float>()),
        features(session.output(0).as<float>()),
        boxes(DeviceBuffer<CropBox>::uninitialized(on, static_cast<std::size_t>(options.max_boxes))),
        box_count(DeviceBuffer<std::int32_t>::uninitialized(on, 1)),
        counts(DeviceBuffer<std::int32_t>::uninitialized(on,
                                                         static_cast<std::size_t>(runs_for(options.max_boxes, batch)))),
        count_runs(load_kernel<Counts>(on, kernels::osnet_counts_cu, "osnet_counts")),
        embed(load_kernel<Embed>(on, kernels::osnet_embed_cu, "osnet_embed")) {}

  void check(const EmbeddingResult::State& result, std::size_t room) const {
    require(result.device == stream.device(), "the result is for {}, this payload runs on {}", result.device,
            stream.device());
    require(result.capacity >= options.max_boxes && result.channels == static_cast<std::size_t>(channels),
            "the result has room for {} embeddings of {} values, expected {} of {}", result.capacity, result.channels,
            options.max_boxes, channels);
    require(room <= static_cast<std::size_t>(options.max_boxes),
            "{} boxes: this payload takes {}, see OsNetOptions::max_boxes", room, options.max_boxes);
  }

  // All boxes there is room for, `batch` at a time.
  void submit(const ImageView& image, DeviceSpan<const CropBox> from, DeviceSpan<const std::int32_t> count,
              EmbeddingResult::State& result) {
    const auto room = static_cast<std::int32_t>(from.size());
    const std::int32_t runs = runs_for(room, batch);
    const auto one = static_cast<std::uint64_t>(std::max(runs, 1));
    count_runs.launch(stream, grid_1d(one, 32), count, room, batch, std::max(runs, 1), counts.span(),
                      result.device_count.span());
    if (Graph::is_capturing(stream)) input_nodes.clear();
    for (std::int32_t run = 0; run < runs; ++run) {
      const auto first = static_cast<std::size_t>(run) * static_cast<std::size_t>(batch);
      const auto boxes_here = boxes_of(from, run);
      submit_run(image, boxes_here, count_of(run),
                 result.embeddings.span().subspan(first * result.channels, boxes_here.size() * result.channels));
    }
    result.enqueue_read_back(stream);
  }

  // What a run takes of all boxes.
  [[nodiscard]] DeviceSpan<const CropBox> boxes_of(DeviceSpan<const CropBox> all, std::int32_t run) const {
    const auto first = static_cast<std::size_t>(run) * static_cast<std::size_t>(batch);
    return all.subspan(first, std::min(static_cast<std::size_t>(batch), all.size() - first));
  }
  [[nodiscard]] DeviceSpan<const std::int32_t> count_of(std::int32_t run) const {
    return counts.span().subspan(static_cast<std::size_t>(run), 1);
  }

  void submit_run(const ImageView& image, DeviceSpan<const CropBox> from, DeviceSpan<const std::int32_t> count,
                  DeviceSpan<float> embeddings) {
    preprocessor.submit_crops(image, from, count, input.subspan(0, from.size() * kCropFloats));
    if (Graph::is_capturing(stream)) input_nodes.push_back(Graph::last_node(stream));
    if (is_batched) session.set_batch(std::max(static_cast<std::int64_t>(from.size()), smallest_batch));
    session.submit();
    embed.launch(stream, grid_1d(from.size() * 32), features, count, channels, embeddings);
  }

  Stream stream;
  OsNetOptions options;
  std::int32_t batch;
  std::int32_t channels;
  bool is_batched;
  std::int64_t smallest_batch;
  Session session;
  Preprocessor preprocessor;
  DeviceSpan<float> input;  // The session's memory, as are the features.
  DeviceSpan<const float> features;
  DeviceBuffer<CropBox> boxes;  // Those that come from the host.
  DeviceBuffer<std::int32_t> box_count;
  DeviceBuffer<std::int32_t> counts;   // Of the runs.
  std::vector<GraphNode> input_nodes;  // Of the last capture, one for each run.
  Kernel<Counts> count_runs;
  Kernel<Embed> embed;
};

Engine OsNet::open_engine(const std::filesystem::path& model, Device device, std::int32_t batch,
                          EngineOptions options) {
  require(batch >= 1, "a batch of {} boxes: expected at least 1", batch);
  if (options.batch.largest == 0) options.input_shapes[""] = Shape{batch, 3, kCrop.height, kCrop.width};
  return Engine::open(model, device, options);
}

OsNet::OsNet(const Engine& engine, const Stream& stream, const OsNetOptions& options)
    : state_(std::make_unique<State>(engine, stream, options)) {}
OsNet::~OsNet() = default;
OsNet::OsNet(OsNet&&) noexcept = default;
OsNet& OsNet::operator=(OsNet&&) noexcept = default;

std::int32_t OsNet::channels() const noexcept { return state_->channels; }

EmbeddingResult OsNet::allocate_result(const EmbeddingResultOptions& options) const {
  return EmbeddingResult(
      std::make_unique<EmbeddingResult::State>(state_->stream, state_->options.max_boxes, state_->channels, options));
}

void OsNet::submit(const ImageView& image, std::span<const Box> boxes, EmbeddingResult& result) {
  State& state = *state_;
  EmbeddingResult::State& into = *result.state_;
  state.check(into, boxes.size());
  std::ranges::transform(boxes, into.boxes.data(),
                         [](const Box& box) { return CropBox{box.x1, box.y1, box.x2, box.y2}; });
  into.box_count[0] = static_cast<std::int32_t>(boxes.size());
  const auto on_device = state.boxes.span().subspan(0, boxes.size());
  const auto staged = std::as_const(into.boxes).span().subspan(0, boxes.size());
  if (!boxes.empty()) upload(state.stream, staged, on_device);
  upload(state.stream, into.box_count.span(), state.box_count.span());
  state.submit(image, on_device, state.box_count.span(), into);
}

void OsNet::submit(const ImageView& image, DeviceSpan<const CropBox> boxes, DeviceSpan<const std::int32_t> count,
                   EmbeddingResult& result) {
  state_->check(*result.state_, boxes.size());
  require(count.size() == 1, "the count of boxes has {} elements: expected one", count.size());
  state_->submit(image, boxes, count, *result.state_);
}

std::vector<GraphNode> OsNet::input_nodes() const {
  require(!state_->input_nodes.empty(), "no submit of this payload was captured");
  return state_->input_nodes;
}

void OsNet::update(Graph& graph, std::span<const GraphNode> inputs, const ImageView& image,
                   DeviceSpan<const CropBox> boxes) {
  const std::int32_t runs = runs_for(static_cast<std::int32_t>(boxes.size()), state_->batch);
  require(inputs.size() == static_cast<std::size_t>(runs), "{} boxes take {} runs, there are {} nodes", boxes.size(),
          runs, inputs.size());
  for (std::int32_t run = 0; run < runs; ++run) {
    const auto here = state_->boxes_of(boxes, run);
    state_->preprocessor.update_crops(graph, inputs[static_cast<std::size_t>(run)], image, here, state_->count_of(run),
                                      state_->input.subspan(0, here.size() * kCropFloats));
  }
}

}  // namespace vrt
