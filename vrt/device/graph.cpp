#include "vrt/device/graph.h"

#include <utility>

#include "vrt/base/fail.h"
#include "vrt/device/backend.h"
#include "vrt/device/format_device.h"

namespace vrt {
namespace {

/// Ends the capture of a stream if nobody else has: what `enqueue` threw passes on.
class CaptureGuard {
 public:
  CaptureGuard(detail::StreamBackend& stream, std::span<const ForeignMemory> foreign) : stream_(stream) {
    stream.begin_capture(foreign);
  }
  ~CaptureGuard() {
    if (is_ended_) return;
    try {
      static_cast<void>(stream_.end_capture());
    } catch (...) {  // NOLINT(bugprone-empty-catch): another exception is on its way, and says why.
    }
  }
  CaptureGuard(const CaptureGuard&) = delete;
  CaptureGuard& operator=(const CaptureGuard&) = delete;

  [[nodiscard]] std::unique_ptr<detail::GraphBackend> end() {
    is_ended_ = true;
    return stream_.end_capture();
  }

 private:
  detail::StreamBackend& stream_;
  bool is_ended_ = false;
};

}  // namespace

Graph::Graph(std::unique_ptr<detail::GraphBackend> backend) noexcept : backend_(std::move(backend)) {}
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

Graph Graph::capture(const Stream& stream, const std::function<void()>& enqueue, const CaptureOptions& options) {
  if (options.warm_up) {
    enqueue();
    stream.synchronize();
  }
  CaptureGuard capture(stream.backend(), options.foreign);
  enqueue();
  return Graph(capture.end());
}

bool Graph::is_capturing(const Stream& stream) noexcept { return stream.backend().is_capturing(); }

GraphNode Graph::last_node(const Stream& stream) { return stream.backend().last_node(); }

void Graph::launch(const Stream& stream) const {
  require(stream.device() == backend_->device(), "a graph of {} cannot be launched on a stream of {}",
          backend_->device(), stream.device());
  stream.backend().launch_graph(*backend_);
}

std::size_t Graph::node_count() const noexcept { return backend_->node_count(); }

}  // namespace vrt
