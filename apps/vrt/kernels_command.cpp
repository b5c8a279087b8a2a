#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

#include "apps/vrt/commands.h"
#include "vrt/base/fail.h"
#include "vrt/device/cpu/cpu_module.h"
#include "vrt/device/cpu/host_build.h"
#include "vrt/device/cuda/device.h"
#include "vrt/device/cuda/driver.h"
#include "vrt/device/cuda/kernel_cache.h"
#include "vrt/device/cuda/kernel_resources.h"
#include "vrt/device/cuda/nvrtc.h"
#include "vrt/pipeline/kernel_list.h"

namespace vrt::cli {
namespace {

using cuda::KernelCache;
using Clock = std::chrono::steady_clock;

std::string names_of(const KernelSource& source) {
  std::vector<std::string_view> names;
  for (const HostKernel& kernel : source.host_baseline) names.emplace_back(kernel.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string age_of(std::filesystem::file_time_type written) {
  const auto age = std::filesystem::file_time_type::clock::now() - written;
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(age).count();
  if (minutes < 1) return "less than a minute old";
  if (minutes < 2 * 60) return fmt::format("{} minutes old", minutes);
  if (minutes < 2 * 24 * 60) return fmt::format("{} hours old", minutes / 60);
  return fmt::format("{} days old", minutes / (24 * 60));
}

void print_usage_of(const KernelCache& cache) {
  const KernelCache::Usage usage = cache.usage();
  if (usage.folder.empty()) {
    fmt::print("cache: off\n");
  } else {
    fmt::print("cache: {} entries, {} bytes in {}\n", usage.entry_count, usage.bytes, usage.folder.string());
  }
}

void print_compiler(const cuda::Nvrtc& compiler, int architecture) {
  fmt::print("compiler: NVRTC of {}, {}, for sm_{}\n", cuda::version_text(compiler.version()), compiler.path().string(),
             architecture);
}

// Which of the builds that are part of vrt is used for a source, as KernelModule::load chooses.
std::string describe_host_build(const KernelSource& source) {
  const bool is_baseline = cpu::host_build_of(source).data() == source.host_baseline.data();
  return fmt::format("built in, {}",
                     cpu::architecture_name(is_baseline ? cpu::HostIsa::kBaseline : cpu::HostIsa::kX86V3));
}

std::string entry_of(const KernelSource& source, const cuda::Nvrtc& compiler, int architecture) {
  const std::string digest =
      digest_of(cuda::production_build(source.file, source.text), compiler.build(), architecture);
  const auto entry = KernelCache::shared().locate(digest);
  if (!entry) return "not compiled yet";
  return fmt::format("{} bytes, {}, {}", entry->bytes, age_of(entry->written), entry->path.string());
}

void print_source(const KernelSource& source, const std::string& state) {
  fmt::print("{}\n  kernels: {}\n  state:   {}\n", source.file, names_of(source), state);
}

void list_for_gpu(Device device) {
  const int architecture = cuda::CudaDevice::open(device.ordinal()).architecture();
  print_compiler(cuda::nvrtc(), architecture);
  print_usage_of(KernelCache::shared());
  for (const KernelSource* source : all_kernel_sources()) {
    print_source(*source, entry_of(*source, cuda::nvrtc(), architecture));
  }
}

/// What is compiled for, and by what.
struct Target {
  const cuda::Nvrtc* compiler;
  int architecture;
};

// "sm_87" is 87; the command line has checked the form.
int architecture_of(const std::string& name) {
  int number = 0;
  std::from_chars(name.data() + 3, name.data() + name.size(), number);
  return number;
}

Target target_of(const KernelsCompileArguments& arguments) {
  require(arguments.arch.empty() != arguments.device.empty(),
          "kernels compile: name what to compile for: a GPU of this machine (--device cuda:0) or an architecture "
          "(--arch sm_87)");
  if (!arguments.arch.empty()) return {&cuda::nvrtc_of_any_driver(), architecture_of(arguments.arch)};
  const Device device = Device::parse(arguments.device);
  require(device.is_cuda(), "--device {}: the CPU's kernels are part of vrt, there is nothing to compile; name a GPU",
          arguments.device);
  return {&cuda::nvrtc(), cuda::CudaDevice::open(device.ordinal()).architecture()};
}

KernelCache cache_for(const KernelsCompileArguments& arguments) {
  if (arguments.into.empty()) return KernelCache::shared();
  return {arguments.into, {}, std::numeric_limits<std::uint64_t>::max()};
}

void print_resources(const Target& target, const cuda::KernelBuild& build) {
  for (const auto& kernel : cuda::measure_resources(*target.compiler, build, target.architecture)) {
    fmt::print("  {:<30} {:>9} {:>13} {:>11} {:>11}\n", kernel.kernel, kernel.registers, kernel.shared_bytes,
               kernel.stack_bytes, kernel.spill_store_bytes + kernel.spill_load_bytes);
  }
}

/// What is above VRT_KERNEL_CACHE_MB was dropped as it was stored.
void require_kept(const std::vector<std::string>& digests, const KernelCache& cache) {
  const auto is_kept = [&](const std::string& digest) { return cache.locate(digest).has_value(); };
  const auto kept = std::ranges::count_if(digests, is_kept);
  if (kept == std::ssize(digests)) return;
  fail(ErrorCode::kUnavailable,
       "only {} of {} compiled sources stayed in {}: VRT_KERNEL_CACHE_MB leaves no room; raise it, or name a folder by "
       "--into",
       kept, digests.size(), cache.folder().string());
}

/// Returns what its entry is found by.
std::string compile_source(const KernelSource& source, const Target& target, const KernelCache& cache) {
  const cuda::KernelBuild build = cuda::production_build(source.file, source.text);
  const auto start = Clock::now();
  const cuda::CompiledKernels compiled = target.compiler->compile(build, target.architecture);
  const std::chrono::duration<double, std::milli> took = Clock::now() - start;
  std::string digest = digest_of(build, target.compiler->build(), target.architecture);
  cache.write(digest, compiled);
  const char* kind = compiled.target.starts_with("sm_") ? "" : ", PTX that the driver compiles";
  fmt::print("{} ({}{}): {:.0f} ms, {} bytes\n", source.file, compiled.target, kind, took.count(),
             compiled.image.size());
  print_resources(target, build);
  return digest;
}

}  // namespace

int kernels_list_command(const std::string& device_name) {
  const Device device = Device::parse(device_name);
  if (device.is_cuda()) {
    list_for_gpu(device);
    return kSuccess;
  }
  for (const KernelSource* source : all_kernel_sources()) print_source(*source, describe_host_build(*source));
  return kSuccess;
}

int kernels_compile_command(const KernelsCompileArguments& arguments) {
  const Target target = target_of(arguments);
  const KernelCache cache = cache_for(arguments);
  // Before the first compilation: without a place for the result the work would be for nothing.
  if (cache.folder().empty()) {
    fail(ErrorCode::kUnavailable,
         "compiled kernels are kept nowhere: VRT_KERNEL_CACHE is off or there is no place for a "
         "cache; set VRT_CACHE, or name a folder by --into");
  }
  print_compiler(*target.compiler, target.architecture);
  fmt::print("  {:<30} {:>9} {:>13} {:>11} {:>11}\n", "kernel", "registers", "shared bytes", "stack bytes",
             "spill bytes");
  std::vector<std::string> digests;
  for (const KernelSource* source : all_kernel_sources()) digests.push_back(compile_source(*source, target, cache));
  print_usage_of(cache);
  require_kept(digests, cache);
  return kSuccess;
}

int kernels_clear_command() {
  const KernelCache::Usage removed = KernelCache::shared().clear();
  if (removed.folder.empty()) {
    fail(ErrorCode::kUnavailable,
         "there is no kernel cache to clear: VRT_KERNEL_CACHE is off or there is no place for a "
         "cache; set VRT_CACHE");
  }
  fmt::print("removed {} entries, {} bytes from {}\n", removed.entry_count, removed.bytes, removed.folder.string());
  return kSuccess;
}

}  // namespace vrt::cli
