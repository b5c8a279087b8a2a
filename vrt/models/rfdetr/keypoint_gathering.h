// Internal (not installed): RF-DETR's keypoints of found objects, on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/image/image.h"
#include "vrt/models/common/detection_buffers.h"
#include "vrt/models/rfdetr/rfdetr_points_types.h"

namespace vrt {

/// Holds the kernel for one stream.
class KeypointGathering {
 public:
  /// Contract of RfDetrFormat::class_points. Blocks.
  KeypointGathering(const Stream& stream, const std::vector<std::int32_t>& class_points);

  /// Enqueues. `slots` is the network's output [1, Q, classes * points, 8]; `source` the picture's size. Each object gets the
  /// points of its query and class; those that its class does not have are zeros.
  void submit(DeviceSpan<const float> slots, Size source, DetectionBuffers& objects) const;

 private:
  using Gather = void(DeviceSpan<const float>, DeviceSpan<const std::int32_t>, DeviceSpan<const std::int32_t>,
                      DeviceSpan<const std::int32_t>, DeviceSpan<const std::int32_t>,
                      kernels::rfdetr_points::RfDetrPoints, DeviceSpan<float>);

  Stream stream_;
  std::int32_t points_;  // The most of any class.
  DeviceBuffer<std::int32_t> class_points_;
  Kernel<Gather> gather_;
};

}  // namespace vrt
