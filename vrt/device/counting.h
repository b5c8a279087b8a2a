// Internal: the counters that each device keeps.
#pragma once

#include <atomic>
#include <cstdint>

#include "vrt/device/counters.h"

namespace vrt::detail {

class Counter {
 public:
  void increment() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t value() const noexcept { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> count_{0};
};

struct Counters {
  Counter device_allocations, device_frees, pinned_allocations, pinned_frees;
  Counter launches, copies, blocking_copies, fills, host_tasks, graph_launches, waits;

  [[nodiscard]] DeviceCounters snapshot() const noexcept;
};

}  // namespace vrt::detail
