// What a picture shows, by any network that gives one value for each class.
//
//   vrt::Engine engine = vrt::Engine::open("resnet50.onnx", stream.device(), {.input_shapes = {{"", {1, 3, 224, 224}}}});
//   vrt::ImageClassifier classifier(engine, stream, {.names = names});
//   auto result = classifier.allocate_result();
//   classifier.submit(frame.image(), result);                            // enqueued
//   stream.synchronize();
//   fmt::print("{} {}\n", result.classes()[0].label, result.classes()[0].score);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "vrt/base/export.h"
#include "vrt/device/graph.h"
#include "vrt/device/stream.h"
#include "vrt/engine/engine.h"
#include "vrt/image/image.h"
#include "vrt/image/preprocessor.h"
#include "vrt/scene/class_names.h"

namespace vrt {

/// What networks trained on ImageNet expect: the middle of the picture, aspect kept, shrunk with antialiasing, ImageNet's mean and deviation.
/// (torchvision's transforms also leave out an eighth of the shorter side.)
[[nodiscard]] VRT_API PreprocessOptions imagenet_preprocessing();

/// How pictures are prepared and how classes are named and ranked.
struct ImageClassifierOptions {
  PreprocessOptions preprocessing =
      imagenet_preprocessing();  ///< Its target is the network's input, whatever it says here.
  std::int32_t top_k = 5;        ///< The best classes; in [1, ImageClassifier::kMaxClasses].
  bool softmax = true;    ///< Scores are the softmax of the network's values; false for networks that end with one.
  ClassNames names = {};  ///< As many as the network has classes, or none.
};

/// A class and how much speaks for it.
struct Classification {
  std::int32_t class_id = 0;
  float score = 0;
  std::string_view label;  ///< A view of memory that the result owns; empty without names.
};

/// The best classes of one picture. Owned by the caller, made by ImageClassifier::allocate_result; movable. Readable on the host after the
/// wait that follows `submit`.
class VRT_API ImageClassifierResult {
 public:
  ~ImageClassifierResult();
  ImageClassifierResult(ImageClassifierResult&&) noexcept;
  ImageClassifierResult& operator=(ImageClassifierResult&&) noexcept;

  /// At most top_k, the best first, the lower id first among equals; values that are not finite are left out. Host only, valid until the next
  /// submit into this result. Each call assembles the view, without allocating.
  [[nodiscard]] std::span<const Classification> classes() const;

 private:
  friend class ImageClassifier;
  struct State;
  explicit ImageClassifierResult(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// The payload: session, kernels and scratch for one stream. Used from one thread at a time.
class VRT_API ImageClassifier {
 public:
  static constexpr std::int32_t kMaxClasses = 1024;  ///< In a result.

  /// Throws kInvalidArgument if the engine's input is not float32 [B, 3, H, W] or its output not float32 [B, C] (what was found is
  /// listed), if the number of names is neither 0 nor C, or for options out of range.
  ImageClassifier(const Engine& engine, const Stream& stream, const ImageClassifierOptions& options = {});
  ~ImageClassifier();
  ImageClassifier(ImageClassifier&&) noexcept;
  ImageClassifier& operator=(ImageClassifier&&) noexcept;

  /// Of the classes, as the options have them; empty without. Lives as long as this.
  [[nodiscard]] const ClassNames& names() const noexcept;

  /// Allocates: once, before the loop.
  [[nodiscard]] ImageClassifierResult allocate_result() const;
  /// Enqueues preprocessing, network, ranking and read-back. Allocates nothing, does not wait. `image` stays alive and unchanged, and
  /// `result` in place, until the next wait.
  void submit(const ImageView& image, ImageClassifierResult& result);
  /// The same for several pictures, of one camera or many, of any sizes and formats, in one run of the network; results[i] becomes what
  /// `submit` of images[i] would make of it. The engine decides how many fit: EngineOptions::batch, or the batch that the model was
  /// exported with. No pictures: nothing happens. Throws kInvalidArgument for more pictures, and unless each has a result of its own.
  void submit(std::span<const ImageView> images, std::span<ImageClassifierResult* const> results);

  /// For captured graphs; contracts of CenterFace::input_node and CenterFace::update.
  [[nodiscard]] GraphNode input_node() const;
  void update(Graph& graph, GraphNode input, const ImageView& image);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vrt
