// Internal (not installed): pictures on their way into a network and through it. What the payloads that take whole pictures share.
//
//   network.submit(images);                                     // enqueued: preprocessing and one run for all
//   decoder.submit(network.output(0, i), network.mapping(i), …);  // for each picture
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vrt/base/fail.h"
#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/engine/engine.h"
#include "vrt/image/image.h"
#include "vrt/image/preprocessor.h"
#include "vrt/image/resize.h"

namespace vrt {

/// The engine's outputs as they are for one picture: [1, …], where an engine of several gives [B, …]. Throws kInvalidArgument naming
/// the first output that does not have an item for each picture.
[[nodiscard]] std::vector<TensorInfo> outputs_of_a_picture(const Engine& engine);

/// The pictures from the first one on that have one size, format and pitch and lie equally far apart in memory; the first one at least.
[[nodiscard]] ImageBatch leading_batch(std::span<const ImageView> images);

/// Session and preprocessor for one stream. The engine's only input is float32 [B, 3, H, W] (picture_input_of), B being its batch.
class PictureNetwork {
 public:
  /// Allocates. `preprocessing.target` is the size of the engine's input.
  PictureNetwork(const Engine& engine, const Stream& stream, const PreprocessOptions& preprocessing);

  [[nodiscard]] const Stream& stream() const noexcept { return stream_; }
  [[nodiscard]] const Engine& engine() const noexcept { return session_.engine(); }
  /// The size that pictures are brought to.
  [[nodiscard]] Size input() const noexcept { return preprocessor_.options().target; }
  /// How many pictures one submit takes.
  [[nodiscard]] std::size_t most_pictures() const noexcept { return mappings_.size(); }

  /// Enqueues preprocessing, one launch for pictures that lie equally far apart and one for each other, and one run of the network.
  /// Allocates nothing, does not wait. Nothing happens for no pictures. Where there are fewer than the run takes, the rest of the
  /// input is what an earlier submit left there, zeros at first. Throws kInvalidArgument for too many pictures, and as
  /// Preprocessor::submit.
  void submit(std::span<const ImageView> images);

  /// What preprocessing did to a picture of the last submit.
  [[nodiscard]] const ResizeMapping& mapping(std::size_t picture) const { return mappings_.at(picture); }
  /// The part of an output that is a picture's: memory of the session, always the same.
  [[nodiscard]] DeviceSpan<const float> output(std::size_t index, std::size_t picture) const;

  /// Contracts of CenterFace::input_node and CenterFace::update.
  [[nodiscard]] GraphNode input_node() const;
  void update(Graph& graph, GraphNode input, const ImageView& image);

 private:
  void preprocess(std::span<const ImageView> images);
  [[nodiscard]] DeviceSpan<float> input_of(std::size_t first, std::size_t count) const;

  Stream stream_;
  Session session_;
  Preprocessor preprocessor_;
  DeviceSpan<float> input_;                       // The session's memory, as are the outputs.
  std::vector<DeviceSpan<const float>> outputs_;  // Empty for those that hold other numbers.
  bool changing_batch_;
  std::int64_t smallest_batch_;          // Of a changing one.
  std::vector<ResizeMapping> mappings_;  // As many as one submit takes.
  std::optional<GraphNode> input_node_;  // Of the last captured submit, if that was of one picture.
};

/// Throws kInvalidArgument unless there is a result for each picture, and no result for two.
template <typename Result>
void require_results(std::span<const ImageView> images, std::span<Result* const> results) {
  require(images.size() == results.size(),
          "{} pictures and {} results in one submit: expected a result for each picture", images.size(),
          results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    require(results[i] != nullptr, "the result of picture {} is null: make one by allocate_result", i);
    for (std::size_t other = 0; other < i; ++other) {
      require(results[other] != results[i],
              "pictures {} and {} of one submit have the same result: each needs its own, made by allocate_result",
              other, i);
    }
  }
}

}  // namespace vrt
