// RF-DETR with the keypoints of people.
//
//   vrt::RfDetrKeypoints detector(vrt::RfDetrKeypoints::open_engine("rfdetr-keypoints.onnx", stream.device()), stream);
//   auto people = detector.allocate_result();
//   detector.submit(frame.image(), people);                     // enqueued
//   stream.synchronize();
//   for (const vrt::Detection& person : people.detections()) { use(person.keypoints); }
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "vrt/base/export.h"
#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/models/rfdetr/rfdetr.h"

namespace vrt {

/// The people of one frame. Owned by the caller, made by RfDetrKeypoints::allocate_result; movable. Readable on the host after
/// the wait that follows `submit`.
class VRT_API RfDetrKeypointsResult {
 public:
  ~RfDetrKeypointsResult();
  RfDetrKeypointsResult(RfDetrKeypointsResult&&) noexcept;
  RfDetrKeypointsResult& operator=(RfDetrKeypointsResult&&) noexcept;

  /// Contract of RfDetrResult, with keypoints: those of the detection's class, in the network's order (COCO's 17 for people: nose,
  /// eyes, ears, shoulders, elbows, wrists, hips, knees, ankles, left before right), in source pixels, not clipped. A point's
  /// confidence falls with its visibility and with the width of its distribution; 0 where a number is not finite. A point that the
  /// class does not have, or whose place is not finite, is (0, 0) with the confidence 0.
  [[nodiscard]] std::span<const Detection> detections() const;
  [[nodiscard]] std::int32_t candidate_count() const;

  /// Contracts of RfDetrResult.
  [[nodiscard]] DeviceSpan<const CropBox> device_boxes() const;
  [[nodiscard]] DeviceSpan<const std::int32_t> device_count() const;

 private:
  friend class RfDetrKeypoints;
  struct State;
  explicit RfDetrKeypointsResult(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// The payload: session, preprocessor, kernels and scratch for one stream. Used from one thread at a time.
class VRT_API RfDetrKeypoints {
 public:
  /// Opens the model, for one picture a submit or as many as `options.batch` says. Blocks. Throws as Engine::open.
  [[nodiscard]] static Engine open_engine(const std::filesystem::path& model, Device device,
                                          const EngineOptions& options = {});

  /// Finds boxes [1, Q, 4], logits [1, Q, C] and keypoints [1, Q, classes * points, 8]. How many points the classes have, the metadata says
  /// ("keypoints_per_class": "[17]"); else each column has as many, or column 0 alone has 17. Column 0 is background and column 1 a
  /// person in networks of two columns with points each, unless the metadata or the options say otherwise. Throws
  /// kInvalidArgument with what was met if they are not there or do not go together, or if options are out of range.
  RfDetrKeypoints(const Engine& engine, const Stream& stream, const RfDetrOptions& options = {});
  ~RfDetrKeypoints();
  RfDetrKeypoints(RfDetrKeypoints&&) noexcept;
  RfDetrKeypoints& operator=(RfDetrKeypoints&&) noexcept;

  [[nodiscard]] const ClassNames& names() const noexcept;

  /// Allocates: once, before the loop.
  [[nodiscard]] RfDetrKeypointsResult allocate_result() const;
  /// Enqueues preprocessing, network, decoding and read-back. Allocates nothing, does not wait. `image` stays alive and
  /// unchanged, and `result` in place, until the next wait.
  void submit(const ImageView& image, RfDetrKeypointsResult& result);
  /// The same for several pictures, of one camera or many, of any sizes and formats, in one run of the network; results[i] becomes what
  /// `submit` of images[i] would make of it. The engine decides how many fit: EngineOptions::batch, or the batch that the model was
  /// exported with. No pictures: nothing happens. Throws kInvalidArgument for more pictures, and unless each has a result of its own.
  void submit(std::span<const ImageView> images, std::span<RfDetrKeypointsResult* const> results);

  /// For captured graphs; contracts of CenterFace::input_node and CenterFace::update.
  [[nodiscard]] GraphNode input_node() const;
  void update(Graph& graph, GraphNode input, const ImageView& image);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vrt
