// Points in a stream that can be waited for, and, as a type of their own, timed.
#pragma once

#include <chrono>
#include <memory>

#include "vrt/base/export.h"
#include "vrt/device/device.h"
#include "vrt/device/stream.h"

namespace vrt {

namespace detail {
class EventBackend;
}

/// Orders work: a point in a stream. Not timed, hence cheap. Movable; recorded and waited for from any thread.
class VRT_API Event {
 public:
  explicit Event(Device device);
  ~Event();
  Event(Event&&) noexcept;
  Event& operator=(Event&&) noexcept;

  [[nodiscard]] Device device() const noexcept;
  /// Enqueues the point on `stream`; forgets the point recorded before. Throws kInvalidArgument for a stream of another
  /// device.
  void record(const Stream& stream);
  /// True if the work before the recorded point is done or was skipped, or nothing was recorded. Never blocks; tells
  /// nothing about memory visibility or failures, unlike `synchronize`, which then returns at once.
  [[nodiscard]] bool is_done() const;
  /// BLOCKS until the work before the recorded point is done; returns at once if nothing was recorded. Throws the failure
  /// of that work.
  void synchronize() const;

  [[nodiscard]] detail::EventBackend& backend() const noexcept { return *backend_; }

 private:
  std::shared_ptr<detail::EventBackend> backend_;
};

/// An event that also takes the time at which its point was reached, on the device's own clock.
class VRT_API TimedEvent {
 public:
  explicit TimedEvent(Device device);
  ~TimedEvent();
  TimedEvent(TimedEvent&&) noexcept;
  TimedEvent& operator=(TimedEvent&&) noexcept;

  [[nodiscard]] Device device() const noexcept;
  void record(const Stream& stream);
  [[nodiscard]] bool is_done() const;
  void synchronize() const;

  [[nodiscard]] detail::EventBackend& backend() const noexcept { return *backend_; }

 private:
  std::shared_ptr<detail::EventBackend> backend_;
};

/// The measured time between two recorded points that have been reached. Never blocks. Throws kInvalidArgument if either
/// was not recorded, is not reached yet (wait first) or belongs to another device, kSkipped if it was skipped because work
/// before it failed (on the CPU; a GPU reaches it): never a made-up 0.
[[nodiscard]] VRT_API std::chrono::duration<double, std::milli> elapsed(const TimedEvent& start, const TimedEvent& end);

}  // namespace vrt
