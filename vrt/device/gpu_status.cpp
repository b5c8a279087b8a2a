#include "vrt/device/gpu_status.h"

#include <algorithm>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/device/cuda/device.h"
#include "vrt/device/cuda/driver.h"
#include "vrt/device/cuda/jetson.h"
#include "vrt/device/cuda/nvml.h"
#include "vrt/device/cuda/nvrtc.h"

namespace vrt {
namespace {

Reading<std::string> cuda_version() {
  const int version = cuda::driver_status().version;
  if (version == 0) return {std::nullopt, "cuDriverGetVersion gave no version"};
  return {cuda::version_text(version), {}};
}

Reading<std::string> nvrtc_in_use() {
  const cuda::Nvrtc* opened = cuda::opened_nvrtc();
  if (opened == nullptr) return {std::nullopt, "not used: every kernel came from the cache"};
  return {cuda::version_text(opened->version()), {}};
}

/// The lowest and the highest SM clock of the samples that have one; nothing unless there are two to compare.
std::optional<std::pair<double, double>> clock_range(std::span<const GpuState> samples) {
  std::optional<std::pair<double, double>> range;
  int readings = 0;
  for (const GpuState& sample : samples) {
    if (!sample.sm_clock_mhz.value) continue;
    ++readings;
    const double clock = *sample.sm_clock_mhz.value;
    range = range ? std::pair(std::min(range->first, clock), std::max(range->second, clock)) : std::pair(clock, clock);
  }
  return readings < 2 ? std::nullopt : range;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// False if the sample could not tell.
bool add_throttling(const GpuState& sample, std::vector<std::string>& names) {
  if (!sample.limits.value) return false;
  for (const ClockLimit& limit : *sample.limits.value) {
    if (limit.throttles) add_once(names, limit.name);
  }
  return true;
}

}  // namespace

std::unique_ptr<GpuMonitor> GpuMonitor::open(Device device, const std::filesystem::path& root) {
  require(device.is_cuda(), "{} is no GPU: there is no state of one to read", to_string(device));
  const cuda::CudaDevice& gpu = cuda::CudaDevice::open(device.ordinal());
  if (gpu.is_integrated()) return std::make_unique<cuda::JetsonMonitor>(root);
  return std::make_unique<cuda::NvmlMonitor>(gpu.pci_bus_id());
}

GpuFacts GpuMonitor::facts() {
  GpuFacts facts;
  describe(facts);
  facts.cuda_version = cuda_version();
  facts.nvrtc = nvrtc_in_use();
  return facts;
}

Reading<std::vector<std::string>> throttling_in(std::span<const GpuState> all, std::span<const GpuState> during) {
  std::vector<std::string> names;
  bool told = false;
  for (const GpuState& sample : all) told = add_throttling(sample, names) || told;
  const auto clocks = clock_range(during);
  if (clocks && clocks->first < kClockDrop * clocks->second)
    names.push_back(fmt::format("the SM clock fell from {:.0f} to {:.0f} MHz", clocks->second, clocks->first));
  if (told || clocks) return {std::move(names), {}};
  return {std::nullopt, all.empty() ? "nothing was read" : all.front().limits.problem};
}

}  // namespace vrt
