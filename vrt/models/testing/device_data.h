// For tests that run on each device: host vectors to device memory and back, waiting.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "vrt/device/device.h"
#include "vrt/device/memory.h"
#include "vrt/device/testing/devices.h"

namespace vrt::testing {

/// A device copy of `values`; of one unspecified element where there are none.
template <typename T>
[[nodiscard]] DeviceBuffer<T> to_device(const Stream& stream, const std::vector<T>& values) {
  auto buffer = DeviceBuffer<T>::uninitialized(stream, values.empty() ? 1 : values.size());
  if (!values.empty()) upload_blocking(stream, std::span<const T>(values), buffer.span());
  return buffer;
}

/// The first `count` elements.
template <typename T>
[[nodiscard]] std::vector<std::remove_const_t<T>> to_host(const Stream& stream, DeviceSpan<T> values,
                                                          std::size_t count) {
  return read_back_blocking(stream, values.subspan(0, count));
}

}  // namespace vrt::testing
