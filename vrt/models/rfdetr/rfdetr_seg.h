// RF-DETR with instance masks and, where the export has the backbone's token grid, an appearance vector for each instance.
//
//   vrt::RfDetrSeg detector(vrt::RfDetrSeg::open_engine("rfdetr-seg.onnx", stream.device()), stream);
//   auto objects = detector.allocate_result({.masks = {.size = frame_size, .read_back = true}});
//   detector.submit(frame.image(), objects);                    // enqueued
//   stream.synchronize();
//   for (std::size_t i = 0; i < objects.mask_count(); ++i) { use(objects.detections()[i], objects.mask(i)); }
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "vrt/base/export.h"
#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/models/common/mask_options.h"
#include "vrt/models/rfdetr/rfdetr.h"
#include "vrt/scene/mask.h"

namespace vrt {

/// What a result holds besides detections.
struct RfDetrSegResultOptions {
  MaskOptions masks = {};
  bool appearance = false;            ///< A vector for each detection; only of networks with a token grid.
  bool read_back_appearance = false;  ///< Also copied to the host by every submit.
};

/// The instances of one frame. Owned by the caller, made by RfDetrSeg::allocate_result; movable. Readable on the host after the
/// wait that follows `submit`.
class VRT_API RfDetrSegResult {
 public:
  ~RfDetrSegResult();
  RfDetrSegResult(RfDetrSegResult&&) noexcept;
  RfDetrSegResult& operator=(RfDetrSegResult&&) noexcept;

  /// Contract of RfDetrResult.
  [[nodiscard]] std::span<const Detection> detections() const;
  [[nodiscard]] std::int32_t candidate_count() const;

  /// How many of the detections, the first ones, have a mask: as many as there are, MaskOptions::most at most. Host only.
  [[nodiscard]] std::size_t mask_count() const;
  /// The mask of detection `index`, in device memory; valid in stream order behind `submit`. Throws kInvalidArgument beyond
  /// MaskOptions::most.
  [[nodiscard]] DeviceMaskView device_mask(std::size_t index) const;
  /// The same on the host. Throws kInvalidArgument beyond mask_count(), or without MaskOptions::read_back.
  [[nodiscard]] MaskView mask(std::size_t index) const;

  /// The appearance of every detection, one vector of appearance_size() floats after the other, in device memory: the mean of the
  /// tokens under its mask, of unit length; zeros where the mask is empty. Empty unless asked for.
  [[nodiscard]] DeviceSpan<const float> device_appearance() const;
  /// That of detection `index` on the host. Throws kInvalidArgument beyond the detections, or without read_back_appearance.
  [[nodiscard]] std::span<const float> appearance(std::size_t index) const;
  [[nodiscard]] std::size_t appearance_size() const noexcept;

  /// Contracts of RfDetrResult.
  [[nodiscard]] DeviceSpan<const CropBox> device_boxes() const;
  [[nodiscard]] DeviceSpan<const std::int32_t> device_count() const;

 private:
  friend class RfDetrSeg;
  struct State;
  explicit RfDetrSegResult(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// The payload: session, preprocessor, kernels and scratch for one stream. Used from one thread at a time.
class VRT_API RfDetrSeg {
 public:
  /// Opens the model, for one picture a submit or as many as `options.batch` says. Blocks. Throws as Engine::open.
  [[nodiscard]] static Engine open_engine(const std::filesystem::path& model, Device device,
                                          const EngineOptions& options = {});

  /// Finds boxes [1, Q, 4], logits [1, Q, C], masks [1, Q, h, w] and, if there is one, a token grid [1, D, gh, gw]. Throws
  /// kInvalidArgument with what was met if they are not there, or if options are out of range.
  RfDetrSeg(const Engine& engine, const Stream& stream, const RfDetrOptions& options = {});
  ~RfDetrSeg();
  RfDetrSeg(RfDetrSeg&&) noexcept;
  RfDetrSeg& operator=(RfDetrSeg&&) noexcept;

  [[nodiscard]] const ClassNames& names() const noexcept;
  /// Whether the network gives a token grid.
  [[nodiscard]] bool has_appearance() const noexcept;

  /// Allocates: once, before the loop. Throws kInvalidArgument for appearance of a network without tokens.
  [[nodiscard]] RfDetrSegResult allocate_result(const RfDetrSegResultOptions& options = {}) const;
  /// Enqueues preprocessing, network, decoding and read-back: only the masks of what was found are made. Allocates nothing, does
  /// not wait. `image` stays alive and unchanged, and `result` in place, until the next wait.
  void submit(const ImageView& image, RfDetrSegResult& result);
  /// The same for several pictures, of one camera or many, of any sizes and formats, in one run of the network; results[i] becomes what
  /// `submit` of images[i] would make of it. The engine decides how many fit: EngineOptions::batch, or the batch that the model was
  /// exported with. No pictures: nothing happens. Throws kInvalidArgument for more pictures, and unless each has a result of its own.
  void submit(std::span<const ImageView> images, std::span<RfDetrSegResult* const> results);

  /// For captured graphs; contracts of CenterFace::input_node and CenterFace::update.
  [[nodiscard]] GraphNode input_node() const;
  void update(Graph& graph, GraphNode input, const ImageView& image);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vrt
