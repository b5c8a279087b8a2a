// Internal to the emulator: what the prelude's CUDA functions call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "vrt/device/vector_types.h"

namespace vrt::emulator {

[[nodiscard]] kernels::uint3 thread_index();
[[nodiscard]] kernels::uint3 block_index();
[[nodiscard]] kernels::uint3 block_size();
[[nodiscard]] kernels::uint3 grid_size();
[[nodiscard]] void* dynamic_shared();
void block_barrier(int line);
[[nodiscard]] int block_count(bool vote, int line);
void warp_barrier(std::uint32_t mask, int line);
void fence();
void require_aligned(const void* address, std::size_t alignment, int line);
/// Bit i is set if lane i takes part with a true predicate; `participants` are all lanes that take part.
[[nodiscard]] std::uint32_t ballot(std::uint32_t mask, bool predicate, const char* operation, int line,
                                   std::uint32_t& participants);

enum class Shuffle { kIndex, kUp, kDown, kXor };
/// Writes the value of the lane that `how` selects over `value`; the pattern of poisoned memory if that lane is not there.
void shuffle(std::uint32_t mask, void* value, std::size_t bytes, Shuffle how, int selector, int width, int line);

template <typename T>
[[nodiscard]] T shuffled(std::uint32_t mask, T value, Shuffle how, int selector, int width, int line) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16);
  shuffle(mask, &value, sizeof(T), how, selector, width, line);
  return value;
}

}  // namespace vrt::emulator
