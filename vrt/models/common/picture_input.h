// Internal (not installed): the way of a picture into a network that takes one: what the families share.
#pragma once

#include <optional>

#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/image/image.h"
#include "vrt/image/preprocessor.h"

namespace vrt {

/// A preprocessor with the memory that it writes, and the node of a captured graph in which it reads the picture. For one stream.
class PictureInput {
 public:
  /// `input` is the session's memory, which stays as long as this. Throws as Preprocessor.
  PictureInput(const Stream& stream, const PreprocessOptions& options, DeviceSpan<float> input)
      : stream_(stream), preprocessor_(stream, options), input_(input) {}

  [[nodiscard]] Size size() const noexcept { return preprocessor_.options().target; }
  /// Enqueues; contract of Preprocessor::submit.
  ResizeMapping submit(const ImageView& image);
  /// Contracts of CenterFace::input_node and CenterFace::update.
  [[nodiscard]] GraphNode node() const;
  void update(Graph& graph, GraphNode node, const ImageView& image);

 private:
  Stream stream_;
  Preprocessor preprocessor_;
  DeviceSpan<float> input_;
  std::optional<GraphNode> node_;  ///< Of the last capture.
};

}  // namespace vrt
