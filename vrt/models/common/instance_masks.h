// Internal (not installed): masks of found objects as bits, and how they come from logits on a coarse grid.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/device/vector_types.h"
#include "vrt/image/image.h"
#include "vrt/image/resize.h"
#include "vrt/models/common/mask_options.h"
#include "vrt/models/common/result_buffer.h"
#include "vrt/models/common/upsample_masks_types.h"
#include "vrt/scene/mask.h"

namespace vrt {

/// Room for MaskOptions::most masks, allocated once. None at all where the options' size is empty. Where masks are read back from the
/// CPU, the room takes memory only as masks are found.
class InstanceMasks {
 public:
  /// Throws kInvalidArgument for a size or a number that makes no sense.
  InstanceMasks(const Stream& stream, const MaskOptions& options);

  [[nodiscard]] bool wanted() const noexcept { return options_.size.width > 0; }
  [[nodiscard]] Size size() const noexcept { return options_.size; }
  [[nodiscard]] std::int32_t most() const noexcept { return wanted() ? options_.most : 0; }
  [[nodiscard]] DeviceSpan<std::uint32_t> words() { return words_.span(); }
  /// Enqueues the copy to the host, if it was asked for.
  void enqueue_read_back(const Stream& stream);

  /// Contract of YoloResult::mask_count, device_mask and mask.
  [[nodiscard]] std::size_t count_of(std::size_t found) const noexcept;
  [[nodiscard]] DeviceMaskView device_mask(std::size_t index) const;
  [[nodiscard]] MaskView mask(std::size_t index, std::size_t found) const;

 private:
  MaskOptions options_;
  ResultBuffer<std::uint32_t> words_;
};

/// Planes of logits, one for each item of a network; foreground is above 0.
struct MaskLogits {
  DeviceSpan<const float> planes;
  Size grid;
  DeviceSpan<const std::int32_t> plane_of;  ///< Each object's plane; empty: object i has plane i.
  DeviceSpan<const kernels::float4>
      crop_boxes;  ///< Each object's box in source pixels, outside of which nothing is; or empty.
};

/// Blends logits to pixels and thresholds them then (half-pixel centres, borders repeated).
class MaskUpsampler {
 public:
  /// May block (loads the kernel).
  explicit MaskUpsampler(const Stream& stream);

  /// Enqueues. The grid covers the network's whole input, of which the picture fills what `mapping` says: masks cover the
  /// picture exactly. `count` objects have one, as far as there is room.
  void submit(const MaskLogits& logits, const ResizeMapping& mapping, DeviceSpan<const std::int32_t> count,
              InstanceMasks& masks) const;

 private:
  using Upsample = void(DeviceSpan<const float>, DeviceSpan<const std::int32_t>, DeviceSpan<const std::int32_t>,
                        DeviceSpan<const kernels::float4>, kernels::upsample_masks::MaskGeometry,
                        DeviceSpan<std::uint32_t>);

  Stream stream_;
  Kernel<Upsample> upsample_;
};

}  // namespace vrt
