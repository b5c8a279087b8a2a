// For tests: how often this thread has allocated.
#pragma once

#include <cstdint>

namespace vrt::test {

/// Calls of operator new by the calling thread since it started.
[[nodiscard]] std::uint64_t allocation_count() noexcept;

}  // namespace vrt::test
