// Internal: the CPU device's memory.
#pragma once

#include <cstddef>

namespace vrt::cpu {

/// Bytes of memory of this machine.
[[nodiscard]] std::size_t total_memory() noexcept;

/// At least `bytes` of uninitialised memory, aligned to 256 bytes, from the C allocator: a sanitizer sees each byte beyond.
/// Give back with std::free. Throws kOutOfMemory with `purpose` and the sizes involved.
[[nodiscard]] void* allocate_host(std::size_t bytes, const char* purpose);

/// As allocate_host, with zeros. Whole pages of a large block take memory only when they are first written to, so that room for the most
/// that may ever be found costs what is found.
[[nodiscard]] void* allocate_zeroed_host(std::size_t bytes, const char* purpose);

}  // namespace vrt::cpu
