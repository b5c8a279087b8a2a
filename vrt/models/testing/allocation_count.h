// For tests: how often the calling thread has allocated through operator new.
#pragma once

#include <cstdint>

namespace vrt::testing {

/// Calls of operator new by this thread since it started. Linking this replaces the global operator new of the binary.
[[nodiscard]] std::uint64_t allocations_of_this_thread() noexcept;

}  // namespace vrt::testing
