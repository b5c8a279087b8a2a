// Internal (not installed): XFeat's outputs to keypoints and descriptors, on the device.
#pragma once

#include <cstdint>

#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/image/image.h"
#include "vrt/image/resize.h"
#include "vrt/models/xfeat/xfeat.h"
#include "vrt/models/xfeat/xfeat_describe_types.h"
#include "vrt/models/xfeat/xfeat_select_types.h"

namespace vrt {

/// What the network gives for one picture, in device memory.
struct XFeatOutputs {
  Size input;                           ///< The network's; multiples of 8.
  DeviceSpan<const float> descriptors;  ///< 64 planes of (height / 8) × (width / 8)
  DeviceSpan<const float> heatmap;      ///< height × width
  DeviceSpan<const float> reliability;  ///< height × width
};

/// Where features go, in device memory; room for XFeatOptions::max_keypoints.
struct FeatureSpans {
  DeviceSpan<std::int32_t> counts;  ///< FeatureDecoder::Count
  DeviceSpan<float> keypoints;      ///< x, y, score of each; source pixels
  DeviceSpan<float> descriptors;    ///< 64 of each, of length 1
};

/// Scratch and kernels for one stream and one size. The rules, in this order:
///   1. A pixel is a keypoint if its heatmap exceeds the threshold, no value in the 5×5 window around it (as much of it as is in the
///      picture) is greater, and its score, heatmap times reliability, is positive and finite.
///   2. They are ranked by score, the pixel that comes first in the picture first among equals; the best max_keypoints stay.
///   3. A keypoint is at its pixel's centre, taken to source pixels.
///   4. Its descriptor is sampled bilinearly at that centre, beyond the outer cells' centres as there, and scaled to length 1.
class FeatureDecoder {
 public:
  /// Positions in FeatureSpans::counts.
  enum Count : std::size_t { kCandidates, kKeypoints, kCounts };

  FeatureDecoder(const Stream& stream, Size input, const XFeatOptions& options);

  /// Enqueues. `mapping` is what preprocessing did to the picture: a stretch.
  void submit(const XFeatOutputs& outputs, const ResizeMapping& mapping, const FeatureSpans& features);

 private:
  using Geometry = kernels::xfeat_describe::XFeatGeometry;
  using State = kernels::xfeat_select::SelectState;
  using Count1 = DeviceSpan<const std::int32_t>;
  using Peaks = void(DeviceSpan<const float>, DeviceSpan<const float>, std::int32_t, std::int32_t, float,
                     DeviceSpan<std::uint64_t>, DeviceSpan<std::int32_t>);
  using Select = void(DeviceSpan<const std::uint64_t>, Count1, std::int32_t, std::int32_t, DeviceSpan<const State>,
                      DeviceSpan<const std::int32_t>, DeviceSpan<State>, DeviceSpan<std::int32_t>);
  using Survivors = void(DeviceSpan<const std::uint64_t>, Count1, std::int32_t, std::int32_t, DeviceSpan<const State>,
                         DeviceSpan<const std::int32_t>, DeviceSpan<std::uint64_t>, DeviceSpan<std::int32_t>);
  using Rank = void(DeviceSpan<const std::uint64_t>, Count1, std::int32_t, std::int32_t, DeviceSpan<std::uint64_t>,
                    DeviceSpan<std::int32_t>);
  using Describe = void(DeviceSpan<const std::uint64_t>, Count1, DeviceSpan<const float>, Geometry, DeviceSpan<float>,
                        DeviceSpan<float>);

  void rank(DeviceSpan<const std::int32_t> candidates, DeviceSpan<std::int32_t> keypoints);
  [[nodiscard]] DeviceSpan<std::int32_t> bins(std::int32_t pass);

  Stream stream_;
  Size input_;
  float threshold_;
  std::int32_t keep_;
  DeviceBuffer<std::uint64_t> keys_;       // A key a pixel at most.
  DeviceBuffer<std::uint64_t> survivors_;  // Those that are ranked.
  DeviceBuffer<std::uint64_t> ranked_;
  DeviceBuffer<State> states_;         // Of the passes.
  DeviceBuffer<std::int32_t> counts_;  // The survivors' number and each pass's bins: all zeros before.
  Kernel<Peaks> peaks_;
  Kernel<Select> select_;
  Kernel<Survivors> find_survivors_;
  Kernel<Rank> rank_;
  Kernel<Describe> describe_;
};

}  // namespace vrt
