#include "vrt/device/cpu/host_memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "vrt/base/fail.h"

namespace vrt::cpu {

namespace {
constexpr std::size_t kAlignment = 256;
}

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

}  // namespace vrt::cpu
