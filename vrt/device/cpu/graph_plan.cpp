#include "vrt/device/cpu/graph_plan.h"

#include <functional>

#include "vrt/base/fail.h"
#include "vrt/device/allocation_registry.h"
#include "vrt/device/cpu/work_queue.h"

namespace vrt::cpu {
namespace {

bool is_inside(const UsedMemory& memory, const ForeignMemory& range) {
  const auto address = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); };
  const std::uintptr_t offset = address(memory.data) - address(range.data);
  return address(memory.data) >= address(range.data) && offset <= range.bytes && memory.bytes <= range.bytes - offset;
}

}  // namespace

void GraphPlan::run() const {
  for (const Node& node : nodes) {
    try {
      cpu::run(node.operation);
    } catch (...) {
      const detail::Failure failure = detail::describe_current_exception(name_of(node.operation));
      throw Error(failure.code, failure.message, failure.cause);
    }
  }
}

std::vector<UsedMemory> used_memory(std::span<const detail::KernelArgument> arguments) {
  std::vector<UsedMemory> result;
  for (const detail::KernelArgument& argument : arguments) {
    if (argument.memory != nullptr) result.push_back({"argument", argument.memory, argument.memory_bytes});
  }
  return result;
}

Capture::Capture(std::span<const ForeignMemory> foreign)
    : foreign_(foreign.begin(), foreign.end()), plan_(make_ref<GraphPlan>()) {}

bool Capture::is_foreign(const UsedMemory& memory) const {
  for (const ForeignMemory& range : foreign_) {
    if (is_inside(memory, range)) return true;
  }
  return false;
}

void Capture::add(Operation operation, std::span<const UsedMemory> memory) {
  std::vector<std::shared_ptr<const void>> owners;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    owners.push_back(detail::AllocationRegistry::instance().owner_of(memory[i].data, memory[i].bytes));
    if (owners.back() || is_foreign(memory[i])) continue;
    invalidate(
        Error(ErrorCode::kInvalidArgument,
              fmt::format("{}: {} {} ({} bytes at {}) is in no live vrt buffer, so the graph cannot keep it alive; "
                          "declare it in CaptureOptions::foreign",
                          name_of(operation), memory[i].role, i, memory[i].bytes, memory[i].data)));
  }
  plan_->nodes.push_back({std::move(operation), std::move(owners)});
}

void Capture::refuse(const char* operation) {
  invalidate(
      Error(ErrorCode::kUnsupported,
            fmt::format("{} is not possible while the stream is being captured into a graph; do it before or after",
                        operation)));
}

void Capture::invalidate(const Error& error) {
  if (!refusal_) refusal_ = error;
  throw error;  // NOLINT(cert-err09-cpp): what is remembered is thrown, too.
}

GraphNode Capture::last_node() const {
  require(!plan_->nodes.empty(), "the capture has no node yet: ask for the last node after an operation");
  return {plan_->nodes.size() - 1};
}

Ref<GraphPlan> Capture::finish() {
  if (refusal_) throw Error(*refusal_);
  return std::move(plan_);
}

void CpuGraph::update(GraphNode node, const detail::KernelFunction& function, const LaunchShape& shape,
                      std::span<const detail::KernelArgument> arguments) {
  require(node.index < node_count(), "node {} was asked for in a graph of {} nodes", node.index, node_count());
  const auto* const old = std::get_if<Launch>(&plan_->nodes[node.index].operation);
  require(old != nullptr && old->kernel->signature == function.host->signature,
          "node {} of the graph is {}, not a launch of '{}' or of a kernel with the same parameters", node.index,
          name_of(plan_->nodes[node.index].operation), function.name);
  const Launch launch = Launch::make(*function.host, shape, arguments);
  // Launches that were enqueued before keep the plan that they were enqueued with.
  if (!plan_.is_only_owner()) plan_ = make_ref<GraphPlan>(*plan_);
  GraphPlan::Node& changed = plan_->nodes[node.index];
  changed.operation = launch;
  changed.owners.clear();  // Keeps its capacity: an update allocates nothing.
  for (const detail::KernelArgument& argument : arguments) {
    if (argument.memory == nullptr) continue;
    changed.owners.push_back(detail::AllocationRegistry::instance().owner_of(argument.memory, argument.memory_bytes));
  }
}

}  // namespace vrt::cpu
