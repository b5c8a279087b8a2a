#include "vrt/device/cuda/jetson.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "vrt/base/fail.h"

namespace vrt::cuda {
namespace {

namespace fs = std::filesystem;

/// The text of a small file up to a zero (which ends names of the device tree), without the end of its line; empty if it cannot be
/// read: a sensor without power refuses, which getline, unlike a stream's iterators, does not throw.
std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text, '\0');
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::optional<long long> number_of(const fs::path& path) {
  const std::string text = text_of(path);
  long long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Reading<double> scaled_number_of(const fs::path& path, double scale) {
  const auto number = number_of(path);
  if (!number) return {std::nullopt, fmt::format("{} cannot be read", path.string())};
  return {static_cast<double>(*number) * scale, {}};
}

/// The entries of a folder in a fixed order.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

/// By the node of the device tree (Xavier: gv11b, Orin: ga10b or gpu), or by the entry's own name (Thor: gpu-gpc-0).
bool is_gpu_clock(const fs::path& folder) {
  constexpr std::array<std::string_view, 3> kNodes{"gv11b", "ga10b", "gpu"};
  const std::string node = text_of(folder / "device/of_node/name");
  return std::find(kNodes.begin(), kNodes.end(), node) != kNodes.end() ||
         folder.filename().string().starts_with("gpu-gpc");
}

fs::path find_gpu_clock(const fs::path& root) {
  const auto entries = entries_of(root / "sys/class/devfreq");
  const auto found = std::find_if(entries.begin(), entries.end(), is_gpu_clock);
  return found == entries.end() ? fs::path() : *found;
}

/// Watts of each rail of one INA3221, by the rail's label.
void add_rails(const fs::path& sensor, std::map<std::string, double>& watts) {
  for (int channel = 1; channel <= 3; ++channel) {
    const std::string label = text_of(sensor / fmt::format("in{}_label", channel));
    const auto millivolts = number_of(sensor / fmt::format("in{}_input", channel));
    const auto milliamperes = number_of(sensor / fmt::format("curr{}_input", channel));
    if (label.empty() || label == "NC" || !millivolts || !milliamperes) continue;
    watts[label] = static_cast<double>(*millivolts) * static_cast<double>(*milliamperes) * 1e-6;
  }
}

}  // namespace

JetsonMonitor::JetsonMonitor(fs::path root) : root_(std::move(root)), gpu_clock_folder_(find_gpu_clock(root_)) {
  (void)limits();  // Counts of events that were before this run.
}

/// The file says "pmode:0002"; nvpmodel.conf has the mode's name.
Reading<std::string> JetsonMonitor::power_mode() const {
  constexpr std::string_view kPrefix = "pmode:";
  const fs::path status = root_ / "var/lib/nvpmodel/status";
  const std::string text = text_of(status);
  int id = 0;
  const bool known = text.starts_with(kPrefix) &&
                     std::from_chars(text.data() + kPrefix.size(), text.data() + text.size(), id).ec == std::errc();
  if (!known) return {std::nullopt, fmt::format("{} holds no mode", status.string())};
  const std::string catalogue = text_of(root_ / "etc/nvpmodel.conf");
  const std::string head = fmt::format("POWER_MODEL ID={} NAME=", id);
  const std::size_t at = catalogue.find(head);
  if (at == std::string::npos) return {fmt::format("mode {}", id), {}};
  const std::size_t start = at + head.size();
  return {fmt::format("mode {} ({})", id, catalogue.substr(start, catalogue.find_first_of(" >\n", start) - start)), {}};
}

/// jetson_clocks holds the clock by making the least equal to the most.
Reading<std::string> JetsonMonitor::clock_lock() const {
  const auto least = number_of(gpu_clock_folder_ / "min_freq");
  const auto most = number_of(gpu_clock_folder_ / "max_freq");
  if (!least || !most) return {std::nullopt, "no min_freq and max_freq of a GPU below sys/class/devfreq"};
  return {*least == *most ? "held, as jetson_clocks does" : "not held", {}};
}

Reading<double> JetsonMonitor::gpu_clock() const {
  constexpr double kMegahertzPerHertz = 1e-6;
  if (gpu_clock_folder_.empty()) return {std::nullopt, "no entry of sys/class/devfreq is a GPU's"};
  return scaled_number_of(gpu_clock_folder_ / "cur_freq", kMegahertzPerHertz);
}

Reading<double> JetsonMonitor::temperature() const {
  constexpr double kDegreesPerMillidegree = 1e-3;
  for (const fs::path& zone : entries_of(root_ / "sys/class/thermal")) {
    const std::string type = text_of(zone / "type");
    if (type == "gpu-thermal" || type == "GPU-therm") return scaled_number_of(zone / "temp", kDegreesPerMillidegree);
  }
  return {std::nullopt, "no zone of sys/class/thermal is the GPU's"};
}

/// Of the rail that feeds the whole module, where the board has one: others may feed each other, so that a sum counts twice.
Reading<double> JetsonMonitor::power() const {
  std::map<std::string, double> watts;
  for (const fs::path& sensor : entries_of(root_ / "sys/class/hwmon")) {
    if (text_of(sensor / "name") == "ina3221") add_rails(sensor, watts);
  }
  if (watts.empty()) return {std::nullopt, "no ina3221 below sys/class/hwmon has rails that can be read"};
  if (const auto input = watts.find("VDD_IN"); input != watts.end()) return {input->second, {}};
  std::string rails;
  for (const auto& [label, rail] : watts) rails += fmt::format(", {} {:.2f} W", label, rail);
  return {std::nullopt, "no rail feeds the whole module; there are" + rails.substr(1)};
}

/// Cooling devices called …-alert are the chip's own slowing down. False if there are none.
bool JetsonMonitor::add_alerts(std::vector<ClockLimit>& limits) const {
  bool any = false;
  for (const fs::path& device : entries_of(root_ / "sys/class/thermal")) {
    const std::string type = text_of(device / "type");
    const auto state = number_of(device / "cur_state");
    if (!type.ends_with("-alert") || !state) continue;
    any = true;
    if (*state > 0) limits.push_back({type, true});
  }
  return any;
}

/// soctherm_oc counts how often low voltage and over-current slowed the chip down. False if it is not there.
bool JetsonMonitor::add_over_currents(std::vector<ClockLimit>& limits) {
  bool any = false;
  for (const fs::path& sensor : entries_of(root_ / "sys/class/hwmon")) {
    if (text_of(sensor / "name") != "soctherm_oc") continue;
    for (const char* event : {"oc1", "oc2", "oc3"}) {
      const auto count = number_of(sensor / fmt::format("{}_event_cnt", event));
      if (!count) continue;
      any = true;
      const auto [before, is_first] = over_currents_.try_emplace(event, *count);
      if (!is_first && *count > before->second) limits.push_back({fmt::format("over-current event {}", event), true});
      before->second = *count;
    }
  }
  return any;
}

Reading<std::vector<ClockLimit>> JetsonMonitor::limits() {
  std::vector<ClockLimit> limits;
  const bool has_alerts = add_alerts(limits);
  const bool has_counts = add_over_currents(limits);
  if (!has_alerts && !has_counts)
    return {std::nullopt, "neither throttle alerts nor over-current counts below sys/class"};
  return {std::move(limits), {}};
}

void JetsonMonitor::describe(GpuFacts& facts) {
  facts.reader = "sysfs";
  facts.driver_version.problem = "a Jetson's driver is part of its system, see the kernel";
  facts.power_mode = power_mode();
  facts.clock_lock = clock_lock();
}

GpuState JetsonMonitor::sample() {
  constexpr double kMegahertzPerHertz = 1e-6;
  GpuState state;
  state.sm_clock_mhz = gpu_clock();
  // The memory controller's clock is in debugfs, for root alone.
  state.memory_clock_mhz = scaled_number_of(root_ / "sys/kernel/debug/bpmp/debug/clk/emc/rate", kMegahertzPerHertz);
  state.temperature_celsius = temperature();
  state.power_watts = power();
  state.limits = limits();
  return state;
}

}  // namespace vrt::cuda
