#include "vrt/device/kernel.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/device/backend.h"
#include "vrt/device/format_device.h"
#include "vrt/device/graph.h"

namespace vrt {
namespace {

// What every CUDA device since compute capability 3.0 takes (CUDA C++ Programming Guide, "Compute Capabilities"); the CPU
// holds to it, too, so that a launch that works on one works on the other.
constexpr Dim3 kMaxGrid{2147483647, 65535, 65535};
constexpr Dim3 kMaxBlock{1024, 1024, 64};
constexpr std::uint64_t kMaxBlockThreads = 1024;
// In each direction: host builds of kernels have signed indices (prelude_host.h).
constexpr std::uint64_t kMaxThreads = 2147483647;
// Of compute capability 9.0, the largest there is.
constexpr std::uint32_t kMaxSharedBytes = 227 * 1024;

bool fits(const Dim3& size, const Dim3& limit) {
  return size.x >= 1 && size.y >= 1 && size.z >= 1 && size.x <= limit.x && size.y <= limit.y && size.z <= limit.z;
}

void require_launchable(const char* kernel, const LaunchShape& shape) {
  const auto& [grid, block, shared_bytes] = shape;
  require(fits(grid, kMaxGrid), "kernel '{}': a grid of {}x{}x{} blocks; expected at least 1 and at most {}x{}x{}",
          kernel, grid.x, grid.y, grid.z, kMaxGrid.x, kMaxGrid.y, kMaxGrid.z);
  require(fits(block, kMaxBlock) && std::uint64_t{block.x} * block.y * block.z <= kMaxBlockThreads,
          "kernel '{}': blocks of {}x{}x{} threads; expected at least 1, at most {}x{}x{} and {} together", kernel,
          block.x, block.y, block.z, kMaxBlock.x, kMaxBlock.y, kMaxBlock.z, kMaxBlockThreads);
  require(std::max({std::uint64_t{grid.x} * block.x, std::uint64_t{grid.y} * block.y,
                    std::uint64_t{grid.z} * block.z}) <= kMaxThreads,
          "kernel '{}': {}x{}x{} blocks of {}x{}x{} threads; expected at most {} threads in a direction", kernel,
          grid.x, grid.y, grid.z, block.x, block.y, block.z, kMaxThreads);
  require(shared_bytes <= kMaxSharedBytes, "kernel '{}': {} bytes of shared memory a block; expected at most {}",
          kernel, shared_bytes, kMaxSharedBytes);
}

void require_same_device(const detail::KernelFunction& function, Device device, const char* target) {
  const Device own = function.module->device();
  require(own == device, "kernel '{}' was loaded for {}, but the {} is on {}", function.name, own, target, device);
}

}  // namespace

void detail::launch(const Stream& stream, const KernelFunction& function, const LaunchShape& shape,
                    std::span<const KernelArgument> arguments) {
  require_same_device(function, stream.device(), "stream");
  require_launchable(function.name, shape);
  stream.backend().launch(function, shape, arguments);
}

void detail::update_node(Graph& graph, GraphNode node, const KernelFunction& function, const LaunchShape& shape,
                         std::span<const KernelArgument> arguments) {
  require_same_device(function, graph.backend().device(), "graph");
  require_launchable(function.name, shape);
  graph.backend().update(node, function, shape, arguments);
}

KernelModule::KernelModule(std::shared_ptr<const detail::ModuleBackend> backend) noexcept
    : backend_(std::move(backend)) {}

KernelModule KernelModule::load(Device device, const KernelSource& source) {
  return KernelModule(detail::backend_of(device).load(source));
}

PendingKernels KernelModule::load_async(Device device, const KernelSource& source) {
  return PendingKernels(detail::backend_of(device).load_async(source));
}

PendingKernels::PendingKernels(Module module) noexcept : module_(std::move(module)) {}

KernelModule PendingKernels::get() const { return KernelModule(module_.get()); }

bool PendingKernels::is_ready() const { return module_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

KernelModule KernelModule::compile(Device device, const std::string& name, const std::string& cuda_c,
                                   const CompileOptions& options) {
  return KernelModule(detail::backend_of(device).compile(name, cuda_c, options));
}

detail::KernelFunction KernelModule::find(const char* name, const KernelSignature& expected) const {
  detail::KernelFunction function = backend_->find(name, expected);
  function.module = backend_;
  return function;
}

}  // namespace vrt
