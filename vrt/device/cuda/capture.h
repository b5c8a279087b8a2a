// Internal: What a stream notes while its work is captured.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/device/cuda/driver_api.h"
#include "vrt/device/cuda/host_tasks.h"
#include "vrt/device/graph.h"

namespace vrt::cuda {

using Owners = std::vector<std::shared_ptr<const void>>;

/// What updates of a node's arguments keep alive. The buffers of the update before stay, since a launch with them may be running.
struct UpdatedMemory {
  Owners now;
  Owners before;
};

/// Memory, host tasks and nodes of a capture; the graph keeps them.
struct Capture {
  std::vector<ForeignMemory> foreign;
  Owners kept;
  std::vector<UpdatedMemory> updated;  // By node; as long as the last one that was updated.
  std::vector<std::unique_ptr<HostTaskNode>> host_tasks;
  GraphRuns runs;                      // The host tasks refer to it, so that a capture stays where it is.
  std::vector<CUgraphNode_st*> nodes;  // One for each operation of vrt, in order.
  std::optional<Error> refusal;        // The first. The end throws it, in case the caller has swallowed it.

  /// Throws `error` and remembers it.
  [[noreturn]] void refuse(const Error& error);
  [[nodiscard]] bool is_declared(const void* memory, std::size_t bytes) const;
};

}  // namespace vrt::cuda
