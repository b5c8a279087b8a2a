#include "vrt/device/cpu/host_build.h"

#include <cstdlib>
#include <utility>

#include "vrt/device/cpu/cpu_module.h"

namespace vrt::cpu {

namespace {

thread_local const ScopedHostBuild* innermost = nullptr;

}  // namespace

std::span<const HostKernel> host_build_of(const KernelSource& source) {
  if (innermost != nullptr) return innermost->choice_(source);
  return choose_build(source, supported_isa(), std::getenv("VRT_HOST_ISA"));
}

ScopedHostBuild::ScopedHostBuild(Choice choice) : choice_(std::move(choice)), outer_(std::exchange(innermost, this)) {}

ScopedHostBuild::~ScopedHostBuild() { innermost = outer_; }

}  // namespace vrt::cpu
