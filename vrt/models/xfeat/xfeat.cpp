#include "vrt/models/xfeat/xfeat.h"

#include <string>
#include <utility>
#include <vector>

#include "vrt/base/fail.h"
#include "vrt/image/preprocessor.h"
#include "vrt/models/common/engine_tensors.h"
#include "vrt/models/xfeat/feature_buffers.h"
#include "vrt/models/xfeat/feature_decoder.h"

namespace vrt {
namespace {

constexpr std::int32_t kInputMultiple = 32;
constexpr std::int32_t kStride = 8;

Size input_size_of(const Engine& engine) {
  const Size size = picture_input_of(engine, "XFeat");
  require(size.width % kInputMultiple == 0 && size.height % kInputMultiple == 0,
          "{}: the input is {}x{}, XFeat takes multiples of {}; open the engine with XFeat::open_engine",
          engine.model().string(), size.width, size.height, kInputMultiple);
  return size;
}

// Positions of the network's outputs.
struct OutputIndices {
  std::size_t descriptors, heatmap, reliability;
};

// By shape. Heatmap and reliability have the same: the one that calls itself "reliab…" is the reliability; where neither or both do, the
// heatmap comes first.
OutputIndices find_outputs(const Engine& engine, Size input) {
  const auto descriptors =
      outputs_of_shape(engine, {1, XFeat::kChannels, input.height / kStride, input.width / kStride});
  const auto maps = outputs_of_shape(engine, {1, 1, input.height, input.width});
  require(descriptors.size() == 1 && maps.size() == 2,
          "{}: not XFeat's outputs: expected float32 [1, {}, {}, {}] and twice [1, 1, {}, {}], found {}",
          engine.model().string(), XFeat::kChannels, input.height / kStride, input.width / kStride, input.height,
          input.width, describe_tensors(engine.outputs()));
  const auto is_reliability = [&](std::size_t i) {
    return engine.outputs()[i].name.find("reliab") != std::string::npos;
  };
  const bool reliability_first = is_reliability(maps[0]) && !is_reliability(maps[1]);
  return {descriptors[0], maps[reliability_first ? 1 : 0], maps[reliability_first ? 0 : 1]};
}

XFeatOutputs outputs_of(const Session& session, Size input) {
  const OutputIndices index = find_outputs(session.engine(), input);
  return {input, session.output(index.descriptors).as<float>(), session.output(index.heatmap).as<float>(),
          session.output(index.reliability).as<float>()};
}

const XFeatOptions& checked(const XFeatOptions& options) {
  require(options.threshold >= 0 && options.threshold <= 1, "threshold must be in [0, 1], not {}", options.threshold);
  require(options.max_keypoints >= 1 && options.max_keypoints <= XFeat::kMaxKeypoints,
          "max_keypoints must be in [1, {}], not {}", XFeat::kMaxKeypoints, options.max_keypoints);
  return options;
}

}  // namespace

struct XFeatResult::State : FeatureBuffers {
  using FeatureBuffers::FeatureBuffers;
};

XFeatResult::XFeatResult(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
XFeatResult::~XFeatResult() = default;
XFeatResult::XFeatResult(XFeatResult&&) noexcept = default;
XFeatResult& XFeatResult::operator=(XFeatResult&&) noexcept = default;

std::span<const Keypoint> XFeatResult::keypoints() const { return state_->keypoints(); }
std::int32_t XFeatResult::candidate_count() const { return state_->candidate_count(); }
DescriptorSet XFeatResult::descriptors() const { return state_->descriptors(); }
std::span<const float> XFeatResult::host_descriptors() const { return state_->host_descriptors(); }

struct XFeat::State {
  State(const Engine& engine, const Stream& on, const XFeatOptions& wanted)
      : stream(on),
        options(checked(wanted)),
        session(engine, on),
        preprocessor(on, {.target = input_size_of(engine)}),
        input(session.input(0).as<float>()),
        outputs(outputs_of(session, preprocessor.options().target)),
        decoder(on, outputs.input, options) {}

  Stream stream;
  XFeatOptions options;
  Session session;
  Preprocessor preprocessor;
  DeviceSpan<float> input;  // The session's memory, as are the outputs.
  XFeatOutputs outputs;
  FeatureDecoder decoder;
};

Size XFeat::input_size_for(Size picture) {
  require(picture.width >= kInputMultiple && picture.height >= kInputMultiple,
          "XFeat has no input size for a picture of {}x{}: both sides are rounded down to multiples of {}; enlarge the "
          "picture",
          picture.width, picture.height, kInputMultiple);
  return {picture.width / kInputMultiple * kInputMultiple, picture.height / kInputMultiple * kInputMultiple};
}

Engine XFeat::open_engine(const std::filesystem::path& model, Device device, Size input, EngineOptions options) {
  require(
      input.width > 0 && input.height > 0 && input.width % kInputMultiple == 0 && input.height % kInputMultiple == 0,
      "XFeat's input must be multiples of {} in both directions, not {}x{}", kInputMultiple, input.width, input.height);
  options.input_shapes[""] = Shape{1, 3, input.height, input.width};
  return Engine::open(model, device, options);
}

XFeat::XFeat(const Engine& engine, const Stream& stream, const XFeatOptions& options)
    : state_(std::make_unique<State>(engine, stream, options)) {}
XFeat::~XFeat() = default;
XFeat::XFeat(XFeat&&) noexcept = default;
XFeat& XFeat::operator=(XFeat&&) noexcept = default;

XFeatResult XFeat::allocate_result(const FeatureResultOptions& options) const {
  return XFeatResult(std::make_unique<XFeatResult::State>(state_->stream, state_->options.max_keypoints, options));
}

void XFeat::submit(const ImageView& image, XFeatResult& result) {
  XFeatResult::State& features = *result.state_;
  require(features.device() == state_->stream.device(), "the result is for {}, this payload runs on {}",
          to_string(features.device()), to_string(state_->stream.device()));
  require(features.capacity() >= state_->options.max_keypoints, "the result has room for {} keypoints, expected {}",
          features.capacity(), state_->options.max_keypoints);
  const ResizeMapping mapping = state_->preprocessor.submit(image, state_->input);
  state_->session.submit();
  state_->decoder.submit(state_->outputs, mapping, features.device_spans());
  features.enqueue_read_back(state_->stream);
}

}  // namespace vrt
