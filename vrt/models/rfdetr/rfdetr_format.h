// Internal (not installed): what a network of the RF-DETR family gives, told from its outputs' shapes and its metadata.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vrt/engine/tensor_view.h"
#include "vrt/image/image.h"
#include "vrt/image/preprocessor.h"
#include "vrt/models/rfdetr/rfdetr.h"
#include "vrt/scene/class_names.h"

namespace vrt {

/// Where an RF-DETR network's outputs are, and what they mean.
struct RfDetrFormat {
  std::int32_t queries = 0;
  std::int32_t columns = 0;  ///< Of the logits.
  std::size_t boxes = 0;     ///< Positions among the outputs.
  std::size_t logits = 0;
  bool background_column = false;
  ClassNames names;

  std::optional<std::size_t> masks;  ///< [1, Q, h, w]
  Size mask_grid;
  std::optional<std::size_t> tokens;  ///< [1, D, gh, gw]
  Size token_grid;
  std::int32_t token_channels = 0;
  std::optional<std::size_t> keypoints;  ///< [1, Q, class_points.size() * points, 8]
  /// How many keypoints the first classes have, by column of the logits; those of further columns have none.
  std::vector<std::int32_t> class_points;
  std::int32_t points = 0;  ///< The most of any class: the slots that each of them has.

  Interpolation interpolation = Interpolation::kBilinearAntialiased;
};

/// What a payload reads besides boxes and logits.
enum class RfDetrExtra : std::int32_t { kNone, kMasks, kKeypoints };

/// Throws kInvalidArgument with what was met if an output that `extra` needs is missing, or if two could be it. `metadata` is
/// that of the model's file.
[[nodiscard]] RfDetrFormat recognise_rfdetr(std::span<const TensorInfo> outputs, RfDetrExtra extra,
                                            const RfDetrOptions& options,
                                            const std::map<std::string, std::string>& metadata);

}  // namespace vrt
