// NVML without a GPU: a shared object with the library's names, opened through the same path as the real one.
//
// Two GPUs, at the PCI addresses that the fake driver gives; the second is the hot one. The environment sets what a process sees:
//   VRT_FAKE_NVML_INIT=9 (nvmlInit_v2's answer)   VRT_FAKE_NVML_REASONS=4 (the mask)   VRT_FAKE_NVML_CLOCKS=1900,1200 (in turn)
//   VRT_FAKE_NVML_POWER=3 (nvmlDeviceGetPowerUsage's answer)   VRT_FAKE_NVML_ENDLESS=1 (the driver's version has no end)
// Built a second time with VRT_FAKE_BARE_NVML it has the oldest names alone, and neither power nor temperature.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "vrt/device/cuda/nvml.h"
#include "vrt/device/cuda/testing/fake_setting.h"

using vrt::cuda::NvmlDevice;
using vrt::cuda::NvmlResult;
using vrt::cuda::testing::setting;

struct nvmlDevice_st {
  const char* bus_id;
  unsigned temperature;
};

namespace {

constexpr NvmlResult kUninitialised = 1;
constexpr NvmlResult kInvalidArgument = 2;
constexpr NvmlResult kNotFound = 6;

nvmlDevice_st devices[] = {{"0000:3B:00.0", 41}, {"0000:3C:00.0", 83}};
int users = 0;
std::size_t clock_calls = 0;

/// The clocks of the variable, one a call, round and round.
unsigned next_clock() {
  const char* value = std::getenv("VRT_FAKE_NVML_CLOCKS");
  const std::string list = value == nullptr ? "1980" : value;
  const std::size_t comma = list.find(',');
  const bool second = comma != std::string::npos && clock_calls++ % 2 == 1;
  return static_cast<unsigned>(std::atoi(list.c_str() + (second ? comma + 1 : 0)));
}

template <typename Value>
NvmlResult answer(NvmlDevice device, Value* value, Value what) {
  if (users == 0) return kUninitialised;
  if (device == nullptr || value == nullptr) return kInvalidArgument;
  *value = what;
  return 0;
}

}  // namespace

extern "C" {

NvmlResult nvmlInit_v2() {
  const int planned = setting("VRT_FAKE_NVML_INIT", 0);
  if (planned == 0) ++users;
  return planned;
}
NvmlResult nvmlShutdown() { return users-- > 0 ? 0 : kUninitialised; }
/// For tests: how often it was opened and not closed.
int vrt_fake_nvml_users() { return users; }

NvmlResult nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, NvmlDevice* device) {
  for (nvmlDevice_st& known : devices) {
    if (std::strcmp(known.bus_id, bus_id) == 0) return *device = &known, 0;
  }
  return kNotFound;
}
NvmlResult nvmlDeviceGetClockInfo(NvmlDevice device, int clock, unsigned* megahertz) {
  return answer(device, megahertz, clock == vrt::cuda::kNvmlClockMemory ? 3201U : next_clock());
}
NvmlResult nvmlDeviceGetCurrentClocksThrottleReasons(NvmlDevice device, unsigned long long* mask) {
  return answer(device, mask, static_cast<unsigned long long>(setting("VRT_FAKE_NVML_REASONS", 0)));
}

#if !defined(VRT_FAKE_BARE_NVML)
const char* nvmlErrorString(NvmlResult result) { return result == 3 ? "Not Supported" : "a failure of the fake NVML"; }
NvmlResult nvmlSystemGetDriverVersion(char* text, unsigned capacity) {
  std::snprintf(text, capacity, "580.65.06");
  if (setting("VRT_FAKE_NVML_ENDLESS", 0) != 0) std::memset(text, '5', capacity);
  return 0;
}
NvmlResult nvmlDeviceGetTemperature(NvmlDevice device, int sensor, unsigned* degrees) {
  if (sensor != vrt::cuda::kNvmlTemperatureGpu) return kInvalidArgument;
  return answer(device, degrees, device == nullptr ? 0U : device->temperature);
}
NvmlResult nvmlDeviceGetPowerUsage(NvmlDevice device, unsigned* milliwatts) {
  if (const int planned = setting("VRT_FAKE_NVML_POWER", 0); planned != 0) return planned;
  return answer(device, milliwatts, 123500U);
}
NvmlResult nvmlDeviceGetEnforcedPowerLimit(NvmlDevice device, unsigned* milliwatts) {
  return answer(device, milliwatts, 700000U);
}
NvmlResult nvmlDeviceGetCurrentClocksEventReasons(NvmlDevice device, unsigned long long* mask) {
  return nvmlDeviceGetCurrentClocksThrottleReasons(device, mask);
}
#endif

}  // extern "C"
