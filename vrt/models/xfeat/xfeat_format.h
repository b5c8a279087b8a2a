// Internal (not installed): what goes into XFeat, and how its outputs are told from others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "vrt/engine/tensor_view.h"
#include "vrt/image/preprocessor.h"

namespace vrt {

/// How a picture becomes an input of that size: stretched, RGB in [0, 1].
[[nodiscard]] PreprocessOptions xfeat_preprocessing(Size input);

/// Positions of the network's outputs.
struct XFeatOutputIndices {
  std::size_t descriptors = 0;
  std::size_t heatmap = 0;
  std::size_t reliability = 0;
};

/// By shape: descriptors [batch, 64, rows / 8, columns / 8], heatmap and reliability [batch, 1, rows, columns]. Of the latter the
/// one that calls itself "reliab…" is the reliability; where neither or both do, the heatmap comes first. Extents of kDynamic, given
/// or found, fit all. Nothing if these are other outputs.
[[nodiscard]] std::optional<XFeatOutputIndices> find_xfeat_outputs(std::span<const TensorInfo> outputs,
                                                                   std::int64_t batch, std::int64_t rows,
                                                                   std::int64_t columns);

}  // namespace vrt
