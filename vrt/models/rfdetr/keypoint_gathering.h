// Internal (not installed): RF-DETR's keypoints of found objects, on the device.
#pragma once

#include <cstdint>

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
  /// `points` of each of `classes`. May block (loads the kernel).
  KeypointGathering(const Stream& stream, std::int32_t points, std::int32_t classes);

  /// Enqueues. `slots` is the network's output [1, Q, classes * points, 8]; `source` the picture's size. Each object gets the
  /// points of its query and class.
  void submit(DeviceSpan<const float> slots, Size source, DetectionBuffers& objects) const;

 private:
  using Gather = void(DeviceSpan<const float>, DeviceSpan<const std::int32_t>, DeviceSpan<const std::int32_t>,
                      DeviceSpan<const std::int32_t>, kernels::rfdetr_points::RfDetrPoints, DeviceSpan<float>);

  Stream stream_;
  std::int32_t points_;
  std::int32_t slots_;
  Kernel<Gather> gather_;
};

}  // namespace vrt
