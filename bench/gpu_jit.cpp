// Compiling. A process compiles a source once, whatever its cache folder, so each time is that of a process of its own: this program,
// started again. What a process needs to open the device comes before the clock starts; opening NVRTC is part of the first source.
#include <stdio.h>   // NOLINT(modernize-deprecated-headers): popen
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp, setenv

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu_modes.h"
#include "bench/gpu_timing.h"
#include "vrt/base/fail.h"
#include "vrt/device/cuda/nvrtc.h"
#include "vrt/device/kernel.h"
#include "vrt/device/stream.h"
#include "vrt/image/kernel_sources.h"
#include "vrt/models/kernel_sources.h"

namespace vrt {
namespace {

namespace fs = std::filesystem;

constexpr int kRuns = 7;

std::vector<const KernelSource*> sources() {
  std::vector<const KernelSource*> all;
  for (const auto layer : {kernels::image_sources(), kernels::models_sources()})
    all.insert(all.end(), layer.begin(), layer.end());
  return all;
}

template <typename Work>
double milliseconds(const Work& work) {
  return host_ns(work) * 1e-6;
}

void load_serially(Device device) {
  for (const KernelSource* source : sources()) {
    const double each = milliseconds([&] { (void)KernelModule::load(device, *source); });
    fmt::print("{} {}\n", source->file, each);
  }
}

void load_side_by_side(Device device) {
  std::vector<PendingKernels> pending;
  for (const KernelSource* source : sources()) pending.push_back(KernelModule::load_async(device, *source));
  for (const PendingKernels& each : pending) (void)each.get();
}

// The kernel cache of the processes that this one starts; empty at first, gone at the end.
class CacheFolder {
 public:
  CacheFolder() {
    std::string path = (fs::temp_directory_path() / "vrt_gpu_benchmark_XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) fail(ErrorCode::kIo, "cannot make {}: {}", path, std::strerror(errno));
    path_ = path;
    setenv("VRT_CACHE", path.c_str(), 1);
  }
  ~CacheFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;

 private:
  fs::path path_;
};

// What the child prints: a time in milliseconds for each name.
std::map<std::string, double> run_child(Device device, const std::string& how) {
  // The path goes through the environment: there no character of it means anything to the shell.
  setenv("VRT_GPU_BENCHMARK", fs::read_symlink("/proc/self/exe").c_str(), 1);
  const std::string command =
      fmt::format("exec \"$VRT_GPU_BENCHMARK\" jit-child {} --device {}", how, to_string(device));
  std::FILE* const output = popen(command.c_str(), "r");
  if (output == nullptr) fail(ErrorCode::kIo, "cannot start '{}': {}", command, std::strerror(errno));
  std::map<std::string, double> times;
  std::array<char, 512> name{};
  double value = 0;
  while (std::fscanf(output, "%511s %lf", name.data(), &value) == 2) times[name.data()] = value;
  const int status = pclose(output);
  if (status != 0 || !times.contains("all")) fail(ErrorCode::kBackend, "'{}' ended with status {}", command, status);
  return times;
}

using Times = std::map<std::string, std::vector<double>>;

void add_run(Times& times, Device device, const std::string& how) {
  const double process = milliseconds([&] {
    for (const auto& [name, value] : run_child(device, how)) times[name].push_back(value);
  });
  times["process"].push_back(process);
}

ReportRow row_of(std::string what, const Times& times) {
  return {{"what", std::move(what)},
          {"load_ms", median(times.at("all"))},
          {"load_ms_p95", quantile(times.at("all"), 0.95)},
          {"open_ms", median(times.at("open"))},
          {"process_ms", median(times.at("process"))}};
}

}  // namespace

void run_jit_child(Device device, std::string_view how) {
  fmt::print("open {}\n", milliseconds([&] { Stream(device).synchronize(); }));
  fmt::print("all {}\n", milliseconds([&] { how == "serial" ? load_serially(device) : load_side_by_side(device); }));
}

void measure_jit(Device device, GpuReport& report) {
  const std::vector<std::pair<std::string, std::string>> ways{{"serial", "one by one"}, {"async", "side by side"}};
  std::map<std::string, Times> cold;
  std::map<std::string, Times> cached;
  for (int run = 0; run < kRuns; ++run) {
    for (const auto& [how, text] : ways) {
      const CacheFolder folder;
      add_run(cold[how], device, how);
      add_run(cached[how], device, how);
    }
  }
  (void)cuda::nvrtc();  // The processes' compiler is this one's as well: the report then names it.
  report.add_fact({"sources", static_cast<std::int64_t>(sources().size())});
  for (const auto& [how, text] : ways) report.add_row(row_of("cold, " + text, cold[how]));
  for (const auto& [how, text] : ways) report.add_row(row_of("cached, " + text, cached[how]));
  for (const KernelSource* source : sources()) {
    const std::string file(source->file);
    report.add_row({{"what", "cold, " + file}, {"load_ms", median(cold["serial"].at(file))}});
  }
}

}  // namespace vrt
