// Internal: The self-test's checks of the kernels behind XFeat, its matcher, Depth Anything, OSNet and classifiers.
#pragma once

#include "vrt/device/stream.h"
#include "vrt/pipeline/selftest_outcome.h"

namespace vrt::selftest {

/// In float32 and in float16, where sums are exact.
[[nodiscard]] Outcome match_descriptors(const Stream& stream);
/// More keypoints than can be ranked at once, so that they are selected first.
[[nodiscard]] Outcome find_features(const Stream& stream);
/// Larger than the network's map, with holes, and its picture.
[[nodiscard]] Outcome map_depth(const Stream& stream);
[[nodiscard]] Outcome embed_and_classify(const Stream& stream);

}  // namespace vrt::selftest
