#include "vrt/engine/engine_identity.h"

#include <charconv>
#include <fstream>
#include <string_view>

#include "vrt/base/fail.h"
#include "vrt/base/sha256.h"
#include "vrt/device/cuda/build_id.h"
#include "vrt/device/cuda/driver.h"
#include "vrt/device/gpu_status.h"

namespace vrt::detail {
namespace {

/// Two processors of one name may differ: virtual machines hide instruction sets.
std::string instruction_sets() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    Sha256 digest;
    digest.update(line);
    return digest.finish().substr(0, 16);
  }
  return "not told";
}

/// Whether "sm_87" and the like are TensorRT's "Ampere and newer".
bool is_ampere_or_newer(std::string_view architecture) {
  constexpr std::string_view kPrefix = "sm_";
  constexpr int kAmpere = 80;
  int number = 0;
  if (architecture.starts_with(kPrefix))
    std::from_chars(architecture.data() + kPrefix.size(), architecture.data() + architecture.size(), number);
  return number >= kAmpere;
}

}  // namespace

EngineTarget target_of(const DeviceInfo& device, bool moves_to_other_gpus, const std::string& driver) {
  if (moves_to_other_gpus && is_ampere_or_newer(device.architecture)) return {"Ampere and newer", "", driver};
  return {device.name, device.architecture, driver};
}

EngineSettings settings_of(const EngineOptions& options, Device device) {
  EngineSettings settings;
  settings.input_shapes = options.input_shapes;
  settings.precision = to_string(options.precision == Precision::kFloat16 ? DType::kFloat16 : DType::kFloat32);
  if (options.batch.largest > 0) {
    settings.batch_smallest = options.batch.smallest;
    settings.batch_typical = options.batch.typical == 0 ? options.batch.largest : options.batch.typical;
    settings.batch_largest = options.batch.largest;
  }
  settings.workspace_bytes = options.workspace_bytes;
  settings.optimization_level = options.optimization_level;
  settings.hardware_compatible = options.hardware_compatible;
  if (device.is_cuda()) return settings;
  settings.throughput = options.hint == PerformanceHint::kThroughput;
  settings.concurrent_sessions = options.concurrent_sessions;
  settings.threads = options.threads;
  return settings;
}

std::string driver_version_of(Device device) {
  if (device.is_cpu()) return "";
  const Reading<std::string> version = GpuMonitor::open(device)->facts().driver_version;
  return version.value.value_or(cuda::version_text(cuda::driver_status().version));
}

EngineIdentity identify_engine(const std::vector<DigestedFile>& model, const BackendContext& backend, Device device,
                               const EngineOptions& options) {
  EngineIdentity identity;
  for (const DigestedFile& file : model) identity.sources.push_back(file.sha256);
  identity.settings = settings_of(options, device);
  identity.builder = {std::string(backend.name()), std::string(backend.version()),
                      cuda::build_id_of(backend.module_path()), VRT_VERSION};
  DeviceInfo info = vrt::describe(device);
  if (device.is_cpu()) info.architecture += ", instruction sets " + instruction_sets();
  const bool moves = device.is_cuda() && options.hardware_compatible && backend.can(VRT_BACKEND_MOVES_TO_OTHER_GPUS);
  const bool is_bound = device.is_cuda() && backend.can(VRT_BACKEND_BOUND_TO_DRIVER);
  identity.target = target_of(info, moves, is_bound ? driver_version_of(device) : "");
  return identity;
}

}  // namespace vrt::detail
