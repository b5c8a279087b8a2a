#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "apps/vrt/commands.h"
#include "vrt/base/cache_paths.h"
#include "vrt/base/fail.h"
#include "vrt/device/device.h"
#include "vrt/engine/engine.h"
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
};

/// Runs `look`, which returns what was found; what it throws says what is missing.
template <typename Look>
Finding find(std::string subject, const Look& look) {
  Finding finding{std::move(subject), true, {}};
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

/// Every GPU that can be used, or why there is none.
void check_gpus(std::vector<Finding>& findings) {
  const auto look = [](Device device) {
    const DeviceInfo gpu = describe(device);
    return fmt::format("{}, {}", gpu.name, gpu.architecture);
  };
  for (const Device device : Device::all()) {
    if (device.is_cuda()) findings.push_back(find(to_string(device), [&] { return look(device); }));
  }
  if (findings.back().subject.rfind("cuda", 0) == 0) return;
  findings.push_back(find("CUDA", [&] { return look(Device::cuda(0)); }));
}

/// False if no backend can run a network.
bool check_backends(std::vector<Finding>& findings) {
  bool any = false;
  for (const BackendInfo& backend : list_backends()) {
    any = any || backend.available;
    const std::string text =
        backend.available ? fmt::format("{}, {}", backend.version, backend.location) : backend.problem;
    findings.push_back({backend.name, backend.available, text});
  }
  return any;
}

/// Opens an encoder as a run does: that a library lists one does not mean that it works. Nothing is left behind.
std::string try_video_writer() {
  const VideoWriter writer(std::filesystem::temp_directory_path() / "vrt-doctor.mp4", {64, 48}, 25);
  return "works";
}

}  // namespace

int doctor_command() {
  std::vector<Finding> findings;
  findings.push_back(find("CPU", describe_cpu));
  check_gpus(findings);
  const bool can_run = check_backends(findings);
  findings.push_back(find("media", media_library));
  findings.push_back(find("H.264 encoder", try_video_writer));
  findings.push_back(find("drawing", [] { return drawing_library(); }));
  for (const ModelEntry& entry : known_models()) {
    findings.push_back(find(fmt::format("model {}", entry.name), [&] { return locate_model(entry).string(); }));
  }
  findings.push_back(find("cache folder", [] { return cache_root().string(); }));
  for (const Finding& finding : findings) {
    fmt::print("{:<17} {:<7} {}\n", finding.subject, finding.found ? "ok" : "missing", finding.text);
  }
  if (!can_run) fail(ErrorCode::kUnavailable, "no inference backend can be used, so no model can run");
  return kSuccess;
}

}  // namespace vrt::cli
