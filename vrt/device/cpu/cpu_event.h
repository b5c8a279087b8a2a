// Internal: events of CPU streams.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>

#include "vrt/device/backend.h"
#include "vrt/device/cpu/operation.h"

namespace vrt::cpu {

/// A remembered point of a queue. Recording an event that is not timed puts nothing into the queue.
class CpuEvent final : public detail::EventBackend {
 public:
  explicit CpuEvent(detail::DeviceBackend::Timing timing);

  [[nodiscard]] Device device() const noexcept override { return Device::cpu(); }
  [[nodiscard]] bool is_done() const override;
  void synchronize() const override;
  void wait_leaving_failures() const override;
  [[nodiscard]] std::chrono::duration<double, std::milli> since(const detail::EventBackend& start) const override;

  void record(WorkQueue& queue);
  /// The point recorded last; without a queue if there is none.
  [[nodiscard]] Point point() const;

 private:
  [[nodiscard]] TimeSlot::Clock::time_point time(const char* which) const;

  mutable std::mutex mutex_;  // Of the callers; the worker never takes it.
  Point point_;
  std::uint64_t recording_ = 0;
  Ref<TimeSlot> slot_;  // Of timed events.
};

}  // namespace vrt::cpu
