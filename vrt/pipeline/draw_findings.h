// Internal (not installed): what networks found in a frame, drawn for people to look at (docs/cli.md says what is drawn how).
#pragma once

#include <span>

#include "vrt/base/export.h"
#include "vrt/pipeline/findings.h"
#include "vrt/view/annotate.h"

namespace vrt {

/// Draws on a canvas that the frame's picture was set on: masks, boxes, keypoints and features on the picture, classes as text in its
/// corner, each depth map as a panel beside it. Embeddings are not drawn. Throws what Canvas throws.
VRT_API void draw_findings(Canvas& canvas, std::span<const ModelFindings> models);

}  // namespace vrt
