// Internal (not installed): what the families have in common that look at whole pictures.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "vrt/models/common/mask_options.h"
#include "vrt/pipeline/families/family.h"
#include "vrt/pipeline/families/frame_model.h"
#include "vrt/scene/class_names.h"
#include "vrt/scene/mask.h"

namespace vrt {

/// The FrameModel of a payload with `submit(image, result)`, `input_node` and `update`. `Frame` is the family's FrameResult, whose
/// member `result` is the payload's.
template <typename Payload, typename Frame>
class PictureModel : public FrameModel {
 public:
  explicit PictureModel(Payload payload) : payload_(std::move(payload)) {}

  void submit(const ImageView& image, FrameResult& result, const FrameResult* /*boxes*/) override {
    payload_.submit(image, static_cast<Frame&>(result).result);
  }
  [[nodiscard]] std::vector<GraphNode> input_nodes() const override { return {payload_.input_node()}; }
  void update(Graph& graph, std::span<const GraphNode> nodes, const ImageView& image,
              const FrameResult* /*boxes*/) override {
    payload_.update(graph, nodes.front(), image);
  }

 protected:
  [[nodiscard]] const Payload& payload() const noexcept { return payload_; }

 private:
  Payload payload_;
};

/// The results of a detector, whose classes have `names`, the payload's, if any.
template <typename Result>
class DetectionFrame : public FrameResult {
 public:
  explicit DetectionFrame(Result made, const ClassNames* names = nullptr) : result(std::move(made)), names_(names) {}

  [[nodiscard]] ModelFindings findings() override {
    ModelFindings found;
    found.detections = result.detections();
    found.names = names_;
    return found;
  }
  [[nodiscard]] std::int64_t count() override { return static_cast<std::int64_t>(result.detections().size()); }
  [[nodiscard]] std::optional<DeviceBoxes> device_boxes() const override {
    return DeviceBoxes{result.device_boxes(), result.device_count()};
  }

  Result result;  ///< The payload's.

 private:
  const ClassNames* names_;
};

/// For how many masks a detector's results have room where it finds `objects` at most; 0: it makes none.
[[nodiscard]] inline std::int32_t masks_wanted(const FrameModelOptions& wanted, std::int32_t objects) {
  if (!wanted.read_back_dense) return 0;
  return wanted.masks_of_all ? objects : std::min(objects, MaskOptions{}.most);
}

/// The results of a detector with masks, `most` of them at most.
template <typename Result>
class InstanceFrame final : public DetectionFrame<Result> {
 public:
  InstanceFrame(Result made, const ClassNames* names, std::size_t most)
      : DetectionFrame<Result>(std::move(made), names) {
    masks_.reserve(most);
  }

  [[nodiscard]] ModelFindings findings() override {
    ModelFindings found = DetectionFrame<Result>::findings();
    masks_.clear();
    for (std::size_t i = 0; i < this->result.mask_count(); ++i) masks_.push_back(this->result.mask(i));
    found.masks = masks_;
    return found;
  }

 private:
  std::vector<MaskView> masks_;
};

}  // namespace vrt
