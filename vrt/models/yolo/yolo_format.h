// Internal (not installed): what a network of the YOLO families gives, told from its outputs' shapes and its metadata.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "vrt/engine/tensor_view.h"
#include "vrt/image/image.h"
#include "vrt/models/yolo/yolo.h"
#include "vrt/scene/class_names.h"

namespace vrt {

/// What is known of a network besides its shapes, by the caller or by the exporter.
struct YoloFacts {
  std::optional<YoloTask> task;
  std::optional<YoloLayout> layout;
  std::optional<ClassNames> names;
  std::int32_t keypoints = 0;        ///< 0: not known.
  std::int32_t keypoint_values = 0;  ///< 2 (x, y) or 3 (with a confidence); 0: not known.
  Size input = {};                   ///< The network's; empty: not known.
};

/// How a network's outputs are to be read.
struct YoloFormat {
  YoloTask task = YoloTask::kDetect;
  YoloLayout layout = YoloLayout::kPlanes;
  std::int32_t items = 0;
  std::int32_t classes = 0;          ///< Without end-to-end outputs, which have a class's number: only named ones.
  std::int32_t keypoints = 0;        ///< For each object.
  std::int32_t keypoint_values = 0;  ///< 2 or 3.
  std::int32_t coefficients = 0;     ///< Of masks, for each object; as many as there are prototypes.
  Size prototype_size;
  std::size_t output = 0;      ///< Position of the objects among the outputs.
  std::size_t prototypes = 0;  ///< Position of the prototypes, where there are any.
  ClassNames names;

  /// Values of an object behind its box and scores.
  [[nodiscard]] std::int32_t extra() const noexcept { return coefficients + keypoints * keypoint_values; }
  /// Values of an object in all.
  [[nodiscard]] std::int32_t values() const noexcept {
    if (layout == YoloLayout::kEndToEnd) return 6 + extra();
    return (has_objectness() ? 5 : 4) + classes + extra();
  }
  /// Of each cell, before its classes' scores.
  [[nodiscard]] bool has_objectness() const noexcept {
    return layout == YoloLayout::kV5 || layout == YoloLayout::kYolox;
  }
};

/// The facts in Ultralytics' metadata: `task`, `names`, `kpt_shape`, `end2end`; and in vrt's own, `yolo_layout`: "v5" or "yolox". Throws
/// kCorrupt for entries that cannot be read, kUnsupported for a task that vrt does not decode.
[[nodiscard]] YoloFacts yolo_facts_of(const std::map<std::string, std::string>& metadata);

/// Throws kInvalidArgument with what was met if the outputs fit no format, or more than one.
[[nodiscard]] YoloFormat recognise_yolo(std::span<const TensorInfo> outputs, const YoloFacts& facts);

}  // namespace vrt
