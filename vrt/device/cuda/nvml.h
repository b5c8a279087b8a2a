// Internal: The state of a discrete GPU, read with NVIDIA's management library, which the driver brings and which is opened at run
// time. Its functions are declared by vrt itself; each is optional.
#pragma once

#include <string>
#include <vector>

#include "vrt/device/cuda/driver_types.h"
#include "vrt/device/gpu_status.h"

struct nvmlDevice_st;

namespace vrt::cuda {

/// nvmlReturn_t: 0 is success.
using NvmlResult = int;
using NvmlDevice = nvmlDevice_st*;

inline constexpr NvmlResult kNvmlSuccess = 0;
/// NVML_VALUE_NOT_AVAILABLE: a successful answer that is none, in the type of the value.
inline constexpr int kNvmlNotAvailable = -1;
inline constexpr Enum kNvmlClockSm = 1;
inline constexpr Enum kNvmlClockMemory = 2;
inline constexpr Enum kNvmlTemperatureGpu = 0;

/// nvmlClocksEventReasons, the bits of one mask.
inline constexpr unsigned long long kNvmlGpuIdle = 0x001;
inline constexpr unsigned long long kNvmlApplicationClocks = 0x002;
inline constexpr unsigned long long kNvmlSoftwarePowerCap = 0x004;
inline constexpr unsigned long long kNvmlHardwareSlowdown = 0x008;
inline constexpr unsigned long long kNvmlSyncBoost = 0x010;
inline constexpr unsigned long long kNvmlSoftwareThermal = 0x020;
inline constexpr unsigned long long kNvmlHardwareThermal = 0x040;
inline constexpr unsigned long long kNvmlHardwarePowerBrake = 0x080;
inline constexpr unsigned long long kNvmlDisplayClock = 0x100;

/// One function of the library; `function` is null where it, or the library, is missing.
template <typename Signature>
struct NvmlEntry {
  const char* name;
  Signature* function = nullptr;
};

/// Under the exact name of each version whose signature is declared.
struct NvmlFunctions {
  NvmlEntry<NvmlResult()> init{"nvmlInit_v2"};
  NvmlEntry<NvmlResult()> shutdown{"nvmlShutdown"};
  NvmlEntry<const char*(NvmlResult)> error_string{"nvmlErrorString"};
  NvmlEntry<NvmlResult(char*, unsigned)> driver_version{"nvmlSystemGetDriverVersion"};
  NvmlEntry<NvmlResult(const char*, NvmlDevice*)> handle_by_bus_id{"nvmlDeviceGetHandleByPciBusId_v2"};
  NvmlEntry<NvmlResult(NvmlDevice, Enum, unsigned*)> clock{"nvmlDeviceGetClockInfo"};
  NvmlEntry<NvmlResult(NvmlDevice, Enum, unsigned*)> temperature{"nvmlDeviceGetTemperature"};
  NvmlEntry<NvmlResult(NvmlDevice, unsigned*)> power{"nvmlDeviceGetPowerUsage"};
  NvmlEntry<NvmlResult(NvmlDevice, unsigned*)> power_limit{"nvmlDeviceGetEnforcedPowerLimit"};
  /// Called "event reasons" since driver 535; older ones know the second name alone.
  NvmlEntry<NvmlResult(NvmlDevice, unsigned long long*)> event_reasons{"nvmlDeviceGetCurrentClocksEventReasons"};
  NvmlEntry<NvmlResult(NvmlDevice, unsigned long long*)> throttle_reasons{"nvmlDeviceGetCurrentClocksThrottleReasons"};
};

/// NVML for one GPU. Never throws for what the machine lacks.
class NvmlMonitor final : public GpuMonitor {
 public:
  /// Opens `$VRT_NVML` if set, else libnvidia-ml.so.1, and finds the GPU at that PCI address ("0000:3B:00.0").
  explicit NvmlMonitor(const Reading<std::string>& pci_bus_id);
  ~NvmlMonitor() override;
  NvmlMonitor(const NvmlMonitor&) = delete;
  NvmlMonitor& operator=(const NvmlMonitor&) = delete;

  [[nodiscard]] GpuState sample() override;

 private:
  void describe(GpuFacts& facts) override;
  [[nodiscard]] std::string start(const Reading<std::string>& pci_bus_id);
  [[nodiscard]] std::string failure(const char* name, NvmlResult result) const;
  template <typename Value, typename Signature, typename... Before>
  [[nodiscard]] Reading<Value> ask(const NvmlEntry<Signature>& entry, Before... before) const;
  [[nodiscard]] Reading<std::string> driver_version() const;
  [[nodiscard]] Reading<std::vector<ClockLimit>> limits() const;

  std::string path_;
  void* library_ = nullptr;  ///< Stays open: NVML keeps threads of its own.
  NvmlFunctions functions_;
  bool initialised_ = false;
  NvmlDevice device_ = nullptr;
  std::string library_problem_;  ///< Empty if NVML answers at all.
  std::string device_problem_;   ///< Empty if it knows the GPU.
};

}  // namespace vrt::cuda
