// What one network found in one frame, whatever its family: what a run draws and writes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "vrt/models/classifier/image_classifier.h"
#include "vrt/scene/class_names.h"
#include "vrt/scene/depth_map.h"
#include "vrt/scene/detection.h"
#include "vrt/scene/mask.h"

namespace vrt {

/// Embeddings of boxes that another network of the run found: the i-th, of `size` values, belongs to the i-th detection of
/// the findings at position `of`.
struct EmbeddingFindings {
  std::size_t of = 0;
  std::size_t size = 0;
  std::span<const float> values;
};

/// How many boxes those are: the first ones of `of`.
[[nodiscard]] inline std::size_t count_of(const EmbeddingFindings& embeddings) {
  return embeddings.size > 0 ? embeddings.values.size() / embeddings.size : 0;
}

/// Views of host memory that the frame's slot owns, valid until the slot is given back. What a family does not give is empty.
struct ModelFindings {
  std::string_view
      model;  ///< As the user called the network: a name of the registry, or its file's name without ".onnx".
  std::span<const Detection> detections;  ///< Best score first, source pixels.
  std::span<const MaskView> masks;        ///< Of the first detections, in their order, at the picture's size.
  std::optional<DepthMapView> depth;
  std::optional<RelativeDepthMapView> nearness;
  std::span<const Keypoint> features;  ///< Of XFeat; source pixels, `confidence` is the score.
  std::span<const Classification> classes;
  std::optional<EmbeddingFindings> embeddings;
  const ClassNames* names = nullptr;  ///< Of all classes of the network, where it has names. The same in every frame.
};

}  // namespace vrt
