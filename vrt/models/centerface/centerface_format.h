// Internal (not installed): how CenterFace's outputs are told from others.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "vrt/base/shape.h"
#include "vrt/engine/tensor_view.h"
#include "vrt/image/image.h"

namespace vrt {

/// Positions of the network's outputs.
struct CenterFaceOutputIndices {
  std::size_t heatmap = 0;
  std::size_t scale = 0;
  std::size_t offset = 0;
  std::size_t landmarks = 0;
};

/// By channels: 1 heatmap, 10 landmarks. Scale and offset have two each: the one that calls itself "offset" is the offset; where
/// neither or both do, scale comes first, as CenterFace's own export (whose outputs have numbers for names) has it. `map` is the
/// shape of an output, its channels left out of account; kDynamic extents, of either, fit all. Nothing if these are other outputs.
[[nodiscard]] std::optional<CenterFaceOutputIndices> find_centerface_outputs(std::span<const TensorInfo> outputs,
                                                                             const Shape& map);

}  // namespace vrt
