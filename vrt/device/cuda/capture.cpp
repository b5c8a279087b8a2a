#include "vrt/device/cuda/capture.h"

#include <algorithm>
#include <cstddef>

namespace vrt::cuda {

void Capture::refuse(const Error& error) {
  if (!refusal) refusal = error;
  throw error;  // NOLINT(cert-err09-cpp): what is remembered is thrown, too.
}

bool Capture::is_declared(const void* memory, std::size_t bytes) const {
  const auto* begin = static_cast<const std::byte*>(memory);
  return std::any_of(foreign.begin(), foreign.end(), [&](const ForeignMemory& block) {
    const auto* first = static_cast<const std::byte*>(block.data);
    return begin >= first && begin + bytes <= first + block.bytes;
  });
}

}  // namespace vrt::cuda
