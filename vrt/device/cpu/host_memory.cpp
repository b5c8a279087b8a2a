#include "vrt/device/cpu/host_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "vrt/base/fail.h"

namespace vrt::cpu {

namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kFewBytes = std::size_t{1}
                                  << 20;  // Cheaper filled than given back to the system and asked for again.

/// Gives the pages back to the system, which puts zeros in their place when they are touched next. False where it does not: pages that
/// are locked, or that an allocator shares with other mappings.
bool zero_pages(std::uint8_t* begin, std::uint8_t* end) noexcept {
  if (begin >= end) return false;
  *begin = 1;
  return madvise(begin, static_cast<std::size_t>(end - begin), MADV_DONTNEED) == 0 && *begin == 0;
}

void zero(std::uint8_t* data, std::size_t bytes) noexcept {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::size_t head = (page - address % page) % page;
  const std::size_t tail = (address + bytes) % page;
  if (bytes < kFewBytes || !zero_pages(data + head, data + bytes - tail)) {
    std::memset(data, 0, bytes);
    return;
  }
  std::memset(data, 0, head);
  std::memset(data + bytes - tail, 0, tail);
}

}  // namespace

std::size_t total_memory() noexcept {
  static const std::size_t bytes =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

void* allocate_host(std::size_t bytes, const char* purpose) {
  void* data = nullptr;
  // The system would promise more than it has, and end the process when the promise is called in.
  const bool is_possible = bytes <= total_memory();
  if (!is_possible || posix_memalign(&data, kAlignment, std::max<std::size_t>(bytes, 1)) != 0) {
    fail(ErrorCode::kOutOfMemory, "could not allocate {} bytes of {}; this machine has {} bytes", bytes, purpose,
         total_memory());
  }
  return data;
}

void* allocate_zeroed_host(std::size_t bytes, const char* purpose) {
  void* const data = allocate_host(bytes, purpose);
  zero(static_cast<std::uint8_t*>(data), bytes);
  return data;
}

}  // namespace vrt::cpu
