#include "vrt/device/cuda/nvml.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "vrt/base/fail.h"

namespace vrt::cuda {
namespace {

struct LimitName {
  unsigned long long bit;
  const char* name;
  bool throttles;
};

constexpr std::array kLimits{LimitName{kNvmlGpuIdle, "idle", false},
                             LimitName{kNvmlApplicationClocks, "application clocks", false},
                             LimitName{kNvmlSoftwarePowerCap, "software power cap", true},
                             LimitName{kNvmlHardwareSlowdown, "hardware slowdown", true},
                             LimitName{kNvmlSyncBoost, "sync boost", false},
                             LimitName{kNvmlSoftwareThermal, "software thermal slowdown", true},
                             LimitName{kNvmlHardwareThermal, "hardware thermal slowdown", true},
                             LimitName{kNvmlHardwarePowerBrake, "hardware power brake", true},
                             LimitName{kNvmlDisplayClock, "display clock", false}};

template <typename Signature>
void bind(void* library, NvmlEntry<Signature>& entry) {
  entry.function = reinterpret_cast<Signature*>(dlsym(library, entry.name));
}

void bind_all(void* library, NvmlFunctions& functions) {
  bind(library, functions.init);
  bind(library, functions.shutdown);
  bind(library, functions.error_string);
  bind(library, functions.driver_version);
  bind(library, functions.handle_by_bus_id);
  bind(library, functions.clock);
  bind(library, functions.temperature);
  bind(library, functions.power);
  bind(library, functions.power_limit);
  bind(library, functions.event_reasons);
  bind(library, functions.throttle_reasons);
}

std::string missing(const std::string& path, const char* name) { return fmt::format("{} has no {}", path, name); }

/// The same reading in another unit.
Reading<double> scaled(const Reading<unsigned>& reading, double factor) {
  if (!reading.value) return {std::nullopt, reading.problem};
  return {*reading.value * factor, {}};
}

}  // namespace

NvmlMonitor::NvmlMonitor(const Reading<std::string>& pci_bus_id) {
  const char* chosen = std::getenv("VRT_NVML");
  path_ = chosen != nullptr && *chosen != '\0' ? chosen : "libnvidia-ml.so.1";
  library_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    const char* reason = dlerror();
    library_problem_ = fmt::format("no NVML: {}", reason == nullptr ? path_ : reason);
  } else {
    bind_all(library_, functions_);
    library_problem_ = start(pci_bus_id);
  }
  if (!library_problem_.empty()) device_problem_ = library_problem_;
}

NvmlMonitor::~NvmlMonitor() {
  if (initialised_ && functions_.shutdown.function != nullptr) functions_.shutdown.function();
}

/// Fills what is known as far as it goes; returns what stopped the library, and leaves what only the device lacks.
std::string NvmlMonitor::start(const Reading<std::string>& pci_bus_id) {
  if (functions_.init.function == nullptr) return missing(path_, functions_.init.name);
  if (const NvmlResult result = functions_.init.function(); result != kNvmlSuccess)
    return failure(functions_.init.name, result);
  initialised_ = true;
  const auto& find = functions_.handle_by_bus_id;
  if (!pci_bus_id.value) {
    device_problem_ = pci_bus_id.problem;
  } else if (find.function == nullptr) {
    device_problem_ = missing(path_, find.name);
  } else if (const NvmlResult result = find.function(pci_bus_id.value->c_str(), &device_); result != kNvmlSuccess) {
    device_problem_ = fmt::format("{}, asked for the GPU at {}", failure(find.name, result), *pci_bus_id.value);
  }
  return {};
}

std::string NvmlMonitor::failure(const char* name, NvmlResult result) const {
  const auto& text_of = functions_.error_string.function;
  const char* text = text_of == nullptr ? nullptr : text_of(result);
  return fmt::format("{} answered {} ({})", name, text == nullptr ? "an error" : text, result);
}

template <typename Value, typename Signature, typename... Before>
Reading<Value> NvmlMonitor::ask(const NvmlEntry<Signature>& entry, Before... before) const {
  if (!device_problem_.empty()) return {std::nullopt, device_problem_};
  if (entry.function == nullptr) return {std::nullopt, missing(path_, entry.name)};
  Value value{};
  const NvmlResult result = entry.function(device_, before..., &value);
  if (result != kNvmlSuccess) return {std::nullopt, failure(entry.name, result)};
  if (value == static_cast<Value>(kNvmlNotAvailable))
    return {std::nullopt, fmt::format("{} answered that there is no value", entry.name)};
  return {value, {}};
}

Reading<std::string> NvmlMonitor::driver_version() const {
  const auto& entry = functions_.driver_version;
  if (!library_problem_.empty()) return {std::nullopt, library_problem_};
  if (entry.function == nullptr) return {std::nullopt, missing(path_, entry.name)};
  std::array<char, 80> text{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
  const NvmlResult result = entry.function(text.data(), static_cast<unsigned>(text.size()));
  if (result != kNvmlSuccess) return {std::nullopt, failure(entry.name, result)};
  text.back() = '\0';  // NVML's word is not what ends a text in memory of vrt.
  return {std::string(text.data()), {}};
}

Reading<std::vector<ClockLimit>> NvmlMonitor::limits() const {
  const bool is_new = functions_.event_reasons.function != nullptr;
  const auto mask = ask<unsigned long long>(is_new ? functions_.event_reasons : functions_.throttle_reasons);
  if (!mask.value) return {std::nullopt, mask.problem};
  std::vector<ClockLimit> limits;
  for (const LimitName& limit : kLimits) {
    if ((*mask.value & limit.bit) != 0) limits.push_back({limit.name, limit.throttles});
  }
  return {std::move(limits), {}};
}

void NvmlMonitor::describe(GpuFacts& facts) {
  facts.reader = "NVML";
  facts.driver_version = driver_version();
  const auto limit = ask<unsigned>(functions_.power_limit);
  if (limit.value)
    facts.power_mode = {fmt::format("{} W limit", *limit.value / 1000), {}};
  else
    facts.power_mode.problem = limit.problem;
  facts.clock_lock.problem = "NVML does not tell whether clocks are locked";
}

GpuState NvmlMonitor::sample() {
  constexpr double kWattsPerMilliwatt = 1e-3;
  GpuState state;
  state.sm_clock_mhz = scaled(ask<unsigned>(functions_.clock, kNvmlClockSm), 1);
  state.memory_clock_mhz = scaled(ask<unsigned>(functions_.clock, kNvmlClockMemory), 1);
  state.temperature_celsius = scaled(ask<unsigned>(functions_.temperature, kNvmlTemperatureGpu), 1);
  state.power_watts = scaled(ask<unsigned>(functions_.power), kWattsPerMilliwatt);
  state.limits = limits();
  return state;
}

}  // namespace vrt::cuda
