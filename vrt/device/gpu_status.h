// Internal (not installed): what state a GPU is in: clocks, temperature, power, and what slows it down.
//
//   const auto monitor = vrt::GpuMonitor::open(vrt::Device::cuda(0));
//   const vrt::GpuState state = monitor->sample();
//   if (state.temperature_celsius.value) ...                    // otherwise .problem says why not
//
// Nothing here is needed to run: it is for reports of measurements, which mean little without it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/device/device.h"

namespace vrt {

/// A value as it was read, or why it could not be. A value that nobody read is absent, never 0.
template <typename T>
struct Reading {
  std::optional<T> value;
  std::string problem;  ///< Empty if there is a value.
};

/// Something that holds the clocks below what the chip can do.
struct ClockLimit {
  std::string name;        ///< "software power cap", "idle", …
  bool throttles = false;  ///< By heat, power or current; not by idleness or by a setting of the user.
};

/// One moment. Clocks in MHz, degrees Celsius, watts.
struct GpuState {
  Reading<double> sm_clock_mhz;
  Reading<double> memory_clock_mhz;
  Reading<double> temperature_celsius;
  Reading<double> power_watts;  ///< Of the GPU's board; of the whole module on a Jetson.
  Reading<std::vector<ClockLimit>> limits;
};

/// What holds for a whole run.
struct GpuFacts {
  std::string reader;                   ///< Who answers: "NVML" or "sysfs".
  Reading<std::string> driver_version;  ///< "580.65.06"
  Reading<std::string> cuda_version;    ///< The newest that the driver can run: "CUDA 13.0".
  Reading<std::string> nvrtc;           ///< "CUDA 13.0", if this process has compiled with it.
  Reading<std::string> power_mode;      ///< Jetson: the nvpmodel mode. Elsewhere the enforced limit of power.
  Reading<std::string> clock_lock;      ///< Jetson: whether the GPU's clock is held, as jetson_clocks does.
};

/// Reads one GPU. Used from one thread at a time; `sample` takes a few milliseconds and changes nothing on the GPU.
class VRT_API GpuMonitor {
 public:
  virtual ~GpuMonitor() = default;

  /// For a device that is in use (cuda:N). NVML is found at run time (`$VRT_NVML`, else libnvidia-ml.so.1), and the GPU in it by
  /// its PCI address: CUDA_VISIBLE_DEVICES may give other numbers. An integrated GPU is read below `root`/sys. Throws
  /// kUnavailable if the device cannot be used; what only the monitor lacks is told by each reading.
  [[nodiscard]] static std::unique_ptr<GpuMonitor> open(Device device, const std::filesystem::path& root = "/");

  /// May change while a process runs in one thing: NVRTC is among them once it was used.
  [[nodiscard]] GpuFacts facts();
  [[nodiscard]] virtual GpuState sample() = 0;

 protected:
  /// Fills the rest of what `facts` gives: all but `cuda_version` and `nvrtc`.
  virtual void describe(GpuFacts& facts) = 0;
};

/// The SM clock of a sample is a drop if it is below this share of the highest of the same run.
inline constexpr double kClockDrop = 0.9;

/// What slowed the GPU down: the names of limits that throttle, of any sample, and a drop of the SM clock within `during`
/// (between work and idleness it moves anyway). Empty: nothing did. No value if no sample could tell either.
[[nodiscard]] VRT_API Reading<std::vector<std::string>> throttling_in(std::span<const GpuState> all,
                                                                      std::span<const GpuState> during);

}  // namespace vrt
