// CenterFace: faces with five landmarks (Xu et al., "CenterFace: Joint Face Detection and Alignment Using Face as
// Point", 2019).
//
//   vrt::Stream stream(vrt::Device::cpu());
//   vrt::CenterFace detector(vrt::CenterFace::open_engine("centerface.onnx", stream.device(), {640, 480}), stream);
//   auto faces = detector.allocate_result();
//   detector.submit(frame.image(), faces);                      // enqueued
//   stream.synchronize();
//   for (const vrt::Detection& face : faces.detections()) { ... }
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "vrt/base/export.h"
#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/engine/engine.h"
#include "vrt/image/image.h"
#include "vrt/image/preprocessor.h"
#include "vrt/scene/detection.h"

namespace vrt {

/// What counts as a face.
struct CenterFaceOptions {
  float score_threshold = 0.5F;  ///< in [0, 1]
  float nms_threshold = 0.3F;    ///< Intersection over union above which the weaker of two faces is dropped; in [0, 1].
};

/// The faces of one frame. Owned by the caller, made by CenterFace::allocate_result; movable. Readable on the host
/// after the wait that follows `submit`.
class VRT_API CenterFaceResult {
 public:
  ~CenterFaceResult();
  CenterFaceResult(CenterFaceResult&&) noexcept;
  CenterFaceResult& operator=(CenterFaceResult&&) noexcept;

  /// At most CenterFace::kMaxFaces, best score first; boxes and landmarks in source pixels, boxes clipped to the image;
  /// a landmark that is not finite is (0, 0) with the confidence 0.
  /// The landmarks are right eye, left eye, nose, right and left corner of the mouth, as seen in the picture from left
  /// to right. Host only, valid until the next submit into this result, or the next call. Each call assembles the
  /// views, without allocating.
  [[nodiscard]] std::span<const Detection> detections() const;
  /// How many cells of the network's heatmap passed the threshold, and whether these were more than are decoded
  /// (CenterFace::kMaxCandidates), in which case the weakest were left out. Host only, as `detections`.
  [[nodiscard]] std::int32_t candidate_count() const;
  [[nodiscard]] bool candidates_overflowed() const;

  /// The boxes, corners in source pixels, and their number (one element) in device memory, valid in stream order behind `submit`:
  /// for what is enqueued behind it on the same stream without a wait. Beyond the number the boxes are of earlier frames.
  [[nodiscard]] DeviceSpan<const CropBox> device_boxes() const;
  [[nodiscard]] DeviceSpan<const std::int32_t> device_count() const;

 private:
  friend class CenterFace;
  struct State;
  explicit CenterFaceResult(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// The payload: session, kernels and scratch for one stream. Used from one thread at a time.
class VRT_API CenterFace {
 public:
  static constexpr std::int32_t kMaxCandidates = 1024;
  static constexpr std::int32_t kMaxFaces = 256;
  static constexpr std::int32_t kLandmarks = 5;

  /// The network's input size for pictures of this size: the picture scaled, aspect kept, to a longer side of 320
  /// pixels at least and 640 at most, then each side rounded up to a multiple of 32 (the letterbox pads the rest).
  /// 176×144 gives 320×288. Throws kInvalidArgument for an empty picture.
  [[nodiscard]] static Size input_size_for(Size picture);
  /// Opens the model with an input of that size, for one picture a submit or as many as `options.batch` says. Blocks. Throws as
  /// Engine::open, and kInvalidArgument unless both sides are multiples of 32.
  [[nodiscard]] static Engine open_engine(const std::filesystem::path& model, Device device, Size input,
                                          EngineOptions options = {});

  /// Throws kInvalidArgument if the engine's outputs are not CenterFace's (what was found is listed) or options are out
  /// of range.
  CenterFace(const Engine& engine, const Stream& stream, const CenterFaceOptions& options = {});
  ~CenterFace();
  CenterFace(CenterFace&&) noexcept;
  CenterFace& operator=(CenterFace&&) noexcept;

  /// Allocates: once, before the loop.
  [[nodiscard]] CenterFaceResult allocate_result() const;
  /// Enqueues preprocessing, network, decoding and read-back. Allocates nothing, does not wait. `image` stays alive and
  /// unchanged, and `result` in place, until the next wait.
  void submit(const ImageView& image, CenterFaceResult& result);
  /// The same for several pictures, of one camera or many, of any sizes and formats, in one run of the network; results[i] becomes what
  /// `submit` of images[i] would make of it. The engine decides how many fit: EngineOptions::batch, or the batch that the model was
  /// exported with. No pictures: nothing happens. Throws kInvalidArgument for more pictures, and unless each has a result of its own.
  void submit(std::span<const ImageView> images, std::span<CenterFaceResult* const> results);

  /// In a capture, behind `submit`: the node that reads `image`, for `update`. Throws kInvalidArgument before a captured `submit`, and
  /// behind one of several pictures, which keep their places in a graph.
  [[nodiscard]] GraphNode input_node() const;
  /// Gives a graph that captured `submit` another picture, of the same size, for its next launches; `input` is what `input_node`
  /// gave. Enqueues nothing. `image` has to be as for `submit`.
  void update(Graph& graph, GraphNode input, const ImageView& image);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vrt
