#include "vrt/models/centerface/centerface.h"

#include <algorithm>
#include <optional>
#include <string>

#include "vrt/base/fail.h"
#include "vrt/models/centerface/centerface_format.h"
#include "vrt/models/centerface/centerface_input.h"
#include "vrt/models/centerface/face_buffers.h"
#include "vrt/models/centerface/face_decoder.h"
#include "vrt/models/common/engine_tensors.h"
#include "vrt/models/common/picture_input.h"

namespace vrt {
namespace {

constexpr std::int32_t kStride = 4;          // Input pixels a cell of the outputs.
constexpr std::int32_t kInputMultiple = 32;  // The network halves its input five times.

// The network's only input as a size, checked.
Size input_size_of(const Engine& engine) {
  require(engine.inputs().size() == 1, "{}: CenterFace has 1 input, this network has {}", engine.model().string(),
          engine.inputs().size());
  const TensorInfo& input = engine.inputs()[0];
  const Shape& shape = input.shape;
  require(input.type == DType::kFloat32 && shape.rank() == 4 && shape[0] == 1 && shape[1] == 3 && shape[2] > 0 &&
              shape[3] > 0 && shape[2] % kInputMultiple == 0 && shape[3] % kInputMultiple == 0,
          "{}: input '{}' is {} {}, CenterFace takes float32 [1, 3, H, W] with H and W multiples of {}; open the "
          "engine with "
          "CenterFace::open_engine",
          engine.model().string(), input.name, to_string(input.type), to_string(shape), kInputMultiple);
  return {static_cast<std::int32_t>(shape[3]), static_cast<std::int32_t>(shape[2])};
}

CenterFaceOutputIndices find_outputs(const Engine& engine, Size grid) {
  const auto found = find_centerface_outputs(engine.outputs(), {1, Shape::kDynamic, grid.height, grid.width});
  require(found.has_value(),
          "{}: not CenterFace's outputs: expected float32 maps of {}x{} cells with 1, 2, 2 and 10 channels, found {}",
          engine.model().string(), grid.width, grid.height, describe_tensors(engine.outputs()));
  return *found;
}

CenterFaceOutputs outputs_of(const Session& session, Size input) {
  const Size grid = centerface_grid(input);
  const CenterFaceOutputIndices index = find_outputs(session.engine(), grid);
  return {grid, session.output(index.heatmap).as<float>(), session.output(index.scale).as<float>(),
          session.output(index.offset).as<float>(), session.output(index.landmarks).as<float>()};
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
      : stream(on),
        session(engine, on),
        picture(on, centerface_preprocessing(input_size_of(engine)), session.input(0).as<float>()),
        outputs(outputs_of(session, picture.size())),
        decoder(on, outputs.grid, checked(options)) {}

  Stream stream;
  Session session;
  PictureInput picture;
  CenterFaceOutputs outputs;  // The session's memory.
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
  options.input_shapes[""] = Shape{1, 3, input.height, input.width};
  return Engine::open(model, device, options);
}

CenterFace::CenterFace(const Engine& engine, const Stream& stream, const CenterFaceOptions& options)
    : state_(std::make_unique<State>(engine, stream, options)) {}
CenterFace::~CenterFace() = default;
CenterFace::CenterFace(CenterFace&&) noexcept = default;
CenterFace& CenterFace::operator=(CenterFace&&) noexcept = default;

CenterFaceResult CenterFace::allocate_result() const {
  return CenterFaceResult(std::make_unique<CenterFaceResult::State>(state_->stream));
}

void CenterFace::submit(const ImageView& image, CenterFaceResult& result) {
  CenterFaceResult::State& faces = *result.state_;
  require(faces.device() == state_->stream.device(), "the result is for {}, this detector runs on {}",
          to_string(faces.device()), to_string(state_->stream.device()));
  const ResizeMapping mapping = state_->picture.submit(image);
  state_->session.submit();
  state_->decoder.submit(state_->outputs, mapping, faces.device_spans());
  faces.enqueue_read_back(state_->stream);
}

GraphNode CenterFace::input_node() const { return state_->picture.node(); }

void CenterFace::update(Graph& graph, GraphNode input, const ImageView& image) {
  state_->picture.update(graph, input, image);
}

}  // namespace vrt
