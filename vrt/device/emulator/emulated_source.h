// For tests: a .cu file compiled for the emulator. Made by vrt_add_kernels(); see emulate.h.
#pragma once

#include <span>
#include <string_view>

#include "vrt/device/host_kernel.h"

namespace vrt {

struct EmulatedKernel {
  const char* name = "";
  const KernelSignature& (*signature)() = nullptr;
  /// Runs the kernel's body as the calling lane.
  void (*run_lane)(const void* const* arguments) = nullptr;
};

struct EmulatedSource {
  std::string_view file;
  std::span<const EmulatedKernel> kernels;
};

}  // namespace vrt
