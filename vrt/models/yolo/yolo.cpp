#include "vrt/models/yolo/yolo.h"

#include <memory>
#include <string>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/device/format_device.h"
#include "vrt/engine/onnx_metadata.h"
#include "vrt/models/common/detection_buffers.h"
#include "vrt/models/common/engine_tensors.h"
#include "vrt/models/common/instance_masks.h"
#include "vrt/models/common/picture_network.h"
#include "vrt/models/yolo/yolo_decoder.h"
#include "vrt/models/yolo/yolo_format.h"
#include "vrt/models/yolo/yolo_input.h"

namespace vrt {
namespace {

constexpr std::int32_t kInputMultiple = 32;
constexpr float kGreatestScore =
    1.01F;  // Rounding, of float16 too, gives less. Logits are above it for what is found for sure.
constexpr float kPadding = 114;  // The grey that the networks were trained with.

const YoloOptions& checked(const YoloOptions& options) {
  require(options.score_threshold >= 0 && options.score_threshold <= 1, "score_threshold must be in [0, 1], not {}",
          options.score_threshold);
  require(options.nms_threshold >= 0 && options.nms_threshold <= 1, "nms_threshold must be in [0, 1], not {}",
          options.nms_threshold);
  require(options.max_detections >= 1 && options.max_detections <= Yolo::kMostDetections,
          "max_detections must be in [1, {}], not {}", Yolo::kMostDetections, options.max_detections);
  require(options.keypoints >= 0, "keypoints cannot be {}", options.keypoints);
  return options;
}

// What the caller says counts more than what the file says.
YoloFormat format_of(const Engine& engine, const YoloOptions& options) {
  const Size input = picture_input_of(engine, "YOLO");
  try {
    YoloFacts facts = yolo_facts_of(read_onnx_metadata(engine.model()));
    facts.input = input;
    if (options.task) facts.task = options.task;
    if (options.layout) facts.layout = options.layout;
    if (options.names) facts.names = options.names;
    if (options.keypoints > 0) {
      facts.keypoints = options.keypoints;
      facts.keypoint_values = 3;
    }
    return recognise_yolo(outputs_of_a_picture(engine), facts);
  } catch (const Error& error) {
    fail(error.code(), "{}: {}", engine.model().string(), error.what());
  }
}

}  // namespace

PreprocessOptions yolo_preprocessing(Size input, YoloLayout layout) {
  PreprocessOptions options;
  options.target = input;
  options.mode = ResizeMode::kLetterbox;
  options.pad_position = PadPosition::kCenter;
  options.interpolation = Interpolation::kBilinear;
  options.order = ChannelOrder::kRgb;
  options.pad_value = kPadding;
  options.scale = 1.0F / 255.0F;
  if (layout != YoloLayout::kYolox) return options;
  options.pad_position = PadPosition::kBottomRight;
  options.order = ChannelOrder::kBgr;
  options.scale = 1;
  return options;
}

struct YoloResult::State {
  State(const Stream& stream, std::int32_t most, std::int32_t keypoints, std::shared_ptr<const ClassNames> names,
        const MaskOptions& options)
      : objects(stream, most, keypoints, std::move(names)), masks(stream, options) {}

