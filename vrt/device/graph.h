// Work recorded once and replayed with one call.
//
//   auto graph = vrt::Graph::capture(stream, [&] { model.submit(frame, result); });
//   graph.launch(stream);                                       // enqueues all of it
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/device/kernel.h"
#include "vrt/device/stream.h"

namespace vrt {

namespace detail {
class GraphBackend;
}

/// Memory that a captured operation uses though no vrt buffer owns it. The caller keeps it alive as long as the graph.
struct ForeignMemory {
  const void* data = nullptr;
  std::size_t bytes = 0;
};

/// How Graph::capture records.
struct CaptureOptions {
  /// Runs `enqueue` once and waits before the capture, so that lazy loading and allocation are over.
  bool warm_up = true;
  std::vector<ForeignMemory> foreign;
};

/// A recorded sequence of launches, copies, fills and host tasks. Keeps alive the vrt buffers it uses (on a GPU also those that it was
/// captured with and an update has replaced); what a host task refers to is the caller's to keep alive. Movable; launched and updated from one thread at a time.
class VRT_API Graph {
 public:
  /// Records what `enqueue` submits to `stream`. The capture always ends, also when `enqueue` throws (the exception
  /// passes on). While capturing, waits, allocations and events on the stream are refused (kUnsupported), and memory that is
  /// neither a live vrt buffer nor declared foreign is refused by name of the operation (kInvalidArgument).
  [[nodiscard]] static Graph capture(const Stream& stream, const std::function<void()>& enqueue,
                                     const CaptureOptions& options = {});

  /// True while `stream` is captured: false when a function runs for warm-up or directly.
  [[nodiscard]] static bool is_capturing(const Stream& stream) noexcept;

  /// The node that `stream`, under capture, recorded last. Throws kInvalidArgument outside a capture or before any node.
  [[nodiscard]] static GraphNode last_node(const Stream& stream);

  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  /// Enqueues all nodes, in order, on a stream of the same device.
  void launch(const Stream& stream) const;
  [[nodiscard]] std::size_t node_count() const noexcept;

  [[nodiscard]] detail::GraphBackend& backend() const noexcept { return *backend_; }

 private:
  explicit Graph(std::unique_ptr<detail::GraphBackend> backend) noexcept;

  std::unique_ptr<detail::GraphBackend> backend_;
};

}  // namespace vrt
