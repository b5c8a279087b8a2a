#include "vrt/device/cuda/graph.h"

#include <utility>

#include "vrt/base/fail.h"
#include "vrt/device/allocation_registry.h"
#include "vrt/device/cuda/driver.h"
#include "vrt/device/cuda/kernel_parameters.h"

namespace vrt::cuda {

CudaGraph::CudaGraph(CudaDevice& device, CUgraph_st* graph, std::unique_ptr<Capture> capture)
    : device_(device), graph_(graph), capture_(std::move(capture)) {
  const DriverApi& api = device_.api();
  try {
    device_.check(api.graph_instantiate(&executable_, graph_, 0), "cuGraphInstantiateWithFlags",
                  "making a graph executable");
    device_.check(api.event_create(&last_launch_, kEventDisableTiming), "cuEventCreate", "making a graph executable");
  } catch (...) {
    if (executable_ != nullptr) report(api.graph_exec_destroy(executable_), "cuGraphExecDestroy");
    report(api.graph_destroy(graph_), "cuGraphDestroy");
    throw;
  }
}

// The memory it keeps may belong to other streams than the one it ran on, so its last run must be over first.
CudaGraph::~CudaGraph() {
  const DriverApi& api = device_.api();
  const ContextScope current = device_.scope();
  report(api.event_synchronize(last_launch_), "cuEventSynchronize");
  report(api.event_destroy(last_launch_), "cuEventDestroy_v2");
  report(api.graph_exec_destroy(executable_), "cuGraphExecDestroy");
  report(api.graph_destroy(graph_), "cuGraphDestroy");
}

void CudaGraph::update(GraphNode node, const detail::KernelFunction& function, const LaunchShape& shape,
                       std::span<const detail::KernelArgument> arguments) {
  require(node.index < capture_->nodes.size(), "the graph has {} nodes, node {} was to be updated",
          capture_->nodes.size(), node.index);
  if (capture_->updated.size() <= node.index) capture_->updated.resize(node.index + 1);
  UpdatedMemory& memory = capture_->updated[node.index];
  std::swap(memory.now, memory.before);
  memory.now.clear();  // Keeps its capacity: an update allocates nothing.
  for (const detail::KernelArgument& argument : arguments) {
    if (auto owner = detail::AllocationRegistry::instance().owner_of(argument.memory, argument.memory_bytes))
      memory.now.push_back(std::move(owner));
  }
  KernelParameters parameters(arguments);
  KernelNodeParams params{};
  params.function = static_cast<CUfunc_st*>(function.native);
  params.grid_x = shape.grid.x;
  params.grid_y = shape.grid.y;
  params.grid_z = shape.grid.z;
  params.block_x = shape.block.x;
  params.block_y = shape.block.y;
  params.block_z = shape.block.z;
  params.shared_bytes = shape.shared_bytes;
  params.parameters = parameters.data();
  const ContextScope current = device_.scope();
  const Result result =
      device_.api().graph_exec_kernel_node_set_params(executable_, capture_->nodes[node.index], &params);
  if (result != kSuccess) {  // The text is made only then: an update allocates nothing.
    device_.check(result, "cuGraphExecKernelNodeSetParams_v2",
                  fmt::format("updating the captured kernel '{}'", function.name));
  }
}

void CudaGraph::launch(CUstream_st* stream, HostTaskFailures& failures) const {
  const DriverApi& api = device_.api();
  const bool has_tasks = !capture_->host_tasks.empty();
  if (has_tasks) capture_->runs.add(failures.issue());
  const Result result = api.graph_launch(executable_, stream);
  if (result != kSuccess && has_tasks) capture_->runs.take_back();
  device_.check(result, "cuGraphLaunch", "launching a graph");
  device_.check(api.event_record(last_launch_, stream), "cuEventRecord", "launching a graph");
}

}  // namespace vrt::cuda
