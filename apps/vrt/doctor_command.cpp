#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/vrt/commands.h"
#include "apps/vrt/install_hints.h"
#include "vrt/base/atomic_file.h"
#include "vrt/base/cache_paths.h"
#include "vrt/base/fail.h"
#include "vrt/device/cuda/driver.h"
#include "vrt/device/cuda/nvrtc.h"
#include "vrt/device/device.h"
#include "vrt/engine/engine.h"
#include "vrt/engine/engine_cache.h"
#include "vrt/hub/registry.h"
#include "vrt/media/media_library.h"
#include "vrt/media/sink.h"
#include "vrt/view/annotate.h"

namespace vrt::cli {
namespace {

/// One line of the list: what was looked for, whether it is there, what was found or what to do.
struct Finding {
  std::string subject;
  bool found = false;
  std::string text;
  std::optional<Missing> package;  ///< What brings it, if a package does.
};

/// Runs `look`, which returns what was found; what it throws says what is missing.
template <typename Look>
Finding find(std::string subject, const Look& look, std::optional<Missing> package = std::nullopt) {
  Finding finding{std::move(subject), true, {}, package};
  try {
    finding.text = look();
  } catch (const Error& error) {
    finding.text = error.what();
    finding.found = false;
  }
  return finding;
}

std::string describe_cpu() {
  const DeviceInfo cpu = describe(Device::cpu());
  return fmt::format("{}, {}, {} threads, {:.1f} GiB", cpu.name, cpu.architecture, cpu.parallel_units,
                     static_cast<double>(cpu.memory_bytes) / (1 << 30));
}

std::string describe_driver() {
  const cuda::DriverStatus& driver = cuda::driver_status();
  if (!driver.usable) fail(ErrorCode::kUnavailable, "{}", driver.problem);
  return fmt::format("{}, {}", cuda::version_text(driver.version), driver.path);
}

/// That of the driver; without one the newest, which compiles for other machines.
std::string describe_nvrtc() {
  const cuda::Nvrtc& nvrtc = cuda::driver_status().usable ? cuda::nvrtc() : cuda::nvrtc_of_any_driver();
  return fmt::format("{}, {}", cuda::version_text(nvrtc.version()), nvrtc.path().string());
}

/// The driver, every GPU that can be used or why there is none, and what compiles for them. Only a GPU needs a compiler.
void check_cuda(std::vector<Finding>& findings) {
  const bool has_driver = cuda::driver_status().usable;
  findings.push_back(find("CUDA driver", describe_driver, Missing::kNvidiaDriver));
  const auto look = [](Device device) {
    const DeviceInfo gpu = describe(device);
    return fmt::format("{}, {}", gpu.name, gpu.architecture);
  };
  const std::vector<Device> devices = Device::all();
  for (const Device device : devices) {
    if (device.is_cuda()) findings.push_back(find(to_string(device), [&] { return look(device); }));
  }
  const bool has_gpu = devices.size() > 1;
  if (has_driver && !has_gpu) findings.push_back(find("GPU", [&] { return look(Device::cuda(0)); }));
  findings.push_back(find("NVRTC", describe_nvrtc, has_gpu ? std::optional(Missing::kNvrtc) : std::nullopt));
}

/// What brings a backend; nothing for those of NVIDIA where there is no GPU to run them.
std::optional<Missing> package_of(std::string_view backend) {
  if (backend == "openvino") return Missing::kOpenVino;
  if (backend == "onnxruntime") return Missing::kOnnxRuntime;
  const bool has_gpu = Device::all().size() > 1;
  return has_gpu ? std::optional(Missing::kTensorRt) : std::nullopt;
}

/// False if no backend can run a network.
bool check_backends(std::vector<Finding>& findings) {
  bool any = false;
  for (const BackendInfo& backend : list_backends()) {
    any = any || backend.available;
    const std::string text =
        backend.available ? fmt::format("{}, {}", backend.version, backend.location) : backend.problem;
    findings.push_back({backend.name, backend.available, text, package_of(backend.name)});
  }
  return any;
}

/// Opens an encoder as a run does: that a library lists one does not mean that it works. Nothing is left behind.
std::string try_video_writer() {
  const VideoWriter writer(std::filesystem::temp_directory_path() / "vrt-doctor.mp4", {64, 48}, 25);
  return "works";
}

/// Makes a folder and a file there, and takes both away again.
std::string try_cache() {
  namespace fs = std::filesystem;
  const fs::path root = cache_root();
  const bool was_there = fs::exists(root);
  const fs::path folder = cache_folder("doctor");
  AtomicFile(folder / "probe").flush();
  fs::remove(folder);
  if (!was_there) fs::remove(root);
  return root.string();
}

std::string describe_engine_cache() {
  const detail::EngineCache cache = detail::EngineCache::from_environment();
  if (!cache.is_on()) return "off";
  std::uint64_t bytes = 0;
  const auto entries = cache.entries();
  for (const auto& entry : entries) bytes += entry.bytes;
  return fmt::format("{}, {} engines, {:.1f} MB", cache.folder().string(), entries.size(),
                     static_cast<double>(bytes) / (1 << 20));
}

/// The model of the demonstration, and those of the others that somebody got, or that are damaged: none has to be there.
void check_models(std::vector<Finding>& findings) {
  for (const ModelEntry& entry : known_models()) {
    const bool is_demonstration = entry.name == "centerface";
    const auto exists = [](const std::filesystem::path& place) {
      std::error_code ignored;
      return std::filesystem::exists(place, ignored);
    };
    if (!is_demonstration && std::ranges::none_of(model_places(entry), exists)) continue;
    const auto look = [&] { return locate_model(entry).string(); };
    findings.push_back(find(fmt::format("model {}", entry.name), look,
                            is_demonstration ? std::optional(Missing::kModel) : std::nullopt));
  }
}

void print(const Finding& finding, std::string_view os_release) {
  fmt::print("{:<17} {:<7} {}\n", finding.subject, finding.found ? "ok" : "missing", finding.text);
  if (finding.found || !finding.package) return;
  fmt::print("{:<17} {:<7} {}\n", "", "install", install_hint(*finding.package, os_release));
}

}  // namespace

int doctor_command() {
  std::vector<Finding> findings;
  findings.push_back(find("CPU", describe_cpu));
  check_cuda(findings);
  const bool can_run = check_backends(findings);
  findings.push_back(find("media", media_library, Missing::kFfmpeg));
  findings.push_back(find("H.264 encoder", try_video_writer, Missing::kFfmpeg));
  findings.push_back(find("drawing", [] { return drawing_library(); }));
  check_models(findings);
  findings.push_back(find("cache folder", try_cache));
  findings.push_back(find("engine cache", describe_engine_cache));
  const std::string os_release = read_os_release();
  for (const Finding& finding : findings) print(finding, os_release);
  if (!can_run) fail(ErrorCode::kUnavailable, "no inference backend can be used, so no model can run");
  return kSuccess;
}

}  // namespace vrt::cli
