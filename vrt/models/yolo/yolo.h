// YOLO: objects, with masks or keypoints where the network has them. The networks of Ultralytics' package: v8, v9, 11, 12 (and
// what it exports as v3 and v5 today), v10 and 26 with their end-to-end outputs; of YOLOv5's and v7's own repositories; YOLOX.
//
//   vrt::Stream stream(vrt::Device::cpu());
//   vrt::Yolo detector(vrt::Yolo::open_engine("yolo11n.onnx", stream.device()), stream);
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
#include "vrt/models/common/mask_options.h"
#include "vrt/scene/class_names.h"
#include "vrt/scene/detection.h"
#include "vrt/scene/mask.h"

namespace vrt {

/// What a network finds besides boxes and classes: nothing, masks, keypoints.
enum class YoloTask : std::int32_t { kDetect, kSegment, kPose };

/// How a network's objects lie in its output.
enum class YoloLayout : std::int32_t {
  kPlanes,  ///< [1, 4 + classes + …, N]: centre, size and scores of N cells; needs suppression.
  kEndToEnd,  ///< [1, N, 6 + …]: corners, score and class of N objects, best first; the network has suppressed the others.
  kV5,  ///< [1, N, 5 + classes + …]: centre, size, objectness and scores of N cells, in pixels of the input; as v5's and v7's own
        ///< repositories export them, and YOLOX's with `--decode_in_inference`.
  kYolox,  ///< [1, N, 5 + classes], likewise, but centre and size as YOLOX's head gives them: relative to a cell, the size's logarithm.
           ///< Its pictures are BGR, 0 to 255, at the upper left of the input.
};

/// What counts as an object. The defaults are those of Ultralytics' prediction.
struct YoloOptions {
  float score_threshold = 0.25F;      ///< in [0, 1]; an object's score is above it, and its objectness where it has one
  float nms_threshold = 0.7F;         ///< Intersection over union above which the weaker of two is dropped; in [0, 1].
  bool class_agnostic = false;        ///< Objects suppress each other across classes.
  std::int32_t max_detections = 300;  ///< 1 to Yolo::kMostDetections
  // What the file does not say, or says wrongly. Read from the model's metadata where not given.
  std::optional<YoloTask> task = {};
  std::optional<YoloLayout> layout = {};
  std::optional<ClassNames> names = {};
  std::int32_t keypoints = 0;  ///< Of each object, with a confidence; 0: as the metadata or the shapes say.
};

/// The objects of one frame. Owned by the caller, made by Yolo::allocate_result; movable. Readable on the host after the wait
/// that follows `submit`.
class VRT_API YoloResult {
 public:
  ~YoloResult();
  YoloResult(YoloResult&&) noexcept;
  YoloResult& operator=(YoloResult&&) noexcept;

  /// At most `max_detections`, best score first; boxes and keypoints in source pixels, clipped to the picture; a keypoint
  /// that is not finite is (0, 0) with the confidence 0. Host only, valid until the next submit into this result. Each call assembles
  /// the views, without allocating. Throws kInvalidArgument naming the network's output if a score is above 1 by more than rounding
  /// makes it: the export has left out the sigmoid.
  [[nodiscard]] std::span<const Detection> detections() const;
  /// How many cells passed the threshold. Host only, as `detections`.
  [[nodiscard]] std::int32_t candidate_count() const;

  /// How many of the detections, the first ones, have a mask: as many as there are, MaskOptions::most at most. Host only.
  [[nodiscard]] std::size_t mask_count() const;
  /// The mask of detection `index`, in device memory; valid in stream order behind `submit`. Throws kInvalidArgument beyond
  /// MaskOptions::most.
  [[nodiscard]] DeviceMaskView device_mask(std::size_t index) const;
  /// The same on the host. Throws kInvalidArgument beyond mask_count(), or without MaskOptions::read_back.
  [[nodiscard]] MaskView mask(std::size_t index) const;

  /// The boxes, corners in source pixels, and their number (one element) in device memory, valid in stream order behind `submit`:
  /// for what is enqueued behind it on the same stream without a wait. Beyond the number the boxes are of earlier frames.
  [[nodiscard]] DeviceSpan<const CropBox> device_boxes() const;
  [[nodiscard]] DeviceSpan<const std::int32_t> device_count() const;

 private:
  friend class Yolo;
  struct State;
  explicit YoloResult(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// What a result holds besides detections.
struct YoloResultOptions {
  MaskOptions masks = {};  ///< Only of networks that have them.
};

/// The payload: session, preprocessor, kernels and scratch for one stream. Used from one thread at a time.
class VRT_API Yolo {
 public:
  static constexpr std::int32_t kMostDetections = 1024;

  /// Opens the model. Blocks. `input` replaces the size that a model leaves open (its sides multiples of 32); models with a
  /// size of their own need none. For one picture a submit, or as many as `options.batch` says. Throws as Engine::open.
  [[nodiscard]] static Engine open_engine(const std::filesystem::path& model, Device device, Size input = {},
                                          EngineOptions options = {});

  /// Recognises the network by its outputs' shapes, the options and the metadata of its file. Throws kInvalidArgument with what
  /// was met if it is none, or could be several, or if options are out of range.
  Yolo(const Engine& engine, const Stream& stream, const YoloOptions& options = {});
  ~Yolo();
  Yolo(Yolo&&) noexcept;
  Yolo& operator=(Yolo&&) noexcept;

  [[nodiscard]] YoloTask task() const noexcept;
  [[nodiscard]] YoloLayout layout() const noexcept;
  [[nodiscard]] const ClassNames& names() const noexcept;

  /// Allocates: once, before the loop. Throws kInvalidArgument for masks of a network that has none.
  [[nodiscard]] YoloResult allocate_result(const YoloResultOptions& options = {}) const;
  /// Enqueues preprocessing, network, decoding and read-back. Allocates nothing, does not wait. `image` stays alive and
  /// unchanged, and `result` in place, until the next wait.
  void submit(const ImageView& image, YoloResult& result);
  /// The same for several pictures, of one camera or many, of any sizes and formats, in one run of the network; results[i] becomes what
  /// `submit` of images[i] would make of it. The engine decides how many fit: EngineOptions::batch, or the batch that the model was
  /// exported with. No pictures: nothing happens. Throws kInvalidArgument for more pictures, and unless each has a result of its own.
  void submit(std::span<const ImageView> images, std::span<YoloResult* const> results);

  /// For captured graphs; contracts of CenterFace::input_node and CenterFace::update.
  [[nodiscard]] GraphNode input_node() const;
  void update(Graph& graph, GraphNode input, const ImageView& image);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vrt
