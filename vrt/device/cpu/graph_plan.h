// Internal: the recorded operations of a CPU graph, and their recording.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "vrt/device/backend.h"
#include "vrt/device/cpu/operation.h"
#include "vrt/device/cpu/ref.h"
#include "vrt/device/failure.h"

namespace vrt::cpu {

/// Operations in order, and the buffers that they use. Not changed while a queue holds it.
class GraphPlan : public RefCounted {
 public:
  struct Node {
    Operation operation;
    std::vector<std::shared_ptr<const void>> owners;
  };
  std::vector<Node> nodes;

  /// Runs all in the calling thread; throws the first failure, naming its operation.
  void run() const;
};

/// Memory that an operation is about to use; `role` names it in errors.
struct UsedMemory {
  const char* role = "";
  const void* data = nullptr;
  std::size_t bytes = 0;
};

/// The memory of a launch's spans.
[[nodiscard]] std::vector<UsedMemory> used_memory(std::span<const detail::KernelArgument> arguments);

/// A capture under way. Used under its stream's lock.
class Capture {
 public:
  explicit Capture(std::span<const ForeignMemory> foreign);

  /// Throws kInvalidArgument for memory that nobody keeps alive.
  void add(Operation operation, std::span<const UsedMemory> memory);
  /// Throws kUnsupported for something that a graph cannot hold, and remembers it in case the caller swallows it.
  [[noreturn]] void refuse(const char* operation);
  [[nodiscard]] GraphNode last_node() const;
  /// The result. Throws what was refused.
  [[nodiscard]] Ref<GraphPlan> finish();

 private:
  [[noreturn]] void invalidate(const Error& error);
  [[nodiscard]] bool is_foreign(const UsedMemory& memory) const;

  std::vector<ForeignMemory> foreign_;
  Ref<GraphPlan> plan_;
  std::optional<Error> refusal_;
};

class CpuGraph final : public detail::GraphBackend {
 public:
  explicit CpuGraph(Ref<GraphPlan> plan) : plan_(std::move(plan)) {}
  [[nodiscard]] Device device() const noexcept override { return Device::cpu(); }
  [[nodiscard]] std::size_t node_count() const noexcept override { return plan_->nodes.size(); }
  void update(GraphNode node, const detail::KernelFunction& function, const LaunchShape& shape,
              std::span<const detail::KernelArgument> arguments) override;
  [[nodiscard]] Ref<const GraphPlan> plan() const noexcept { return Ref<const GraphPlan>(plan_.get()); }

 private:
  Ref<GraphPlan> plan_;
};

}  // namespace vrt::cpu
