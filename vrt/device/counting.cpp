#include "vrt/device/counting.h"

namespace vrt::detail {

DeviceCounters Counters::snapshot() const noexcept {
  return {.device_allocations = device_allocations.value(),
          .device_frees = device_frees.value(),
          .pinned_allocations = pinned_allocations.value(),
          .pinned_frees = pinned_frees.value(),
          .launches = launches.value(),
          .copies = copies.value(),
          .blocking_copies = blocking_copies.value(),
          .fills = fills.value(),
          .host_tasks = host_tasks.value(),
          .graph_launches = graph_launches.value(),
          .waits = waits.value()};
}

}  // namespace vrt::detail
