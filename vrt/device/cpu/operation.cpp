#include "vrt/device/cpu/operation.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "vrt/base/fail.h"
#include "vrt/device/block_pool.h"
#include "vrt/device/cpu/graph_plan.h"
#include "vrt/device/cpu/work_queue.h"

namespace vrt::cpu {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

struct RunningLaunch {
  const Launch& launch;
  std::array<const void*, Launch::kMaxArguments> arguments;
};

void run_blocks(void* context, std::uint64_t first, std::uint64_t count) {
  const auto& running = *static_cast<const RunningLaunch*>(context);
  running.launch.kernel->run({running.launch.shape, first, count}, running.arguments.data());
}

void run_launch(const Launch& launch) {
  RunningLaunch running{launch, {}};
  for (std::size_t i = 0; i < launch.argument_count; ++i) running.arguments[i] = &launch.values[launch.offsets[i]];
  BlockPool::shared().run(launch.shape.block_count(), run_blocks, &running);
}

void run_order_after(const OrderAfter& operation) {
  const Point& point = operation.point;
  point.queue->wait_completed(point.sequence);
  if (point.epoch->failed_before(point.sequence)) throw skipped_because_of(point.epoch->failure());
}

}  // namespace

void TimeSlot::stamp(std::uint64_t recording) {
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  if (recording <= recording_) return;
  recording_ = recording;
  time_ = now;
}

bool TimeSlot::read(std::uint64_t recording, Clock::time_point& time) const {
  const std::lock_guard lock(mutex_);
  time = time_;
  return recording_ == recording;
}

Launch Launch::make(const HostKernel& kernel, const LaunchShape& shape,
                    std::span<const detail::KernelArgument> arguments) {
  Launch launch;
  launch.kernel = &kernel;
  launch.shape = shape;
  launch.argument_count = static_cast<std::uint32_t>(arguments.size());
  std::size_t offset = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::size_t bytes = arguments[i].bytes;
    if (i == kMaxArguments || bytes > kArgumentBytes - offset) {
      fail(ErrorCode::kUnsupported,
           "kernel '{}' takes more than {} arguments or {} bytes of them: put tables into device memory", kernel.name,
           kMaxArguments, kArgumentBytes);
    }
    launch.offsets[i] = static_cast<std::uint16_t>(offset);
    std::memcpy(&launch.values[offset], arguments[i].value, bytes);
    offset = std::min(kArgumentBytes, (offset + bytes + kAlignment - 1) / kAlignment * kAlignment);
  }
  return launch;
}

void run(const Operation& operation) {
  std::visit(Overloaded{
                 [](std::monostate) {},
                 [](const Launch& launch) { run_launch(launch); },
                 [](const Copy& copy) { std::memcpy(copy.to, copy.from, copy.bytes); },
                 [](const Fill& fill) { std::memset(fill.to, fill.value, fill.bytes); },
                 [](const detail::HostTask& task) { task.run(task.storage); },
                 [](const Free& memory) { std::free(memory.data); },
                 [](const Stamp& stamp) { stamp.slot->stamp(stamp.recording); },
                 [](const OrderAfter& order) { run_order_after(order); },
                 [](const Replay& replay) { replay.plan->run(); },
                 [](Stop) {},
             },
             operation);
}

std::string name_of(const Operation& operation) {
  return std::visit(Overloaded{
                        [](std::monostate) { return std::string("nothing"); },
                        [](const Launch& launch) { return fmt::format("kernel '{}'", launch.kernel->name); },
                        [](const Copy& copy) { return fmt::format("copy of {} bytes", copy.bytes); },
                        [](const Fill& fill) { return fmt::format("fill of {} bytes", fill.bytes); },
                        [](const detail::HostTask& task) { return fmt::format("host task '{}'", task.name); },
                        [](const Free&) { return std::string("freeing memory"); },
                        [](const Stamp&) { return std::string("recording an event"); },
                        [](const OrderAfter&) { return std::string("waiting for another stream"); },
                        [](const Replay&) { return std::string("graph"); },
                        [](Stop) { return std::string("stop"); },
                    },
                    operation);
}

}  // namespace vrt::cpu
