#include "vrt/device/device.h"

#include <charconv>

#include "vrt/base/fail.h"
#include "vrt/device/backend.h"
#include "vrt/device/cpu/cpu_device.h"
#include "vrt/device/cuda/device.h"
#include "vrt/device/cuda/driver.h"

namespace vrt {
namespace {

/// Reads the N of cuda:N; false for anything but a number.
bool read_ordinal(std::string_view text, int& ordinal) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, ordinal);
  return error == std::errc() && stop == end && ordinal >= 0;
}

Device read_device(std::string_view text) {
  constexpr std::string_view kCudaPrefix = "cuda:";
  int ordinal = 0;
  if (text == "cpu") return Device::cpu();
  if (text == "cuda") return Device::cuda(0);
  if (text.starts_with(kCudaPrefix) && read_ordinal(text.substr(kCudaPrefix.size()), ordinal))
    return Device::cuda(ordinal);
  fail(ErrorCode::kInvalidArgument, "\"{}\" is not a device; expected auto, cpu, cuda or cuda:N (as in cuda:0)", text);
}

}  // namespace

Device Device::parse(std::string_view text) {
  if (text == "auto") return all().front();
  const Device device = read_device(text);
  static_cast<void>(detail::backend_of(device));  // Throws if it cannot be used.
  return device;
}

std::vector<Device> Device::all() {
  std::vector<Device> devices;
  const cuda::DriverStatus& status = cuda::driver_status();
  for (int ordinal = 0; status.usable && ordinal < status.device_count; ++ordinal) {
    devices.push_back(Device::cuda(ordinal));
  }
  devices.push_back(Device::cpu());
  return devices;
}

std::string to_string(Device device) { return device.is_cpu() ? "cpu" : fmt::format("cuda:{}", device.ordinal()); }

DeviceInfo describe(Device device) { return detail::backend_of(device).describe(); }

detail::DeviceBackend& detail::backend_of(Device device) {
  if (device.is_cpu()) return cpu::cpu_device();
  return cuda::CudaDevice::open(device.ordinal());
}

}  // namespace vrt
