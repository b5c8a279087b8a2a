// Where work runs and memory lives: the CPU, or one CUDA GPU.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/base/export.h"

namespace vrt {

/// A value that names a device. Copying is free; naming a device neither opens it nor checks that it exists.
class VRT_API Device {
 public:
  enum class Kind { kCpu, kCuda };

  /// The CPU.
  constexpr Device() noexcept = default;
  [[nodiscard]] static constexpr Device cpu() noexcept { return Device{}; }
  [[nodiscard]] static constexpr Device cuda(int ordinal) noexcept { return Device{Kind::kCuda, ordinal}; }

  /// Reads "auto", "cpu", "cuda" (the same as "cuda:0") or "cuda:N". "auto" is the first
  /// GPU, or the CPU where there is none (for models take Engine::best_device). Throws kInvalidArgument for another text, naming what is
  /// accepted; kUnavailable if that device cannot be used here, with the reason.
  [[nodiscard]] static Device parse(std::string_view text);

  /// Every device that can be used in this process; the CPU is always among them, and last.
  [[nodiscard]] static std::vector<Device> all();

  [[nodiscard]] constexpr Kind kind() const noexcept { return kind_; }
  /// N of cuda:N; 0 for the CPU.
  [[nodiscard]] constexpr int ordinal() const noexcept { return ordinal_; }
  [[nodiscard]] constexpr bool is_cpu() const noexcept { return kind_ == Kind::kCpu; }
  [[nodiscard]] constexpr bool is_cuda() const noexcept { return kind_ == Kind::kCuda; }

  friend constexpr bool operator==(const Device&, const Device&) = default;

 private:
  constexpr Device(Kind kind, int ordinal) noexcept : kind_(kind), ordinal_(ordinal) {}

  Kind kind_ = Kind::kCpu;
  int ordinal_ = 0;
};

/// "cpu" or "cuda:N"; `Device::parse` reads it back.
[[nodiscard]] VRT_API std::string to_string(Device device);

/// What a device is, for people and for benchmark reports.
struct DeviceInfo {
  std::string name;              ///< "AMD EPYC 9B14", "NVIDIA H200"
  std::string architecture;      ///< "x86-64-v3", "x86-64", "aarch64", "sm_90": what kernels are compiled for
  std::size_t memory_bytes = 0;  ///< Memory of the device (of the machine, for the CPU).
  int parallel_units = 0;        ///< Threads of the block pool, or multiprocessors.
};

/// Describes a device. Throws kUnavailable with the reason if it cannot be used.
[[nodiscard]] VRT_API DeviceInfo describe(Device device);

}  // namespace vrt
