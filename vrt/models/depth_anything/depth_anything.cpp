#include "vrt/models/depth_anything/depth_anything.h"

#include <span>
#include <utility>
#include <vector>

#include "vrt/base/fail.h"
#include "vrt/device/format_device.h"
#include "vrt/models/common/engine_tensors.h"
#include "vrt/models/common/picture_network.h"
#include "vrt/models/depth_anything/depth_format.h"
#include "vrt/models/depth_anything/depth_maps.h"

namespace vrt {
namespace {

constexpr std::int32_t kPatch = DepthAnything::kPatch;

Size input_size_of(const Engine& engine) {
  const Size size = picture_input_of(engine, "Depth Anything");
  require(size.width % kPatch == 0 && size.height % kPatch == 0,
          "{}: the input is {}x{}, Depth Anything takes multiples of {}; open the engine with open_engine",
          engine.model().string(), size.width, size.height, kPatch);
  return size;
}

Size map_size_of(const Engine& engine) {
  require(is_depth_output(outputs_of_a_picture(engine)),
          "{}: not Depth Anything's output: expected one, float32 [1, h, w] or [1, 1, h, w], found {}",
          engine.model().string(), describe_tensors(engine.outputs()));
  const Shape& shape = engine.outputs()[0].shape;
  return {static_cast<std::int32_t>(shape[-1]), static_cast<std::int32_t>(shape[-2])};
}

}  // namespace

PreprocessOptions depth_preprocessing(Size input) {
  return {.target = input, .mean = {0.485F, 0.456F, 0.406F}, .standard_deviation = {0.229F, 0.224F, 0.225F}};
}

bool is_depth_output(std::span<const TensorInfo> outputs) {
  constexpr std::int64_t kAny = Shape::kDynamic;
  return is_only(outputs, {1, kAny, kAny}) || is_only(outputs, {1, 1, kAny, kAny});
}

template <DepthKind kKind>
struct BasicDepthResult<kKind>::State : DepthBuffers {
  using DepthBuffers::DepthBuffers;
};

template <DepthKind kKind>
BasicDepthResult<kKind>::BasicDepthResult(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
template <DepthKind kKind>
BasicDepthResult<kKind>::~BasicDepthResult() = default;
template <DepthKind kKind>
BasicDepthResult<kKind>::BasicDepthResult(BasicDepthResult&&) noexcept = default;
template <DepthKind kKind>
BasicDepthResult<kKind>& BasicDepthResult<kKind>::operator=(BasicDepthResult&&) noexcept = default;

template <DepthKind kKind>
DepthMapView BasicDepthResult<kKind>::metres() const
  requires(kKind == DepthKind::kMetric)
{
  return {state_->size(), state_->host_map()};
}

template <DepthKind kKind>
RelativeDepthMapView BasicDepthResult<kKind>::nearness() const
  requires(kKind == DepthKind::kRelative)
{
  return {state_->size(), state_->host_map()};
}

template <DepthKind kKind>
DeviceDepthMapView BasicDepthResult<kKind>::device_metres() const
  requires(kKind == DepthKind::kMetric)
{
  return {state_->size(), std::as_const(*state_).map()};
}

template <DepthKind kKind>
DeviceRelativeDepthMapView BasicDepthResult<kKind>::device_nearness() const
  requires(kKind == DepthKind::kRelative)
{
  return {state_->size(), std::as_const(*state_).map()};
}

template <DepthKind kKind>
ImageView BasicDepthResult<kKind>::picture() const {
  return state_->picture();
}

template <DepthKind kKind>
std::span<const std::uint8_t> BasicDepthResult<kKind>::host_picture() const {
  return state_->host_picture();
}

template <DepthKind kKind>
struct BasicDepthAnything<kKind>::State {
  State(const Engine& engine, const Stream& on)
      : network(engine, on, depth_preprocessing(input_size_of(engine))),
        map_size(map_size_of(engine)),
        mapper(on, kKind) {}

  void check(const DepthBuffers& maps) const {
    require(maps.device() == network.stream().device(), "the result is for {}, this payload runs on {}", maps.device(),
            network.stream().device());
  }

  PictureNetwork network;
  Size map_size;  // Of the network's output.
  DepthMapper mapper;
};

template <DepthKind kKind>
Engine BasicDepthAnything<kKind>::open_engine(const std::filesystem::path& model, Device device, Size input,
                                              EngineOptions options) {
  require(input.width > 0 && input.height > 0 && input.width % kPatch == 0 && input.height % kPatch == 0,
          "Depth Anything's input must be multiples of {} in both directions, not {}x{}", kPatch, input.width,
          input.height);
  set_picture_input(options, input);
  return Engine::open(model, device, options);
}

template <DepthKind kKind>
BasicDepthAnything<kKind>::BasicDepthAnything(const Engine& engine, const Stream& stream)
    : state_(std::make_unique<State>(engine, stream)) {}
template <DepthKind kKind>
BasicDepthAnything<kKind>::~BasicDepthAnything() = default;
template <DepthKind kKind>
BasicDepthAnything<kKind>::BasicDepthAnything(BasicDepthAnything&&) noexcept = default;
template <DepthKind kKind>
BasicDepthAnything<kKind>& BasicDepthAnything<kKind>::operator=(BasicDepthAnything&&) noexcept = default;

template <DepthKind kKind>
BasicDepthResult<kKind> BasicDepthAnything<kKind>::allocate_result(const DepthResultOptions& options) const {
  return Result(std::make_unique<typename Result::State>(state_->network.stream(), state_->map_size, options));
}

template <DepthKind kKind>
void BasicDepthAnything<kKind>::submit(const ImageView& image, Result& result) {
  Result* const only = &result;
  submit(std::span(&image, 1), std::span(&only, 1));
}

template <DepthKind kKind>
void BasicDepthAnything<kKind>::submit(std::span<const ImageView> images, std::span<Result* const> results) {
  require_results(images, results);
  for (const Result* result : results) state_->check(*result->state_);
  state_->network.submit(images);
  for (std::size_t i = 0; i < results.size(); ++i) {
    DepthBuffers& maps = *results[i]->state_;
    state_->mapper.submit({state_->map_size, state_->network.output(0, i)}, maps);
    maps.enqueue_read_back(state_->network.stream());
  }
}

template <DepthKind kKind>
GraphNode BasicDepthAnything<kKind>::input_node() const {
  return state_->network.input_node();
}

template <DepthKind kKind>
void BasicDepthAnything<kKind>::update(Graph& graph, GraphNode input, const ImageView& image) {
  state_->network.update(graph, input, image);
}

template class BasicDepthResult<DepthKind::kMetric>;
template class BasicDepthResult<DepthKind::kRelative>;
template class BasicDepthAnything<DepthKind::kMetric>;
template class BasicDepthAnything<DepthKind::kRelative>;

}  // namespace vrt
