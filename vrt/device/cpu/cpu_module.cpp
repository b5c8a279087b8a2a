#include "vrt/device/cpu/cpu_module.h"

#include <cxxabi.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "vrt/base/fail.h"

namespace vrt::cpu {
namespace {

std::string readable(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                    &std::free);
  return status == 0 ? text.get() : type.name();
}

std::string list_names(std::span<const HostKernel> kernels) {
  std::string names;
  for (const HostKernel& kernel : kernels) names += fmt::format("{}'{}'", names.empty() ? "" : ", ", kernel.name);
  return names.empty() ? "none" : names;
}

#if defined(__x86_64__)
/// Clang 14 does not know this feature by name; the bit is that of the CPUID instruction's leaf 1.
bool has_f16c() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}
#endif

}  // namespace

HostIsa supported_isa() noexcept {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && has_f16c();
  return has_v3 ? HostIsa::kX86V3 : HostIsa::kBaseline;
#else
  return HostIsa::kBaseline;
#endif
}

std::string_view architecture_name(HostIsa isa) noexcept {
  if (isa == HostIsa::kX86V3) return "x86-64-v3";
#if defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "generic";
#endif
}

std::span<const HostKernel> choose_build(const KernelSource& source, HostIsa supported, const char* forced) {
  const std::string_view wish = forced == nullptr ? "" : forced;
  require(wish.empty() || wish == "baseline" || wish == "v3", "VRT_HOST_ISA is \"{}\"; expected \"baseline\" or \"v3\"",
          wish);
  const bool can_run_v3 = supported == HostIsa::kX86V3 && !source.host_v3.empty();
  if (wish == "v3" && !can_run_v3) {
    fail(ErrorCode::kUnavailable, "VRT_HOST_ISA=v3 was set, but {} {}; unset it", source.file,
         source.host_v3.empty() ? "was not built for x86-64-v3" : "cannot run its x86-64-v3 build on this processor");
  }
  return can_run_v3 && wish != "baseline" ? source.host_v3 : source.host_baseline;
}

detail::KernelFunction CpuModule::find(const char* name, const KernelSignature& expected) const {
  const auto found =
      std::ranges::find_if(kernels_, [&](const HostKernel& k) { return std::string_view(k.name) == name; });
  if (found == kernels_.end()) {
    fail(ErrorCode::kNotFound, "{} has no kernel '{}'; its kernels: {}", file_, name, list_names(kernels_));
  }
  const std::type_info& actual = *found->signature().function;
  require(actual == *expected.function, "kernel '{}' of {} is {}, but was asked for as {}", name, file_,
          readable(actual), readable(*expected.function));
  return {.module = nullptr, .host = &*found, .native = nullptr, .name = found->name};
}

}  // namespace vrt::cpu
