// Counts of what a device was asked to do, so that tests and benchmarks can hold vrt to its contract.
#pragma once

#include <cstdint>

#include "vrt/base/export.h"
#include "vrt/device/device.h"

namespace vrt {

/// Counts since the process started, over all streams of a device. All but `waits` are counted when submitted.
struct DeviceCounters {
  std::uint64_t device_allocations = 0;
  std::uint64_t device_frees = 0;
  std::uint64_t pinned_allocations = 0;
  std::uint64_t pinned_frees = 0;
  std::uint64_t launches = 0;  ///< Kernel launches, those replayed by graphs not included.
  std::uint64_t copies = 0;    ///< Asynchronous copies.
  std::uint64_t blocking_copies = 0;
  std::uint64_t fills = 0;
  std::uint64_t host_tasks = 0;
  std::uint64_t graph_launches = 0;
  std::uint64_t waits = 0;  ///< Calls that blocked or could block: synchronize of streams and events.

  friend bool operator==(const DeviceCounters&, const DeviceCounters&) = default;
};

/// The counts now; a consistent snapshot only while nothing else uses the device.
[[nodiscard]] VRT_API DeviceCounters counters(Device device);

/// What happened between two snapshots.
[[nodiscard]] VRT_API DeviceCounters operator-(const DeviceCounters& later, const DeviceCounters& earlier) noexcept;

}  // namespace vrt
