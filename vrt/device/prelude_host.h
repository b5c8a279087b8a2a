// What host builds of kernels are compiled against: generated files and *_host.cpp files include it, nothing else does.
// VRT_HOST_NAMESPACE differs for each source and instruction set. All functions are internal to it, so that the linker can
// never take one compiled for a newer processor for all (design: kernels are built for several instruction sets).
#pragma once

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "vrt/device/host_kernel.h"
#include "vrt/device/vector_types.h"

#ifndef VRT_HOST_NAMESPACE
#error \
    "VRT_HOST_NAMESPACE is set by vrt_add_kernels(): list the .cu there; an X_host.cpp beside X.cu is picked up by itself"
#endif

namespace VRT_HOST_NAMESPACE {
namespace {

using namespace ::vrt::kernels;  // The vector types.
using vrt::HostBlocks;

#include "vrt/device/prelude_device_functions.h"

template <typename T>
VRT_PRELUDE T __ldg(const T* address) {  // NOLINT(bugprone-reserved-identifier)
  return *address;
}

/// Where a thread stands in its launch; locals of the loops, so that the compiler sees through them. Signed, other than on the
/// device: unsigned sums may wrap, and then nothing that is indexed by one is vectorised. A launch has less than 2^31
/// threads in each direction, so that the values are the same.
struct VrtThread {
  int3 thread_index, block_index, block_size, grid_size;
};

VRT_PRELUDE int3 vrt_signed(const vrt::Dim3& size) {
  return {static_cast<int>(size.x), static_cast<int>(size.y), static_cast<int>(size.z)};
}

/// Calls kThread for each thread of each block in turn; x runs innermost and consecutive, so that it vectorises.
template <auto kThread, typename... Parameters>
VRT_PRELUDE void vrt_run_threads(const HostBlocks& blocks, Parameters... parameters) {
  const int3 grid = vrt_signed(blocks.shape.grid);
  const int3 size = vrt_signed(blocks.shape.block);
  const std::uint64_t end = blocks.first + blocks.count;
  for (std::uint64_t block = blocks.first; block < end; ++block) {
    const std::uint64_t row = block / blocks.shape.grid.x;
    const int3 index = {static_cast<int>(block % blocks.shape.grid.x), static_cast<int>(row % blocks.shape.grid.y),
                        static_cast<int>(row / blocks.shape.grid.y)};
    for (int z = 0; z < size.z; ++z) {
      for (int y = 0; y < size.y; ++y) {
        for (int x = 0; x < size.x; ++x) kThread(VrtThread{{x, y, z}, index, size, grid}, parameters...);
      }
    }
  }
}

template <auto kThread, typename... Parameters, std::size_t... kIndex>
VRT_PRELUDE void vrt_unpack_threads(void (*)(Parameters...), std::index_sequence<kIndex...>, const HostBlocks& blocks,
                                    const void* const* arguments) {
  vrt_run_threads<kThread>(blocks, *static_cast<const Parameters*>(arguments[kIndex])...);
}

/// Runs a kernel made from its .cu. `type` carries its signature, void(Parameters...).
template <auto kThread, typename... Parameters>
VRT_PRELUDE void vrt_run_kernel(void (*type)(Parameters...), const HostBlocks& blocks, const void* const* arguments) {
  vrt_unpack_threads<kThread>(type, std::index_sequence_for<Parameters...>(), blocks, arguments);
}

template <auto kFunction, typename... Parameters, std::size_t... kIndex>
VRT_PRELUDE void vrt_unpack_host(void (*)(Parameters...), std::index_sequence<kIndex...>, const HostBlocks& blocks,
                                 const void* const* arguments) {
  static_assert(std::is_same_v<decltype(kFunction), void (*)(const HostBlocks&, Parameters...)>,
                "the host version must take (const vrt::HostBlocks&, the parameters of the kernel in the .cu)");
  kFunction(blocks, *static_cast<const Parameters*>(arguments[kIndex])...);
}

/// Runs a kernel written for the host. `type` carries the signature of the kernel in the .cu.
template <auto kFunction, typename... Parameters>
VRT_PRELUDE void vrt_run_host_version(void (*type)(Parameters...), const HostBlocks& blocks,
                                      const void* const* arguments) {
  vrt_unpack_host<kFunction>(type, std::index_sequence_for<Parameters...>(), blocks, arguments);
}

}  // namespace
}  // namespace VRT_HOST_NAMESPACE
