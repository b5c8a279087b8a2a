// For the layer's tests: kernels written by hand as the build would make them from a .cu file.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>

#include "vrt/device/kernel.h"

namespace vrt::test {

/// Calls `body(i)` for the global index of each thread of the blocks, as a one-dimensional kernel would.
template <typename Body>
void for_each_thread(const HostBlocks& blocks, const Body& body) {
  const std::uint64_t threads = blocks.shape.block.x;
  for (std::uint64_t i = blocks.first * threads; i < (blocks.first + blocks.count) * threads; ++i) body(i);
}

template <typename T>
[[nodiscard]] T argument(const void* const* arguments, std::size_t index) {
  return *static_cast<const T*>(arguments[index]);
}

/// out[i] = in[i] * factor
inline void run_scale(const HostBlocks& blocks, const void* const* arguments) {
  const auto* in = argument<const float*>(arguments, 0);
  auto* out = argument<float*>(arguments, 1);
  const auto factor = argument<float>(arguments, 2);
  const auto count = argument<std::int32_t>(arguments, 3);
  for_each_thread(blocks, [&](std::uint64_t i) {
    if (i < static_cast<std::uint64_t>(count)) out[i] = in[i] * factor;
  });
}

/// values[i] += 1
inline void run_increment(const HostBlocks& blocks, const void* const* arguments) {
  auto* values = argument<std::int32_t*>(arguments, 0);
  const auto count = argument<std::int32_t>(arguments, 1);
  for_each_thread(blocks, [&](std::uint64_t i) {
    if (i < static_cast<std::uint64_t>(count)) ++values[i];
  });
}

inline void run_fault(const HostBlocks&, const void* const*) { throw std::runtime_error("a fault on purpose"); }

struct Table {
  std::array<std::int32_t, 200> entries{};
};
struct HugeTable {
  std::array<std::int32_t, 300> entries{};
};
/// out[i] = table.entries[i]
inline void run_unpack(const HostBlocks& blocks, const void* const* arguments) {
  const auto& table = *static_cast<const Table*>(arguments[0]);
  auto* out = argument<std::int32_t*>(arguments, 1);
  for_each_thread(blocks, [&](std::uint64_t i) {
    if (i < table.entries.size()) out[i] = table.entries[i];
  });
}

inline const std::array<HostKernel, 5>& kernels() {
  static const std::array<HostKernel, 5> table{{
      {"scale", host_signature<const float*, float*, float, std::int32_t>, run_scale},
      {"increment", host_signature<std::int32_t*, std::int32_t>, run_increment},
      {"fault", host_signature<>, run_fault},
      {"unpack", host_signature<Table, std::int32_t*>, run_unpack},
      {"oversized", host_signature<HugeTable>, run_fault},
  }};
  return table;
}

inline KernelSource source() { return {"test/kernels.cu", "", kernels(), {}}; }

using Scale = void(DeviceSpan<const float>, DeviceSpan<float>, float, std::int32_t);
using Increment = void(DeviceSpan<std::int32_t>, std::int32_t);

template <typename Signature>
[[nodiscard]] Kernel<Signature> kernel(const char* name) {
  return KernelModule::load(Device::cpu(), source()).get<Signature>(name);
}

}  // namespace vrt::test
