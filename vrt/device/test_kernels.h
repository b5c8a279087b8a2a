// For the layer's tests: kernels written by hand as the build would make them from a .cu file, and that file for GPUs.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string_view>

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
/// More than the CPU takes as an argument; a GPU takes it.
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
      {"last_of_huge_table", host_signature<HugeTable, std::int32_t*>, run_fault},
  }};
  return table;
}

/// Those of them that a GPU can run.
inline constexpr std::string_view kCudaC = R"(
struct Table { int32_t entries[200]; };
struct HugeTable { int32_t entries[300]; };

extern "C" __global__ void scale(const float* __restrict__ in, float* __restrict__ out, float factor, int32_t count) {
  const int32_t i = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = __ldg(in + i) * factor;
}
extern "C" __global__ void increment(int32_t* __restrict__ values, int32_t count) {
  const int32_t i = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) ++values[i];
}
extern "C" __global__ void unpack(Table table, int32_t* __restrict__ out) {
  const int32_t i = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < 200) out[i] = table.entries[i];
}
extern "C" __global__ void last_of_huge_table(HugeTable table, int32_t* __restrict__ out) {
  if (blockIdx.x + threadIdx.x == 0) out[0] = table.entries[299];
}
)";

inline KernelSource source() { return {"test/kernels.cu", kCudaC, kernels(), {}}; }

using Scale = void(DeviceSpan<const float>, DeviceSpan<float>, float, std::int32_t);
using LastOfHugeTable = void(HugeTable, DeviceSpan<std::int32_t>);
using Increment = void(DeviceSpan<std::int32_t>, std::int32_t);

template <typename Signature>
[[nodiscard]] Kernel<Signature> kernel(const char* name, Device device = Device::cpu()) {
  return KernelModule::load(device, source()).get<Signature>(name);
}

}  // namespace vrt::test
