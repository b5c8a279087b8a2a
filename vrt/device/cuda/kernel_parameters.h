// Internal: Kernel arguments as the driver takes them: an array of pointers to the values.
#pragma once

#include <array>
#include <span>

#include "vrt/base/fail.h"
#include "vrt/device/kernel.h"

namespace vrt::cuda {

class KernelParameters {
 public:
  static constexpr std::size_t kMaxCount = 64;

  explicit KernelParameters(std::span<const detail::KernelArgument> arguments) {
    require(arguments.size() <= kMaxCount, "a kernel takes at most {} parameters, {} were given", kMaxCount,
            arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) pointers_[i] = const_cast<void*>(arguments[i].value);
  }
  /// The driver reads the values before the call returns.
  [[nodiscard]] void** data() noexcept { return pointers_.data(); }

 private:
  std::array<void*, kMaxCount> pointers_;  // Left uninitialised: only the first are read, and this is the hot path.
};

}  // namespace vrt::cuda
