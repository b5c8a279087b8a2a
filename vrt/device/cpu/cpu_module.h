// Internal: kernels compiled for the host.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "vrt/device/backend.h"

namespace vrt::cpu {

/// The instruction sets that kernels are compiled for.
enum class HostIsa { kBaseline, kX86V3 };

/// The best of them that this processor can run.
[[nodiscard]] HostIsa supported_isa() noexcept;
/// "x86-64-v3", "x86-64", "aarch64".
[[nodiscard]] std::string_view architecture_name(HostIsa isa) noexcept;

/// The build of the source to use. `forced` is the value of VRT_HOST_ISA, "baseline" or "v3", nullptr if it is not set. Throws
/// kInvalidArgument for another value, kUnavailable if the forced build does not exist or cannot run here.
[[nodiscard]] std::span<const HostKernel> choose_build(const KernelSource& source, HostIsa supported,
                                                       const char* forced);

class CpuModule final : public detail::ModuleBackend {
 public:
  CpuModule(std::string_view file, std::span<const HostKernel> kernels) : file_(file), kernels_(kernels) {}
  [[nodiscard]] Device device() const noexcept override { return Device::cpu(); }
  [[nodiscard]] detail::KernelFunction find(const char* name, const KernelSignature& expected) const override;

 private:
  std::string file_;
  std::span<const HostKernel> kernels_;
};

}  // namespace vrt::cpu
