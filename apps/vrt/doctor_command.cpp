extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/avutil.h>
}
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "apps/vrt/failure.h"
#include "apps/vrt/media_module.h"
#include "vrt/base/cache_paths.h"
#include "vrt/device/device.h"
#include "vrt/engine/engine.h"
#include "vrt/hub/registry.h"
#include "vrt/view/annotate.h"

namespace vrt::cli {
namespace {

/// One line of the list: what was looked for, whether it is there, what was found or what to do.
struct Finding {
  std::string subject;
  bool found = false;
  std::string text;
};

std::string error_text_of(const Error& error) { return error.what(); }

/// True on Debian and what descends from it, where packages are named as below.
bool has_apt() {
  std::ifstream release("/etc/os-release");
  for (std::string line; std::getline(release, line);) {
    if (line.rfind("ID", 0) == 0 && line.find("debian") != std::string::npos) return true;
  }
  return false;
}

std::string install_hint(const std::string& package, const std::string& what) {
  return has_apt() ? fmt::format("apt install {}", package) : fmt::format("install {}", what);
}

Finding check_cpu() {
  const DeviceInfo cpu = describe(Device::cpu());
  return {"CPU", true, fmt::format("{}, {}, {} threads, {:.1f} GiB", cpu.name, cpu.architecture, cpu.parallel_units,
                                   static_cast<double>(cpu.memory_bytes) / (1 << 30))};
}

void check_gpus(std::vector<Finding>& findings) {
  bool any = false;
  for (const Device device : Device::all()) {
    if (!device.is_cuda()) continue;
    any = true;
    const DeviceInfo info = describe(device);
    findings.push_back({to_string(device), true, fmt::format("{}, {}", info.name, info.architecture)});
  }
  if (any) return;
  try {
    (void)describe(Device::cuda(0));
  } catch (const Error& error) {
    findings.push_back({"CUDA", false, error_text_of(error)});
  }
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

void check_media(std::vector<Finding>& findings) {
  findings.push_back({"FFmpeg", true, av_version_info()});
  const AVCodec* encoder = avcodec_find_encoder(AV_CODEC_ID_H264);
  findings.push_back({"H.264 encoder", encoder != nullptr,
                      encoder != nullptr ? encoder->name
                                         : "this FFmpeg has none; without it `--save` writes no video: " +
                                               install_hint("libavcodec59", "an FFmpeg built with libx264")});
  findings.push_back({"drawing", true, drawing_library()});
}

void check_models(std::vector<Finding>& findings) {
  for (const ModelEntry& entry : known_models()) {
    Finding finding{fmt::format("model {}", entry.name), false, {}};
    try {
      finding.text = locate_model(entry).string();
      finding.found = true;
    } catch (const Error& error) {
      finding.text = error_text_of(error);
    }
    findings.push_back(std::move(finding));
  }
}

Finding check_cache() {
  try {
    return {"cache folder", true, cache_root().string()};
  } catch (const Error& error) {
    return {"cache folder", false, error_text_of(error)};
  }
}

int doctor() {
  std::vector<Finding> findings;
  findings.push_back(check_cpu());
  check_gpus(findings);
  const bool can_run = check_backends(findings);
  check_media(findings);
  check_models(findings);
  findings.push_back(check_cache());
  for (const Finding& finding : findings) {
    fmt::print("{:<17} {:<7} {}\n", finding.subject, finding.found ? "ok" : "missing", finding.text);
  }
  if (can_run) return kSuccess;
  print_failure("no inference backend can be used, so no model can run");
  return kFailure;
}

}  // namespace

int doctor_command() {
  return report_failures([] { return doctor(); });
}

}  // namespace vrt::cli
