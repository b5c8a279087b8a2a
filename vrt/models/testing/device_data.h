// For tests that run on each device: names for them, and host vectors to device memory and back, waiting.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "vrt/device/device.h"
#include "vrt/device/memory.h"

namespace vrt::testing {

/// A test's suffix: "cpu", "cuda0".
[[nodiscard]] inline std::string device_name(const ::testing::TestParamInfo<Device>& info) {
  return info.param.is_cpu() ? "cpu" : "cuda" + std::to_string(info.param.ordinal());
}

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
