// Internal: Which of a source's host builds is used.
#pragma once

#include <functional>
#include <span>

#include "vrt/device/kernel.h"

namespace vrt::cpu {

/// The build of `source` that loading it in this thread gives: the best that the processor can run, or what VRT_HOST_ISA or a
/// ScopedHostBuild says. Throws as choose_build.
[[nodiscard]] std::span<const HostKernel> host_build_of(const KernelSource& source);

/// Has another build loaded, in this thread and while it lives. So a self-test compares two builds through the very front ends
/// that programs use, and its own test shows that a broken kernel is found. The innermost one counts.
class ScopedHostBuild {
 public:
  using Choice = std::function<std::span<const HostKernel>(const KernelSource&)>;
  explicit ScopedHostBuild(Choice choice);
  ~ScopedHostBuild();
  ScopedHostBuild(const ScopedHostBuild&) = delete;
  ScopedHostBuild& operator=(const ScopedHostBuild&) = delete;

 private:
  friend std::span<const HostKernel> host_build_of(const KernelSource& source);

  Choice choice_;
  const ScopedHostBuild* outer_;
};

}  // namespace vrt::cpu
