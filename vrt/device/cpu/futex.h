// Internal: sleeping until a counter moves on, and nothing else: no lock, and no memory order of its own.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <climits>
#include <cstdint>

namespace vrt::cpu {

// std::atomic::wait and condition variables order memory between the two sides. An eager stream must not have that order
// (a read without a wait is to stay a reported race), so the system call is made directly.
static_assert(std::endian::native == std::endian::little, "the low half of the counter is taken from its first bytes");
static_assert(sizeof(std::atomic<std::uint64_t>) == sizeof(std::uint64_t));

/// Sleeps unless the counter differs from `seen` (in its low half); may also return for no reason.
inline void futex_wait(const std::atomic<std::uint64_t>& counter, std::uint64_t seen) noexcept {
  syscall(SYS_futex, &counter, FUTEX_WAIT_PRIVATE, static_cast<std::uint32_t>(seen), nullptr, nullptr, 0);
}

/// Wakes all threads that sleep on the counter.
inline void futex_wake(const std::atomic<std::uint64_t>& counter) noexcept {
  syscall(SYS_futex, &counter, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace vrt::cpu
