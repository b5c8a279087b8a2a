// Internal: CUDA's graphs behind vrt::Graph.
#pragma once

#include <memory>

#include "vrt/device/backend.h"
#include "vrt/device/cuda/capture.h"
#include "vrt/device/cuda/device.h"

namespace vrt::cuda {

class CudaGraph final : public detail::GraphBackend {
 public:
  /// Takes ownership of the captured graph and makes it executable.
  CudaGraph(CudaDevice& device, CUgraph_st* graph, std::unique_ptr<Capture> capture);
  ~CudaGraph() override;
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  [[nodiscard]] Device device() const noexcept override { return device_.device(); }
  [[nodiscard]] std::size_t node_count() const noexcept override { return capture_->nodes.size(); }
  void update(GraphNode node, const detail::KernelFunction& function, const LaunchShape& shape,
              std::span<const detail::KernelArgument> arguments) override;

  /// Its host tasks fail into `failures`, those of the stream.
  void launch(CUstream_st* stream, HostTaskFailures& failures) const;

 private:
  CudaDevice& device_;
  CUgraph_st* graph_;
  CUgraphExec_st* executable_ = nullptr;
  std::unique_ptr<Capture> capture_;
  mutable CUevent_st* last_launch_ = nullptr;  // What it uses is let go only after this.
};

}  // namespace vrt::cuda
