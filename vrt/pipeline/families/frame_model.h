// Internal (not installed): a network of a run, whatever its family: what the loop submits frames to, and what it reads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/image/image.h"
#include "vrt/image/preprocessor.h"
#include "vrt/pipeline/findings.h"

namespace vrt {

/// Found boxes where they are: on the device, with their number (one element), for networks that look at them in the same frame.
struct DeviceBoxes {
  DeviceSpan<const CropBox> boxes;
  DeviceSpan<const std::int32_t> count;
};

/// One network's results of one frame. Made by FrameModel::allocate_result; of its maker it needs no more than the class names, which
/// only a network that does not depend on the picture's size, and so stays open, has.
class FrameResult {
 public:
  virtual ~FrameResult() = default;
  FrameResult(const FrameResult&) = delete;
  FrameResult& operator=(const FrameResult&) = delete;

  /// After the wait for the frame. Views of this, valid until the next submit into it or the next call; `model` is the caller's to
  /// fill in. Allocates nothing.
  [[nodiscard]] virtual ModelFindings findings() = 0;
  /// How many detections, features, classes or embeddings that is; a depth map is 1.
  [[nodiscard]] virtual std::int64_t count() = 0;
  /// Nothing of families that give none. Valid in stream order behind `submit`.
  [[nodiscard]] virtual std::optional<DeviceBoxes> device_boxes() const { return std::nullopt; }

 protected:
  FrameResult() = default;
};

/// A payload on one stream. Used from one thread at a time.
class FrameModel {
 public:
  virtual ~FrameModel() = default;
  FrameModel(const FrameModel&) = delete;
  FrameModel& operator=(const FrameModel&) = delete;

  /// For pictures of that size: masks and maps have it, where results hold them. Allocates.
  [[nodiscard]] virtual std::unique_ptr<FrameResult> allocate_result(Size picture) const = 0;
  /// Whether a result serves pictures of that one size only.
  [[nodiscard]] virtual bool results_have_picture_size() const noexcept { return false; }

  /// Enqueues. Allocates nothing, does not wait; contract of the payload's submit. `boxes` is the same frame's result of the network
  /// whose boxes are looked at, submitted before on this stream; nullptr for families that look at whole pictures.
  virtual void submit(const ImageView& image, FrameResult& result, const FrameResult* boxes) = 0;

  /// In a capture, behind `submit`: the nodes that read `image`. Allocates.
  [[nodiscard]] virtual std::vector<GraphNode> input_nodes() const = 0;
  /// Gives a graph that captured `submit` another picture, of the same size, for its next launches. `nodes` are what `input_nodes` gave,
  /// `boxes` as in the captured `submit`. Enqueues and allocates nothing.
  virtual void update(Graph& graph, std::span<const GraphNode> nodes, const ImageView& image,
                      const FrameResult* boxes) = 0;

 protected:
  FrameModel() = default;
};

}  // namespace vrt
