#include "vrt/device/counters.h"

#include "vrt/device/backend.h"

namespace vrt {

DeviceCounters counters(Device device) { return detail::backend_of(device).counters(); }

DeviceCounters operator-(const DeviceCounters& later, const DeviceCounters& earlier) noexcept {
  return {.device_allocations = later.device_allocations - earlier.device_allocations,
          .device_frees = later.device_frees - earlier.device_frees,
          .pinned_allocations = later.pinned_allocations - earlier.pinned_allocations,
          .pinned_frees = later.pinned_frees - earlier.pinned_frees,
          .launches = later.launches - earlier.launches,
          .copies = later.copies - earlier.copies,
          .blocking_copies = later.blocking_copies - earlier.blocking_copies,
          .fills = later.fills - earlier.fills,
          .host_tasks = later.host_tasks - earlier.host_tasks,
          .graph_launches = later.graph_launches - earlier.graph_launches,
          .waits = later.waits - earlier.waits};
}

}  // namespace vrt
