// Depth Anything V2: depth for each pixel of one picture (Yang et al., "Depth Anything V2", 2024).
//
//   vrt::DepthAnything depth(vrt::DepthAnything::open_engine("depth.onnx", stream.device(), {518, 518}), stream);
//   auto metres = depth.allocate_result({.size = {1920, 1080}, .read_back = true});
//   depth.submit(frame.image(), metres);                                 // enqueued
//   stream.synchronize();
//   if (auto d = vrt::depth_at(metres.metres(), 960, 540)) { ... }
//
// The metric checkpoints give metres, the others inverse depth without a unit. Nothing in a model says which it is: the type does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "vrt/base/export.h"
#include "vrt/device/graph.h"
#include "vrt/device/stream.h"
#include "vrt/engine/engine.h"
#include "vrt/image/image.h"
#include "vrt/scene/depth_map.h"

namespace vrt {

/// What the numbers of a depth network are.
enum class DepthKind : std::int32_t {
  kMetric,    ///< Metres; 0 and below are not known.
  kRelative,  ///< Inverse depth up to a factor and an offset: greater is nearer.
};

/// What a depth result holds.
struct DepthResultOptions {
  Size size = {};          ///< Of the map, e.g. the picture's; empty: the network's own.
  bool read_back = false;  ///< Whether each submit copies the map, and the picture if there is one, to the host.
  bool colors = false;     ///< Whether each submit also paints the map.
};

/// The depth of one picture. Owned by the caller, made by BasicDepthAnything::allocate_result; movable. On the device for what is enqueued
/// behind `submit`; on the host, with read_back, after the wait that follows it. Views are valid until the next submit into this result.
template <DepthKind kKind>
class VRT_API BasicDepthResult {
 public:
  ~BasicDepthResult();
  BasicDepthResult(BasicDepthResult&&) noexcept;
  BasicDepthResult& operator=(BasicDepthResult&&) noexcept;

  /// Where a cell of the network's is not known, the pixels nearest to it are 0 (metric) or NaN (relative); nothing unknown is blended
  /// into what is known. Host only; throws kInvalidArgument if the result was allocated without read_back.
  [[nodiscard]] DepthMapView metres() const
    requires(kKind == DepthKind::kMetric);
  [[nodiscard]] RelativeDepthMapView nearness() const
    requires(kKind == DepthKind::kRelative);
  /// The same on the device.
  [[nodiscard]] DeviceDepthMapView device_metres() const
    requires(kKind == DepthKind::kMetric);
  [[nodiscard]] DeviceRelativeDepthMapView device_nearness() const
    requires(kKind == DepthKind::kRelative);

  /// The map as RGB8, from the farthest known value, blue, to the nearest, red; black where nothing is known. On the device. Throws
  /// kInvalidArgument if the result was allocated without colors.
  [[nodiscard]] ImageView picture() const;
  /// The same on the host: rows of RGB without padding. Throws kInvalidArgument without colors or read_back.
  [[nodiscard]] std::span<const std::uint8_t> host_picture() const;

 private:
  template <DepthKind>
  friend class BasicDepthAnything;
  struct State;
  explicit BasicDepthResult(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// The payload: session, kernels and scratch for one stream. Used from one thread at a time.
template <DepthKind kKind>
class VRT_API BasicDepthAnything {
 public:
  using Result = BasicDepthResult<kKind>;
  static constexpr std::int32_t kPatch = 14;  ///< Pixels; both sides of the input are multiples of it.

  /// Opens the model with an input of that size (518×518 is what it was trained with), for one picture a submit or as many as
  /// `options.batch` says. Blocks. Throws as Engine::open, and kInvalidArgument unless both sides are multiples of kPatch.
  [[nodiscard]] static Engine open_engine(const std::filesystem::path& model, Device device, Size input,
                                          EngineOptions options = {});

  /// Throws kInvalidArgument if the engine's input is not float32 [B, 3, H, W] with multiples of kPatch, or its output not float32
  /// [B, h, w] or [B, 1, h, w] (what was found is listed).
  BasicDepthAnything(const Engine& engine, const Stream& stream);
  ~BasicDepthAnything();
  BasicDepthAnything(BasicDepthAnything&&) noexcept;
  BasicDepthAnything& operator=(BasicDepthAnything&&) noexcept;

  /// Allocates: once, before the loop. Throws kInvalidArgument for a size that is neither empty nor positive, or beyond 2^29 pixels.
  [[nodiscard]] Result allocate_result(const DepthResultOptions& options = {}) const;
  /// Enqueues preprocessing (a stretch to the input, bilinear, ImageNet's mean and deviation), network, resampling (bilinear between the
  /// cells' centres) and what the result's options say. Allocates nothing, does not wait. `image` stays alive and unchanged, and
  /// `result` in place, until the next wait.
  void submit(const ImageView& image, Result& result);
  /// The same for several pictures, of one camera or many, of any sizes and formats, in one run of the network; results[i] becomes what
  /// `submit` of images[i] would make of it. The engine decides how many fit: EngineOptions::batch, or the batch that the model was
  /// exported with. No pictures: nothing happens. Throws kInvalidArgument for more pictures, and unless each has a result of its own.
  void submit(std::span<const ImageView> images, std::span<Result* const> results);

  /// For captured graphs; contracts of CenterFace::input_node and CenterFace::update.
  [[nodiscard]] GraphNode input_node() const;
  void update(Graph& graph, GraphNode input, const ImageView& image);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

extern template class BasicDepthResult<DepthKind::kMetric>;
extern template class BasicDepthResult<DepthKind::kRelative>;
extern template class BasicDepthAnything<DepthKind::kMetric>;
extern template class BasicDepthAnything<DepthKind::kRelative>;

/// For the metric checkpoints.
using DepthAnything = BasicDepthAnything<DepthKind::kMetric>;
/// Depth in metres.
using DepthResult = BasicDepthResult<DepthKind::kMetric>;
/// For all others.
using RelativeDepthAnything = BasicDepthAnything<DepthKind::kRelative>;
/// Inverse depth without a unit.
using RelativeDepthResult = BasicDepthResult<DepthKind::kRelative>;

}  // namespace vrt
