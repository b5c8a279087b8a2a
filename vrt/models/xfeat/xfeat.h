// XFeat: keypoints with descriptors of 64 channels, to be matched between pictures (Potje et al., "XFeat: Accelerated Features for
// Lightweight Image Matching", 2024).
//
//   const vrt::Size input = vrt::XFeat::input_size_for({1280, 720});
//   vrt::XFeat features(vrt::XFeat::open_engine("xfeat.onnx", stream.device(), input), stream);
//   auto result = features.allocate_result();
//   features.submit(frame.image(), result);                              // enqueued
//   stream.synchronize();
//   for (const vrt::Keypoint& point : result.keypoints()) { ... }
//
// Descriptors stay on the device, where vrt::Matcher (vrt/models/xfeat/matcher.h) takes them.
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
#include "vrt/models/xfeat/matcher.h"
#include "vrt/scene/detection.h"

namespace vrt {

/// What counts as a keypoint.
struct XFeatOptions {
  float threshold = 0.05F;            ///< The heatmap has to exceed it; in [0, 1].
  std::int32_t max_keypoints = 4096;  ///< The best by score stay; in [1, XFeat::kMaxKeypoints].
};

/// What a result of features holds.
struct FeatureResultOptions {
  bool read_back = false;  ///< Whether each submit copies the descriptors to the host as well (1 MB for 4096).
};

/// The features of one picture. Owned by the caller, made by XFeat::allocate_result; movable. Readable on the host after the wait that
/// follows `submit`; on the device, for what is enqueued behind it, at once.
class VRT_API XFeatResult {
 public:
  ~XFeatResult();
  XFeatResult(XFeatResult&&) noexcept;
  XFeatResult& operator=(XFeatResult&&) noexcept;

  /// Best score first, the upper left one first among equals. Source pixels ((0, 0) is the outer corner of the first one, so the centre
  /// of a pixel of the network's input is at half numbers; XFeat's own code counts from the first pixel's centre). `confidence` is the
  /// score: heatmap times reliability. Host only, valid until the next submit into this result; each call assembles
  /// them, without allocating.
  [[nodiscard]] std::span<const Keypoint> keypoints() const;
  /// How many pixels were keypoints before the best were taken. Host only.
  [[nodiscard]] std::int32_t candidate_count() const;
  /// One for each keypoint, in the same order, of length 1. On the device.
  [[nodiscard]] DescriptorSet descriptors() const;
  /// The same on the host: 64 floats for each keypoint. Throws kInvalidArgument if the result was allocated without read_back.
  [[nodiscard]] std::span<const float> host_descriptors() const;

 private:
  friend class XFeat;
  struct State;
  explicit XFeatResult(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// The payload: session, kernels and scratch for one stream. Used from one thread at a time.
class VRT_API XFeat {
 public:
  static constexpr std::int32_t kChannels = Matcher::kChannels;
  static constexpr std::int32_t kMaxKeypoints = Matcher::kMaxDescriptors;

  /// The network's input size for pictures of this size: each side rounded down to a multiple of 32. Throws kInvalidArgument for a
  /// picture with a side below 32, which has none.
  [[nodiscard]] static Size input_size_for(Size picture);
  /// Opens the model with an input of that size, for one picture a submit or as many as `options.batch` says. Blocks. Throws as
  /// Engine::open, and kInvalidArgument unless both sides are multiples of 32.
  [[nodiscard]] static Engine open_engine(const std::filesystem::path& model, Device device, Size input,
                                          EngineOptions options = {});

  /// Throws kInvalidArgument if the engine's input or outputs are not XFeat's (what was found is listed) or options are out of range.
  XFeat(const Engine& engine, const Stream& stream, const XFeatOptions& options = {});
  ~XFeat();
  XFeat(XFeat&&) noexcept;
  XFeat& operator=(XFeat&&) noexcept;

  /// Allocates: once, before the loop.
  [[nodiscard]] XFeatResult allocate_result(const FeatureResultOptions& options = {}) const;
  /// Enqueues preprocessing (a stretch to the input size, bilinear without antialiasing, values from 0 to 1), network, decoding and
  /// read-back. Allocates nothing, does not wait. `image` stays alive and unchanged, and `result` in place, until the next wait.
  void submit(const ImageView& image, XFeatResult& result);
  /// The same for several pictures, of one camera or many, of any sizes and formats, in one run of the network; results[i] becomes what
  /// `submit` of images[i] would make of it. The engine decides how many fit: EngineOptions::batch, or the batch that the model was
  /// exported with. No pictures: nothing happens. Throws kInvalidArgument for more pictures, and unless each has a result of its own.
  void submit(std::span<const ImageView> images, std::span<XFeatResult* const> results);

  /// For captured graphs; contracts of CenterFace::input_node and CenterFace::update.
  [[nodiscard]] GraphNode input_node() const;
  void update(Graph& graph, GraphNode input, const ImageView& image);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vrt
