#include "vrt/models/centerface/centerface.h"

#include <algorithm>
#include <string>

#include "vrt/base/fail.h"
#include "vrt/device/format_device.h"
#include "vrt/models/centerface/centerface_format.h"
#include "vrt/models/centerface/centerface_input.h"
#include "vrt/models/centerface/face_buffers.h"
#include "vrt/models/centerface/face_decoder.h"
#include "vrt/models/common/engine_tensors.h"
#include "vrt/models/common/picture_network.h"

namespace vrt {
namespace {

constexpr std::int32_t kStride = 4;          // Input pixels a cell of the outputs.
constexpr std::int32_t kInputMultiple = 32;  // The network halves its input five times.

// The network's input as a size, checked. CenterFace's own file declares ten pictures of 32×32, which is no size to run it at.
Size input_size_of(const Engine& engine) {
  const Size size = picture_input_of(engine, "CenterFace");
  const TensorInfo& input = engine.inputs()[0];
  const bool is_placeholder = !input.batched && input.shape == Shape{10, 3, 32, 32};
  require(
      !is_placeholder && size.width % kInputMultiple == 0 && size.height % kInputMultiple == 0,
      "{}: input '{}' is {} {}, CenterFace takes multiples of {} in both directions, and pictures larger than that; "
      "open the engine with CenterFace::open_engine",
      engine.model().string(), input.name, to_string(input.type), to_string(input.shape), kInputMultiple);
  return size;
}

CenterFaceOutputIndices find_outputs(const Engine& engine, Size grid) {
  const auto found =
      find_centerface_outputs(outputs_of_a_picture(engine), {1, Shape::kDynamic, grid.height, grid.width});
  require(found.has_value(),
          "{}: not CenterFace's outputs: expected float32 maps of {}x{} cells with 1, 2, 2 and 10 channels, found {}",
          engine.model().string(), grid.width, grid.height, describe_tensors(engine.outputs()));
  return *found;
}

const CenterFaceOptions& checked(const CenterFaceOptions& options) {
  require(options.score_threshold >= 0 && options.score_threshold <= 1, "score_threshold must be in [0, 1], not {}",
          options.score_threshold);
  require(options.nms_threshold >= 0 && options.nms_threshold <= 1, "nms_threshold must be in [0, 1], not {}",
          options.nms_threshold);
  return options;
}

}  // namespace

std::optional<CenterFaceOutputIndices> find_centerface_outputs(std::span<const TensorInfo> outputs, const Shape& map) {
  const auto maps_with = [&](std::int64_t channels) {
    return outputs_of_shape(outputs, {map[0], channels, map[2], map[3]});
  };
  const auto heatmap = maps_with(1);
  const auto pairs = maps_with(2);
  const auto landmarks = maps_with(std::int64_t{2} * CenterFace::kLandmarks);
  if (heatmap.size() != 1 || pairs.size() != 2 || landmarks.size() != 1) return std::nullopt;
  const auto calls_itself_offset = [&](std::size_t i) { return outputs[i].name.find("offset") != std::string::npos; };
  const bool offset_first = calls_itself_offset(pairs[0]) && !calls_itself_offset(pairs[1]);
  return CenterFaceOutputIndices{heatmap[0], pairs[offset_first ? 1 : 0], pairs[offset_first ? 0 : 1], landmarks[0]};
}

// RGB, 0..255, not normalised; aspect kept, since the network was trained on undistorted faces.
PreprocessOptions centerface_preprocessing(Size input) {
  PreprocessOptions options;
  options.target = input;
  options.mode = ResizeMode::kLetterbox;
  options.interpolation = Interpolation::kBilinear;
  options.order = ChannelOrder::kRgb;
  options.scale = 1;
  return options;
}

Size centerface_grid(Size input) { return {input.width / kStride, input.height / kStride}; }

struct CenterFaceResult::State : FaceBuffers {
  using FaceBuffers::FaceBuffers;
};

CenterFaceResult::CenterFaceResult(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
CenterFaceResult::~CenterFaceResult() = default;
CenterFaceResult::CenterFaceResult(CenterFaceResult&&) noexcept = default;
CenterFaceResult& CenterFaceResult::operator=(CenterFaceResult&&) noexcept = default;

std::span<const Detection> CenterFaceResult::detections() const { return state_->detections(); }

std::int32_t CenterFaceResult::candidate_count() const { return state_->candidate_count(); }
DeviceSpan<const CropBox> CenterFaceResult::device_boxes() const { return state_->device_boxes(); }
DeviceSpan<const std::int32_t> CenterFaceResult::device_count() const { return state_->device_count(); }

bool CenterFaceResult::candidates_overflowed() const { return candidate_count() > CenterFace::kMaxCandidates; }

struct CenterFace::State {
  State(const Engine& engine, const Stream& on, const CenterFaceOptions& options)
      : network(engine, on, centerface_preprocessing(input_size_of(engine))),
        index(find_outputs(engine, centerface_grid(network.input()))),
        decoder(on, centerface_grid(network.input()), checked(options)) {}

  void check(const FaceBuffers& faces) const {
    require(faces.device() == network.stream().device(), "the result is for {}, this detector runs on {}",
            faces.device(), network.stream().device());
  }
  [[nodiscard]] CenterFaceOutputs outputs(std::size_t picture) const {
    return {centerface_grid(network.input()), network.output(index.heatmap, picture),
            network.output(index.scale, picture), network.output(index.offset, picture),
            network.output(index.landmarks, picture)};
  }

  PictureNetwork network;
  CenterFaceOutputIndices index;
  FaceDecoder decoder;
};

Size CenterFace::input_size_for(Size picture) {
  require(picture.width > 0 && picture.height > 0, "no network input fits a picture of {}x{}", picture.width,
          picture.height);
  const std::int64_t longer = std::max(picture.width, picture.height);
  const std::int64_t wanted = std::clamp<std::int64_t>(longer, 320, 640);
  const auto round_up = [&](std::int64_t side) {
    const std::int64_t unit = longer * kInputMultiple;
    return static_cast<std::int32_t>((side * wanted + unit - 1) / unit * kInputMultiple);
  };
  return {round_up(picture.width), round_up(picture.height)};
}

Engine CenterFace::open_engine(const std::filesystem::path& model, Device device, Size input, EngineOptions options) {
  require(
      input.width > 0 && input.height > 0 && input.width % kInputMultiple == 0 && input.height % kInputMultiple == 0,
      "CenterFace's input must be multiples of {} in both directions, not {}x{}", kInputMultiple, input.width,
      input.height);
  set_picture_input(options, input);
  return Engine::open(model, device, options);
}

CenterFace::CenterFace(const Engine& engine, const Stream& stream, const CenterFaceOptions& options)
    : state_(std::make_unique<State>(engine, stream, options)) {}
CenterFace::~CenterFace() = default;
CenterFace::CenterFace(CenterFace&&) noexcept = default;
CenterFace& CenterFace::operator=(CenterFace&&) noexcept = default;

CenterFaceResult CenterFace::allocate_result() const {
  return CenterFaceResult(std::make_unique<CenterFaceResult::State>(state_->network.stream()));
}

void CenterFace::submit(const ImageView& image, CenterFaceResult& result) {
  CenterFaceResult* const only = &result;
  submit(std::span(&image, 1), std::span(&only, 1));
}

void CenterFace::submit(std::span<const ImageView> images, std::span<CenterFaceResult* const> results) {
  require_results(images, results);
  for (const CenterFaceResult* result : results) state_->check(*result->state_);
  state_->network.submit(images);
  for (std::size_t i = 0; i < results.size(); ++i) {
    CenterFaceResult::State& faces = *results[i]->state_;
    state_->decoder.submit(state_->outputs(i), state_->network.mapping(i), faces.device_spans());
    faces.enqueue_read_back(state_->network.stream());
  }
}

GraphNode CenterFace::input_node() const { return state_->network.input_node(); }

void CenterFace::update(Graph& graph, GraphNode input, const ImageView& image) {
  state_->network.update(graph, input, image);
}

}  // namespace vrt
