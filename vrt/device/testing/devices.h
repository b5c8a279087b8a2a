// For tests that run on each device: which there are, and names for them.
//
//   INSTANTIATE_TEST_SUITE_P(Devices, StreamTest, ::testing::ValuesIn(Device::all()), testing::device_name);
//
// Such a test must be right on a GPU, on the CPU and on the fake driver alike (cuda/testing/fake_driver.cpp; CTest's
// device.on_the_fake_driver): it reads no device memory from the host, waits before locals that host tasks refer to are gone, and lets
// no host task wait for another, for a GPU may run one at a time.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "vrt/device/device.h"

namespace vrt::testing {

/// A test's suffix: "cpu", "cuda0".
[[nodiscard]] inline std::string device_name(const ::testing::TestParamInfo<Device>& info) {
  return info.param.is_cpu() ? "cpu" : "cuda" + std::to_string(info.param.ordinal());
}

/// Every device but the GPUs of the fake driver, which run copies, fills and host tasks, but no kernel.
[[nodiscard]] inline std::vector<Device> devices_with_kernels() {
  std::vector<Device> devices;
  for (const Device device : Device::all()) {
    if (describe(device).name.rfind("Fake GPU", 0) != 0) devices.push_back(device);
  }
  return devices;
}

}  // namespace vrt::testing
