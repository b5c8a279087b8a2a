#include "vrt/device/event.h"

#include "vrt/base/fail.h"
#include "vrt/device/backend.h"
#include "vrt/device/format_device.h"

namespace vrt {
namespace {

using Timing = detail::DeviceBackend::Timing;

void record_on(const Stream& stream, const std::shared_ptr<detail::EventBackend>& event) {
  require(event->device() == stream.device(), "an event of {} cannot be recorded on a stream of {}", event->device(),
          stream.device());
  stream.backend().record(event);
}

}  // namespace

Event::Event(Device device) : backend_(detail::backend_of(device).make_event(Timing::kNone)) {}
Event::~Event() = default;
Event::Event(Event&&) noexcept = default;
Event& Event::operator=(Event&&) noexcept = default;
Device Event::device() const noexcept { return backend_->device(); }
void Event::record(const Stream& stream) { record_on(stream, backend_); }
bool Event::is_done() const { return backend_->is_done(); }
void Event::synchronize() const { backend_->synchronize(); }

TimedEvent::TimedEvent(Device device) : backend_(detail::backend_of(device).make_event(Timing::kTimed)) {}
TimedEvent::~TimedEvent() = default;
TimedEvent::TimedEvent(TimedEvent&&) noexcept = default;
TimedEvent& TimedEvent::operator=(TimedEvent&&) noexcept = default;
Device TimedEvent::device() const noexcept { return backend_->device(); }
void TimedEvent::record(const Stream& stream) { record_on(stream, backend_); }
bool TimedEvent::is_done() const { return backend_->is_done(); }
void TimedEvent::synchronize() const { backend_->synchronize(); }

std::chrono::duration<double, std::milli> elapsed(const TimedEvent& start, const TimedEvent& end) {
  require(start.device() == end.device(), "the start was recorded on {}, the end on {}: their clocks differ",
          start.device(), end.device());
  return end.backend().since(start.backend());
}

}  // namespace vrt
