#include "vrt/models/xfeat/xfeat.h"

#include <span>
#include <string>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/device/format_device.h"
#include "vrt/models/common/engine_tensors.h"
#include "vrt/models/common/picture_network.h"
#include "vrt/models/xfeat/feature_buffers.h"
#include "vrt/models/xfeat/feature_decoder.h"
#include "vrt/models/xfeat/xfeat_format.h"

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

XFeatOutputIndices find_outputs(const Engine& engine, Size input) {
  const auto found = find_xfeat_outputs(outputs_of_a_picture(engine), 1, input.height, input.width);
  require(found.has_value(),
          "{}: not XFeat's outputs: expected float32 [1, {}, {}, {}] and twice [1, 1, {}, {}], found {}",
          engine.model().string(), XFeat::kChannels, input.height / kStride, input.width / kStride, input.height,
          input.width, describe_tensors(engine.outputs()));
  return *found;
}

const XFeatOptions& checked(const XFeatOptions& options) {
  require(options.threshold >= 0 && options.threshold <= 1, "threshold must be in [0, 1], not {}", options.threshold);
  require(options.max_keypoints >= 1 && options.max_keypoints <= XFeat::kMaxKeypoints,
          "max_keypoints must be in [1, {}], not {}", XFeat::kMaxKeypoints, options.max_keypoints);
  return options;
}

}  // namespace

PreprocessOptions xfeat_preprocessing(Size input) { return {.target = input}; }

std::optional<XFeatOutputIndices> find_xfeat_outputs(std::span<const TensorInfo> outputs, std::int64_t batch,
                                                     std::int64_t rows, std::int64_t columns) {
  const auto at_stride = [](std::int64_t extent) {
    return extent == Shape::kDynamic ? Shape::kDynamic : extent / kStride;
  };
  const auto descriptors = outputs_of_shape(outputs, {batch, XFeat::kChannels, at_stride(rows), at_stride(columns)});
  const auto maps = outputs_of_shape(outputs, {batch, 1, rows, columns});
  if (descriptors.size() != 1 || maps.size() != 2) return std::nullopt;
  const auto is_reliability = [&](std::size_t i) { return outputs[i].name.find("reliab") != std::string::npos; };
  const bool reliability_first = is_reliability(maps[0]) && !is_reliability(maps[1]);
  return XFeatOutputIndices{descriptors[0], maps[reliability_first ? 1 : 0], maps[reliability_first ? 0 : 1]};
}

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
      : options(checked(wanted)),
        network(engine, on, xfeat_preprocessing(input_size_of(engine))),
        index(find_outputs(engine, network.input())),
        decoder(on, network.input(), options) {}

  void check(const FeatureBuffers& features) const {
    require(features.device() == network.stream().device(), "the result is for {}, this payload runs on {}",
            features.device(), network.stream().device());
    require(features.capacity() >= options.max_keypoints, "the result has room for {} keypoints, expected {}",
            features.capacity(), options.max_keypoints);
  }
  [[nodiscard]] XFeatOutputs outputs(std::size_t picture) const {
    return {network.input(), network.output(index.descriptors, picture), network.output(index.heatmap, picture),
            network.output(index.reliability, picture)};
  }

  XFeatOptions options;
  PictureNetwork network;
  XFeatOutputIndices index;
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
  set_picture_input(options, input);
  return Engine::open(model, device, options);
}

XFeat::XFeat(const Engine& engine, const Stream& stream, const XFeatOptions& options)
    : state_(std::make_unique<State>(engine, stream, options)) {}
XFeat::~XFeat() = default;
XFeat::XFeat(XFeat&&) noexcept = default;
XFeat& XFeat::operator=(XFeat&&) noexcept = default;

XFeatResult XFeat::allocate_result(const FeatureResultOptions& options) const {
  return XFeatResult(
      std::make_unique<XFeatResult::State>(state_->network.stream(), state_->options.max_keypoints, options));
}

void XFeat::submit(const ImageView& image, XFeatResult& result) {
  XFeatResult* const only = &result;
  submit(std::span(&image, 1), std::span(&only, 1));
}

void XFeat::submit(std::span<const ImageView> images, std::span<XFeatResult* const> results) {
  require_results(images, results);
  for (const XFeatResult* result : results) state_->check(*result->state_);
  state_->network.submit(images);
  for (std::size_t i = 0; i < results.size(); ++i) {
    XFeatResult::State& features = *results[i]->state_;
    state_->decoder.submit(state_->outputs(i), state_->network.mapping(i), features.device_spans());
    features.enqueue_read_back(state_->network.stream());
  }
}

GraphNode XFeat::input_node() const { return state_->network.input_node(); }

void XFeat::update(Graph& graph, GraphNode input, const ImageView& image) {
  state_->network.update(graph, input, image);
}

}  // namespace vrt
