// Internal: what a CPU stream can be asked to do, as values that are copied into its queue.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <variant>

#include "vrt/device/cpu/ref.h"
#include "vrt/device/host_kernel.h"
#include "vrt/device/kernel.h"
#include "vrt/device/stream.h"

namespace vrt::cpu {

class Epoch;
class GraphPlan;
class WorkQueue;

/// A place in a queue: everything submitted to it up to and including `sequence`.
struct Point {
  Ref<WorkQueue> queue;
  Ref<Epoch> epoch;
  std::uint64_t sequence = 0;
};

/// When the latest recording of a timed event was reached. Recordings are numbered; a late older one is ignored.
class TimeSlot : public RefCounted {
 public:
  using Clock = std::chrono::steady_clock;
  void stamp(std::uint64_t recording);
  /// The time of that recording; false if it was not taken.
  [[nodiscard]] bool read(std::uint64_t recording, Clock::time_point& time) const;

 private:
  mutable std::mutex mutex_;
  std::uint64_t recording_ = 0;
  Clock::time_point time_;
};

/// A kernel with its arguments by value.
struct Launch {
  static constexpr std::size_t kMaxArguments = 64;
  static constexpr std::size_t kArgumentBytes = 1024;
  static constexpr std::size_t kAlignment = alignof(std::max_align_t);

  const HostKernel* kernel = nullptr;
  LaunchShape shape;
  std::uint32_t argument_count = 0;
  std::array<std::uint16_t, kMaxArguments> offsets;
  alignas(kAlignment) std::array<std::byte, kArgumentBytes> values;

  /// Copies the arguments. Throws kUnsupported naming the kernel if they do not fit.
  [[nodiscard]] static Launch make(const HostKernel& kernel, const LaunchShape& shape,
                                   std::span<const detail::KernelArgument> arguments);
};
struct Copy {
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t bytes = 0;
};
struct Fill {
  void* to = nullptr;
  std::size_t bytes = 0;
  std::uint8_t value = 0;
};
/// Gives memory back. The one operation that is not skipped after a failure.
struct Free {
  void* data = nullptr;
};
/// Takes the time of a timed event.
struct Stamp {
  Ref<TimeSlot> slot;
  std::uint64_t recording = 0;
};
/// Waits for a point of another queue, and fails if the work before it did.
struct OrderAfter {
  Point point;
};
struct Replay {
  Ref<const GraphPlan> plan;
};
/// The last operation of a queue: ends its worker.
struct Stop {};

using Operation =
    std::variant<std::monostate, Launch, Copy, Fill, detail::HostTask, Free, Stamp, OrderAfter, Replay, Stop>;

/// Runs it to its end in the calling thread. Throws what the operation throws.
void run(const Operation& operation);

/// For errors: "kernel 'resize'", "host task 'network'", "copy of 64 bytes".
[[nodiscard]] std::string name_of(const Operation& operation);

}  // namespace vrt::cpu
