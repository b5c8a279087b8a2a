#include "vrt/models/rfdetr/rfdetr_seg.h"

#include <optional>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/models/common/detection_buffers.h"
#include "vrt/models/common/instance_masks.h"
#include "vrt/models/rfdetr/appearance.h"
#include "vrt/models/rfdetr/rfdetr_network.h"

namespace vrt {
namespace {

std::optional<TokenPooling> pooling_for(const RfDetrNetwork& network) {
  const RfDetrFormat& format = network.format();
  if (!format.tokens) return std::nullopt;
  return TokenPooling(network.stream(),
                      {.mask_width = format.mask_grid.width,
                       .mask_height = format.mask_grid.height,
                       .token_width = format.token_grid.width,
                       .token_height = format.token_grid.height,
                       .channels = format.token_channels},
                      network.most());
}

}  // namespace

struct RfDetrSegResult::State {
  DetectionBuffers objects;
  InstanceMasks masks;
  AppearanceBuffers appearance;
};

RfDetrSegResult::RfDetrSegResult(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
RfDetrSegResult::~RfDetrSegResult() = default;
RfDetrSegResult::RfDetrSegResult(RfDetrSegResult&&) noexcept = default;
RfDetrSegResult& RfDetrSegResult::operator=(RfDetrSegResult&&) noexcept = default;

std::span<const Detection> RfDetrSegResult::detections() const { return state_->objects.detections(); }
std::int32_t RfDetrSegResult::candidate_count() const { return state_->objects.candidate_count(); }
DeviceSpan<const CropBox> RfDetrSegResult::device_boxes() const { return state_->objects.device_boxes(); }
DeviceSpan<const std::int32_t> RfDetrSegResult::device_count() const { return state_->objects.device_count(); }
std::size_t RfDetrSegResult::mask_count() const { return state_->masks.count_of(state_->objects.found_count()); }
DeviceMaskView RfDetrSegResult::device_mask(std::size_t index) const { return state_->masks.device_mask(index); }
MaskView RfDetrSegResult::mask(std::size_t index) const {
  return state_->masks.mask(index, state_->objects.found_count());
}
DeviceSpan<const float> RfDetrSegResult::device_appearance() const {
  return std::as_const(state_->appearance).vectors();
}
std::span<const float> RfDetrSegResult::appearance(std::size_t index) const {
  return state_->appearance.host_vector(index, state_->objects.found_count());
}
std::size_t RfDetrSegResult::appearance_size() const noexcept { return state_->appearance.channels(); }

struct RfDetrSeg::State {
  State(const Engine& engine, const Stream& stream, const RfDetrOptions& options)
      : network(engine, stream, RfDetrExtra::kMasks, options), upsampler(stream), pooling(pooling_for(network)) {}

  void decode(std::size_t picture, RfDetrSegResult::State& found) {
    const RfDetrFormat& format = network.format();
    const ResizeMapping mapping = network.decode(picture, found.objects);
    const FoundSpans objects = found.objects.found();
    const auto masks = network.output(*format.masks, picture);
    upsampler.submit({masks, format.mask_grid, objects.indices, {}}, mapping, objects.count, found.masks);
    if (pooling) pooling->submit(masks, network.output(*format.tokens, picture), objects, found.appearance);
    found.objects.enqueue_read_back(network.stream());
    found.masks.enqueue_read_back(network.stream());
    found.appearance.enqueue_read_back(network.stream());
  }

  RfDetrNetwork network;
  MaskUpsampler upsampler;
  std::optional<TokenPooling> pooling;
};

Engine RfDetrSeg::open_engine(const std::filesystem::path& model, Device device, const EngineOptions& options) {
  return Engine::open(model, device, options);
}

RfDetrSeg::RfDetrSeg(const Engine& engine, const Stream& stream, const RfDetrOptions& options)
    : state_(std::make_unique<State>(engine, stream, options)) {}
RfDetrSeg::~RfDetrSeg() = default;
RfDetrSeg::RfDetrSeg(RfDetrSeg&&) noexcept = default;
RfDetrSeg& RfDetrSeg::operator=(RfDetrSeg&&) noexcept = default;

const ClassNames& RfDetrSeg::names() const noexcept { return state_->network.names(); }
bool RfDetrSeg::has_appearance() const noexcept { return state_->pooling.has_value(); }

RfDetrSegResult RfDetrSeg::allocate_result(const RfDetrSegResultOptions& options) const {
  const RfDetrNetwork& network = state_->network;
  require(!options.appearance || has_appearance(),
          "{}: this RF-DETR network gives no token grid, so that there is no appearance", network.model().string());
  require(options.appearance || !options.read_back_appearance, "read_back_appearance needs appearance");
  AppearanceBuffers appearance;
  if (options.appearance) {
    appearance = AppearanceBuffers(network.stream(), network.most(), network.format().token_channels,
                                   options.read_back_appearance);
  }
  return RfDetrSegResult(std::make_unique<RfDetrSegResult::State>(RfDetrSegResult::State{
      network.allocate_objects(), InstanceMasks(network.stream(), options.masks), std::move(appearance)}));
}

void RfDetrSeg::submit(const ImageView& image, RfDetrSegResult& result) {
  RfDetrSegResult* const only = &result;
  submit(std::span(&image, 1), std::span(&only, 1));
}

void RfDetrSeg::submit(std::span<const ImageView> images, std::span<RfDetrSegResult* const> results) {
  require_results(images, results);
  for (const RfDetrSegResult* result : results) state_->network.check(result->state_->objects);
  state_->network.submit(images);
  for (std::size_t i = 0; i < results.size(); ++i) state_->decode(i, *results[i]->state_);
}

GraphNode RfDetrSeg::input_node() const { return state_->network.pictures().input_node(); }

void RfDetrSeg::update(Graph& graph, GraphNode input, const ImageView& image) {
  state_->network.pictures().update(graph, input, image);
}

}  // namespace vrt
