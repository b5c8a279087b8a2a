#include "vrt/models/depth_anything/depth_anything.h"

#include <utility>

#include "vrt/base/fail.h"
#include "vrt/models/common/engine_tensors.h"
#include "vrt/models/common/picture_input.h"
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

PreprocessOptions preprocessing(Size input) {
  return {.target = input, .mean = {0.485F, 0.456F, 0.406F}, .standard_deviation = {0.229F, 0.224F, 0.225F}};
}

DepthGrid grid_of(const Session& session) {
  const Engine& engine = session.engine();
  require(is_depth_output(engine.outputs()),
          "{}: not Depth Anything's output: expected one, float32 [1, h, w] or [1, 1, h, w], found {}",
          engine.model().string(), describe_tensors(engine.outputs()));
  const Shape& shape = engine.outputs()[0].shape;
  return {{static_cast<std::int32_t>(shape[-1]), static_cast<std::int32_t>(shape[-2])}, session.output(0).as<float>()};
}

}  // namespace

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
      : stream(on),
        session(engine, on),
        picture(on, preprocessing(input_size_of(engine)), session.input(0).as<float>()),
        grid(grid_of(session)),
        mapper(on, kKind) {}

  Stream stream;
  Session session;
  PictureInput picture;
  DepthGrid grid;  // The session's memory.
  DepthMapper mapper;
};

template <DepthKind kKind>
Engine BasicDepthAnything<kKind>::open_engine(const std::filesystem::path& model, Device device, Size input,
                                              EngineOptions options) {
  require(input.width > 0 && input.height > 0 && input.width % kPatch == 0 && input.height % kPatch == 0,
          "Depth Anything's input must be multiples of {} in both directions, not {}x{}", kPatch, input.width,
          input.height);
  options.input_shapes[""] = Shape{1, 3, input.height, input.width};
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
  return Result(std::make_unique<typename Result::State>(state_->stream, state_->grid.size, options));
}

template <DepthKind kKind>
void BasicDepthAnything<kKind>::submit(const ImageView& image, Result& result) {
  DepthBuffers& maps = *result.state_;
  require(maps.device() == state_->stream.device(), "the result is for {}, this payload runs on {}",
          to_string(maps.device()), to_string(state_->stream.device()));
  state_->picture.submit(image);
  state_->session.submit();
  state_->mapper.submit(state_->grid, maps);
  maps.enqueue_read_back(state_->stream);
}

template <DepthKind kKind>
GraphNode BasicDepthAnything<kKind>::input_node() const {
  return state_->picture.node();
}

template <DepthKind kKind>
void BasicDepthAnything<kKind>::update(Graph& graph, GraphNode input, const ImageView& image) {
  state_->picture.update(graph, input, image);
}

template class BasicDepthResult<DepthKind::kMetric>;
template class BasicDepthResult<DepthKind::kRelative>;
template class BasicDepthAnything<DepthKind::kMetric>;
template class BasicDepthAnything<DepthKind::kRelative>;

}  // namespace vrt
