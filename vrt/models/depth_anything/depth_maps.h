// Internal (not installed): from a network's depth to the map and the picture that were asked for, on the device.
#pragma once

#include <cstdint>
#include <span>

#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/image/image.h"
#include "vrt/models/common/result_buffer.h"
#include "vrt/models/depth_anything/depth_anything.h"
#include "vrt/models/depth_anything/depth_resample_types.h"

namespace vrt {

/// A network's output in device memory, row after row.
struct DepthGrid {
  Size size;
  DeviceSpan<const float> values;
};

/// The memory of a result, on the device and on the host.
class DepthBuffers {
 public:
  /// Throws kInvalidArgument as BasicDepthAnything::allocate_result. `grid` is the size where options give none.
  DepthBuffers(const Stream& stream, Size grid, const DepthResultOptions& options);

  [[nodiscard]] Device device() const noexcept { return device_; }
  [[nodiscard]] Size size() const noexcept { return size_; }
  [[nodiscard]] bool has_colors() const noexcept { return !picture_.empty(); }

  [[nodiscard]] DeviceSpan<float> map() noexcept { return map_.span(); }
  [[nodiscard]] DeviceSpan<const float> map() const noexcept { return map_.span(); }
  [[nodiscard]] DeviceSpan<std::uint32_t> range() noexcept { return range_.span(); }
  [[nodiscard]] DeviceSpan<std::uint8_t> colors() noexcept { return picture_.span(); }
  void enqueue_read_back(const Stream& stream);

  /// Contracts of BasicDepthResult.
  [[nodiscard]] std::span<const float> host_map() const;
  [[nodiscard]] ImageView picture() const;
  [[nodiscard]] std::span<const std::uint8_t> host_picture() const;

 private:
  Device device_;
  Size size_;
  ResultBuffer<float> map_;
  DeviceBuffer<std::uint32_t> range_;
  ResultBuffer<std::uint8_t> picture_;  // With colors.
};

/// Kernels for one stream. The rules: a value is known if it is finite and, for metres, positive. A pixel of the map takes the four cells
/// around its centre bilinearly, with half-pixel centres; beyond the outer cells' centres these count. If the nearest of the four is
/// not known, the pixel is not; else the unknown ones are left out and the others' weights scaled up.
class DepthMapper {
 public:
  DepthMapper(const Stream& stream, DepthKind kind);

  /// Enqueues.
  void submit(const DepthGrid& grid, DepthBuffers& result);

 private:
  using Params = kernels::depth_resample::DepthResample;
  using Resample = void(DeviceSpan<const float>, DeviceSpan<float>, Params);
  using Range = void(DeviceSpan<const float>, std::int32_t, float, DeviceSpan<std::uint32_t>);
  using Colors = void(DeviceSpan<const float>, std::int32_t, float, DeviceSpan<const std::uint32_t>, std::int32_t,
                      DeviceSpan<std::uint8_t>);

  void paint(DepthBuffers& result);

  Stream stream_;
  DepthKind kind_;
  Kernel<Resample> resample_;
  Kernel<Range> find_range_;
  Kernel<Colors> paint_;
};

}  // namespace vrt
