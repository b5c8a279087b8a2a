// What emulated kernels are compiled against: CUDA's words, as lanes that are threads of the system understand them.
#pragma once

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "vrt/device/emulator/emulated_source.h"
#include "vrt/device/emulator/lane_functions.h"
#include "vrt/device/host_kernel.h"
#include "vrt/device/vector_types.h"

namespace VRT_HOST_NAMESPACE {
namespace {

using namespace ::vrt::kernels;

// NOLINTBEGIN: names and shapes are CUDA's.
#include "vrt/device/prelude_device_functions.h"

template <typename T>
VRT_PRELUDE T __ldg(const T* address, int line = __builtin_LINE()) {
  ::vrt::emulator::require_aligned(address, alignof(T), line);
  return *address;
}

VRT_PRELUDE void __syncthreads(int line = __builtin_LINE()) { ::vrt::emulator::block_barrier(line); }
VRT_PRELUDE int __syncthreads_count(int predicate, int line = __builtin_LINE()) {
  return ::vrt::emulator::block_count(predicate != 0, line);
}
VRT_PRELUDE void __syncwarp(unsigned mask = ~0U, int line = __builtin_LINE()) {
  ::vrt::emulator::warp_barrier(mask, line);
}
VRT_PRELUDE void __threadfence() { ::vrt::emulator::fence(); }
VRT_PRELUDE void __threadfence_block() { ::vrt::emulator::fence(); }

VRT_PRELUDE unsigned __ballot_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
  unsigned participants = 0;
  return ::vrt::emulator::ballot(mask, predicate != 0, "__ballot_sync", line, participants);
}
VRT_PRELUDE int __any_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
  unsigned participants = 0;
  return ::vrt::emulator::ballot(mask, predicate != 0, "__any_sync", line, participants) != 0;
}
VRT_PRELUDE int __all_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
  unsigned participants = 0;
  return ::vrt::emulator::ballot(mask, predicate != 0, "__all_sync", line, participants) == participants;
}

template <typename T>
VRT_PRELUDE T __shfl_sync(unsigned mask, T value, int lane, int width = 32, int line = __builtin_LINE()) {
  return ::vrt::emulator::shuffled(mask, value, ::vrt::emulator::Shuffle::kIndex, lane, width, line);
}
template <typename T>
VRT_PRELUDE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, int line = __builtin_LINE()) {
  return ::vrt::emulator::shuffled(mask, value, ::vrt::emulator::Shuffle::kUp, static_cast<int>(delta), width, line);
}
template <typename T>
VRT_PRELUDE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, int line = __builtin_LINE()) {
  return ::vrt::emulator::shuffled(mask, value, ::vrt::emulator::Shuffle::kDown, static_cast<int>(delta), width, line);
}
template <typename T>
VRT_PRELUDE T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, int line = __builtin_LINE()) {
  return ::vrt::emulator::shuffled(mask, value, ::vrt::emulator::Shuffle::kXor, lane_mask, width, line);
}

template <auto kThread, typename... Parameters, std::size_t... kIndex>
VRT_PRELUDE void vrt_call_lane(const void* const* arguments, std::index_sequence<kIndex...>) {
  kThread(*static_cast<const Parameters*>(arguments[kIndex])...);
}

template <auto kThread, typename... Parameters>
constexpr ::vrt::EmulatedKernel vrt_emulated_kernel(const char* name, void (*)(Parameters...)) {
  return {name, &::vrt::host_signature<Parameters...>, [](const void* const* arguments) {
            vrt_call_lane<kThread, Parameters...>(arguments, std::index_sequence_for<Parameters...>());
          }};
}

}  // namespace
}  // namespace VRT_HOST_NAMESPACE

#define VRT_SHARED_TYPES_BEGIN
#define VRT_SHARED_TYPES_END
#define VRT_DYNAMIC_SHARED(type, name) type* const name = static_cast<type*>(::vrt::emulator::dynamic_shared())
#define __shared__ static __attribute__((section("vrt_shared")))
#define __device__ __attribute__((unused))
#define __forceinline__ inline
#define __constant__ static const
#define threadIdx (::vrt::emulator::thread_index())
#define blockIdx (::vrt::emulator::block_index())
#define blockDim (::vrt::emulator::block_size())
#define gridDim (::vrt::emulator::grid_size())
// NOLINTEND
