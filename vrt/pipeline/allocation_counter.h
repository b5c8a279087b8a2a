// For tests: counts what one thread allocates through operator new; allocation_counter_test.cpp replaces the operators of the
// whole test program.
#pragma once

#include <cstdint>

namespace vrt::test {

/// Allocations of the calling thread since it started.
[[nodiscard]] std::uint64_t allocations_of_this_thread() noexcept;

}  // namespace vrt::test
