// RF-DETR: objects without suppression (Robinson et al., "RF-DETR: Neural Architecture Search for Real-Time Detection
// Transformers", 2025).
//
//   vrt::Stream stream(vrt::Device::cpu());
//   vrt::RfDetr detector(vrt::RfDetr::open_engine("rf-detr-small.onnx", stream.device()), stream);
//   auto objects = detector.allocate_result();
//   detector.submit(frame.image(), objects);                    // enqueued
//   stream.synchronize();
//   for (const vrt::Detection& object : objects.detections()) { ... }
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "vrt/base/export.h"
#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/engine/engine.h"
#include "vrt/image/image.h"
#include "vrt/image/preprocessor.h"
#include "vrt/scene/class_names.h"
#include "vrt/scene/detection.h"

namespace vrt {

/// What counts as an object, and what the file does not say.
struct RfDetrOptions {
  float score_threshold = 0.5F;  ///< in [0, 1]; an object's score is above it
  /// The best pairs of a query and a class are taken, so many at most: one query may give two classes. 1 to
  /// RfDetr::kMostDetections.
  std::int32_t max_detections = 300;
  /// Take the one that the weights are used with. Where not given: what the model's metadata says ("antialias": "True" or "False", which
  /// tools/export writes as the package that it exports from does it); else with antialiasing, as torchvision resizes tensors by default.
  std::optional<Interpolation> interpolation = {};
  /// Whether the logits' column 0 is background and never an object. Where not given: what the model's metadata says
  /// ("background": "0"); else it is a class as any other, as in the reference.
  std::optional<bool> background_column = {};
  /// By column of the logits, and not more of them. Where not given: the metadata's "names", else COCO's 91 for networks of 91 columns,
  /// else none.
  std::optional<ClassNames> names = {};
};

/// The objects of one frame. Owned by the caller, made by RfDetr::allocate_result; movable. Readable on the host after the wait
/// that follows `submit`.
class VRT_API RfDetrResult {
 public:
  ~RfDetrResult();
  RfDetrResult(RfDetrResult&&) noexcept;
  RfDetrResult& operator=(RfDetrResult&&) noexcept;

  /// Best score first, the lower query and then the lower class first among equals; boxes in source pixels, clipped to the
  /// picture; class ids are columns of the logits. Host only, valid until the next submit into this result. Each call
  /// assembles the views, without allocating.
  [[nodiscard]] std::span<const Detection> detections() const;
  /// How many pairs of a query and a class passed the threshold. Host only, as `detections`.
  [[nodiscard]] std::int32_t candidate_count() const;

  /// The boxes, corners in source pixels, and their number (one element) in device memory, valid in stream order behind `submit`:
  /// for what is enqueued behind it on the same stream without a wait. Beyond the number the boxes are of earlier frames.
  [[nodiscard]] DeviceSpan<const CropBox> device_boxes() const;
  [[nodiscard]] DeviceSpan<const std::int32_t> device_count() const;

 private:
  friend class RfDetr;
  struct State;
  explicit RfDetrResult(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// The payload: session, preprocessor, kernels and scratch for one stream. Used from one thread at a time.
class VRT_API RfDetr {
 public:
  static constexpr std::int32_t kMostDetections = 1024;

  /// Opens the model, for one picture a submit or as many as `options.batch` says. Blocks. Throws as Engine::open.
  [[nodiscard]] static Engine open_engine(const std::filesystem::path& model, Device device,
                                          const EngineOptions& options = {});

  /// Finds boxes [1, Q, 4] and logits [1, Q, C] among the outputs; others are left alone. Throws kInvalidArgument with what was
  /// met if they are not there, or if options are out of range.
  RfDetr(const Engine& engine, const Stream& stream, const RfDetrOptions& options = {});
  ~RfDetr();
  RfDetr(RfDetr&&) noexcept;
  RfDetr& operator=(RfDetr&&) noexcept;

  [[nodiscard]] const ClassNames& names() const noexcept;

  /// Allocates: once, before the loop.
  [[nodiscard]] RfDetrResult allocate_result() const;
  /// Enqueues preprocessing, network, decoding and read-back. Allocates nothing, does not wait. `image` stays alive and
  /// unchanged, and `result` in place, until the next wait.
  void submit(const ImageView& image, RfDetrResult& result);
  /// The same for several pictures, of one camera or many, of any sizes and formats, in one run of the network; results[i] becomes what
  /// `submit` of images[i] would make of it. The engine decides how many fit: EngineOptions::batch, or the batch that the model was
  /// exported with. No pictures: nothing happens. Throws kInvalidArgument for more pictures, and unless each has a result of its own.
  void submit(std::span<const ImageView> images, std::span<RfDetrResult* const> results);

  /// For captured graphs; contracts of CenterFace::input_node and CenterFace::update.
  [[nodiscard]] GraphNode input_node() const;
  void update(Graph& graph, GraphNode input, const ImageView& image);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vrt
