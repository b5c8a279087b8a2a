// Internal: The state of a Jetson's GPU, read from files: there the GPU is part of the chip, and NVML knows little of it.
//
// The files are those of L4T 35 and later (JetPack 5 to 7), which is what a driver that vrt can use comes with.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vrt/device/gpu_status.h"

namespace vrt::cuda {

/// Reads below `root`: / on a Jetson. Nothing has to be there; what is missing or may be read by root alone is said.
class JetsonMonitor final : public GpuMonitor {
 public:
  explicit JetsonMonitor(std::filesystem::path root);

  [[nodiscard]] GpuState sample() override;

 private:
  void describe(GpuFacts& facts) override;
  [[nodiscard]] Reading<std::string> power_mode() const;
  [[nodiscard]] Reading<std::string> clock_lock() const;
  [[nodiscard]] Reading<double> gpu_clock() const;
  [[nodiscard]] Reading<double> temperature() const;
  [[nodiscard]] Reading<double> power() const;
  [[nodiscard]] Reading<std::vector<ClockLimit>> limits();
  [[nodiscard]] bool add_alerts(std::vector<ClockLimit>& limits) const;
  [[nodiscard]] bool add_over_currents(std::vector<ClockLimit>& limits);

  std::filesystem::path root_;
  std::filesystem::path gpu_clock_folder_;          ///< Below class/devfreq; empty if none is a GPU's.
  std::map<std::string, long long> over_currents_;  ///< Counts of over-current events at the last sample.
};

}  // namespace vrt::cuda