  DetectionBuffers objects;
  InstanceMasks masks;
  // Whose values scores are, for messages.
  std::string model;
  std::string output;
};

YoloResult::YoloResult(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
YoloResult::~YoloResult() = default;
YoloResult::YoloResult(YoloResult&&) noexcept = default;
YoloResult& YoloResult::operator=(YoloResult&&) noexcept = default;

std::span<const Detection> YoloResult::detections() const {
  const std::span<const Detection> found = state_->objects.detections();
  for (const Detection& each : found) {
    require(each.score <= kGreatestScore,
            "{}: the output '{}' gives a score of {}: expected probabilities, from 0 to 1; export the network with the "
            "sigmoid of its class scores",
            state_->model, state_->output, each.score);
  }
  return found;
}
std::int32_t YoloResult::candidate_count() const { return state_->objects.candidate_count(); }
DeviceSpan<const CropBox> YoloResult::device_boxes() const { return state_->objects.device_boxes(); }
DeviceSpan<const std::int32_t> YoloResult::device_count() const { return state_->objects.device_count(); }
std::size_t YoloResult::mask_count() const { return state_->masks.count_of(state_->objects.found_count()); }
DeviceMaskView YoloResult::device_mask(std::size_t index) const { return state_->masks.device_mask(index); }
MaskView YoloResult::mask(std::size_t index) const { return state_->masks.mask(index, state_->objects.found_count()); }

struct Yolo::State {
  State(const Engine& engine, const Stream& on, const YoloOptions& chosen)
      : options(checked(chosen)),
        format(format_of(engine, options)),
        names(std::make_shared<const ClassNames>(format.names)),
        network(engine, on, yolo_preprocessing(picture_input_of(engine, "YOLO"), format.layout)),
        decoder(on, format, options) {}

  void check(const DetectionBuffers& objects) const {
    const Device device = network.stream().device();
    require(objects.device() == device && objects.most() == static_cast<std::size_t>(options.max_detections),
            "the result is for {} objects on {}, this detector gives {} on {}", objects.most(), objects.device(),
            options.max_detections, device);
  }
  [[nodiscard]] YoloOutputs outputs(std::size_t picture) const {
    YoloOutputs outputs;
    outputs.objects = network.output(format.output, picture);
    if (format.coefficients > 0) outputs.prototypes = network.output(format.prototypes, picture);
    return outputs;
  }

  YoloOptions options;
  YoloFormat format;
  std::shared_ptr<const ClassNames> names;
  PictureNetwork network;
  YoloDecoder decoder;
};

Engine Yolo::open_engine(const std::filesystem::path& model, Device device, Size input, EngineOptions options) {
  if (input != Size{}) {
    require(
        input.width > 0 && input.height > 0 && input.width % kInputMultiple == 0 && input.height % kInputMultiple == 0,
        "YOLO's input must be multiples of {} in both directions, not {}x{}", kInputMultiple, input.width,
        input.height);
    set_picture_input(options, input);
  }
  return Engine::open(model, device, options);
}

Yolo::Yolo(const Engine& engine, const Stream& stream, const YoloOptions& options)
    : state_(std::make_unique<State>(engine, stream, options)) {}
Yolo::~Yolo() = default;
Yolo::Yolo(Yolo&&) noexcept = default;
Yolo& Yolo::operator=(Yolo&&) noexcept = default;

YoloTask Yolo::task() const noexcept { return state_->format.task; }
YoloLayout Yolo::layout() const noexcept { return state_->format.layout; }
const ClassNames& Yolo::names() const noexcept { return *state_->names; }

YoloResult Yolo::allocate_result(const YoloResultOptions& options) const {
  require(options.masks.size == Size{} || task() == YoloTask::kSegment, "{}: this YOLO network gives no masks",
          state_->network.engine().model().string());
  auto result = std::make_unique<YoloResult::State>(state_->network.stream(), state_->options.max_detections,
                                                    state_->format.keypoints, state_->names, options.masks);
  const Engine& engine = state_->network.engine();
  result->model = engine.model().string();
  result->output = engine.outputs()[state_->format.output].name;
  return YoloResult(std::move(result));
}

void Yolo::submit(const ImageView& image, YoloResult& result) {
  YoloResult* const only = &result;
  submit(std::span(&image, 1), std::span(&only, 1));
}

void Yolo::submit(std::span<const ImageView> images, std::span<YoloResult* const> results) {
  require_results(images, results);
  for (const YoloResult* result : results) state_->check(result->state_->objects);
  state_->network.submit(images);
  for (std::size_t i = 0; i < results.size(); ++i) {
    YoloResult::State& found = *results[i]->state_;
    state_->decoder.submit(state_->outputs(i), state_->network.mapping(i), found.objects, found.masks);
    found.objects.enqueue_read_back(state_->network.stream());
    found.masks.enqueue_read_back(state_->network.stream());
  }
}

GraphNode Yolo::input_node() const { return state_->network.input_node(); }

void Yolo::update(Graph& graph, GraphNode input, const ImageView& image) {
  state_->network.update(graph, input, image);
}

}  // namespace vrt
