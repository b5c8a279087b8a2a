// OSNet: what people look like, as vectors that are near each other for pictures of one person (Zhou et al., "Omni-Scale Feature Learning
// for Person Re-Identification", 2019).
//
//   vrt::OsNet osnet(vrt::OsNet::open_engine("osnet.onnx", stream.device()), stream);
//   auto looks = osnet.allocate_result({.read_back = true});
//   osnet.submit(frame.image(), boxes, looks);                           // enqueued; boxes are a detector's
//   stream.synchronize();
//   std::span<const float> first = looks.embeddings().first(osnet.channels());
//
// Keep the engine in float32: in float16 the distances between people come close to those between pictures of one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/engine/engine.h"
#include "vrt/image/image.h"
#include "vrt/image/preprocessor.h"
#include "vrt/scene/detection.h"

namespace vrt {

/// How many boxes OsNet takes.
struct OsNetOptions {
  std::int32_t max_boxes = 64;  ///< Of a picture; in [1, OsNet::kMaxBoxes].
};

/// What a result of embeddings holds.
struct EmbeddingResultOptions {
  bool read_back = false;  ///< Whether each submit copies the embeddings to the host, not only their number.
};

/// The embeddings of one picture's boxes, in their order. Owned by the caller, made by OsNet::allocate_result; movable. Readable on the host
/// after the wait that follows `submit`; on the device, for what is enqueued behind it, at once. Valid until the next submit into it.
class VRT_API EmbeddingResult {
 public:
  ~EmbeddingResult();
  EmbeddingResult(EmbeddingResult&&) noexcept;
  EmbeddingResult& operator=(EmbeddingResult&&) noexcept;

  /// How many boxes there were. Host only; 0 before the first submit.
  [[nodiscard]] std::int32_t count() const;
  /// A row of OsNet::channels floats, of length 1, for each box; of zeros, where the network gave zeros or numbers whose length is not
  /// finite in float32. Host only. Throws kInvalidArgument if the result was allocated without read_back.
  [[nodiscard]] std::span<const float> embeddings() const;
  /// Rows for max_boxes boxes on the device, of which `device_count` (one element) are valid.
  [[nodiscard]] DeviceSpan<const float> device_embeddings() const;
  [[nodiscard]] DeviceSpan<const std::int32_t> device_count() const;

 private:
  friend class OsNet;
  struct State;
  explicit EmbeddingResult(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// The payload: session, kernels and scratch for one stream. Used from one thread at a time. A box is stretched to 256 rows of 128 pixels,
/// bilinear, the picture's border repeated where the box sticks out, then normalised by ImageNet's mean and deviation. The network
/// takes as many boxes at a time as its batch; more of them take several runs.
class VRT_API OsNet {
 public:
  static constexpr Size kCrop{128, 256};
  static constexpr std::int32_t kMaxBoxes = 4096;

  /// Opens the model for `batch` boxes a run (the public export has 16, and no other), or for a changing batch if options.batch says so.
  /// Blocks. Throws as Engine::open, and kInvalidArgument for a batch below 1.
  [[nodiscard]] static Engine open_engine(const std::filesystem::path& model, Device device, std::int32_t batch = 16,
                                          EngineOptions options = {});

  /// Throws kInvalidArgument if the engine's input is not float32 [B, 3, 256, 128] or its output not float32 [B, C] (what was found is
  /// listed), or options are out of range.
  OsNet(const Engine& engine, const Stream& stream, const OsNetOptions& options = {});
  ~OsNet();
  OsNet(OsNet&&) noexcept;
  OsNet& operator=(OsNet&&) noexcept;

  /// Values of an embedding; 512 for the public checkpoints.
  [[nodiscard]] std::int32_t channels() const noexcept;

  /// Allocates: once, before the loop.
  [[nodiscard]] EmbeddingResult allocate_result(const EmbeddingResultOptions& options = {}) const;

  /// Enqueues as many runs as the boxes need, none for none. `boxes` are source pixels in host memory, copied before this returns.
  /// Allocates nothing, does not wait. `image` stays alive and unchanged, and `result` in place, until the next wait, which has to come
  /// before the next submit into that result. Throws kInvalidArgument for more than max_boxes boxes.
  void submit(const ImageView& image, std::span<const Box> boxes, EmbeddingResult& result);
  /// The same for boxes in device memory, of which `count` (one element) are valid, for instance those of a detector on the same stream.
  /// The host does not know how many there are: there are always as many runs as boxes.size() needs. `boxes` and `count` stay alive
  /// and unchanged until the next wait. Throws kInvalidArgument for room for more than max_boxes.
  void submit(const ImageView& image, DeviceSpan<const CropBox> boxes, DeviceSpan<const std::int32_t> count,
              EmbeddingResult& result);

  /// In a capture, behind `submit` of boxes in device memory: the nodes that read `image`, one for each run. Throws
  /// kInvalidArgument before such a submit. Allocates.
  [[nodiscard]] std::vector<GraphNode> input_nodes() const;
  /// Gives a graph that captured `submit` another picture, of the same size, for its next launches; `inputs` are what `input_nodes`
  /// gave, `boxes` those of the captured `submit`. Enqueues nothing. `image` has to be as for `submit`.
  void update(Graph& graph, std::span<const GraphNode> inputs, const ImageView& image, DeviceSpan<const CropBox> boxes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vrt
