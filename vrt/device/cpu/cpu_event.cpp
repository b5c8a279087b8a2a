#include "vrt/device/cpu/cpu_event.h"

#include "vrt/base/fail.h"
#include "vrt/device/cpu/counted.h"
#include "vrt/device/cpu/graph_plan.h"
#include "vrt/device/cpu/work_queue.h"

namespace vrt::cpu {

CpuEvent::CpuEvent(detail::DeviceBackend::Timing timing) {
  if (timing == detail::DeviceBackend::Timing::kTimed) slot_ = make_ref<TimeSlot>();
}

Point CpuEvent::point() const {
  const std::lock_guard lock(mutex_);
  return point_;
}

void CpuEvent::record(WorkQueue& queue) {
  const std::lock_guard lock(mutex_);
  if (slot_) queue.submit(Stamp{slot_, ++recording_});
  queue.mark(point_);
}

bool CpuEvent::is_done() const {
  const std::lock_guard lock(mutex_);
  return !point_.queue || point_.queue->is_completed(point_.sequence);
}

void CpuEvent::synchronize() const {
  counted().waits.increment();
  const Point recorded = point();
  if (recorded.queue) WorkQueue::wait(recorded);
}

void CpuEvent::wait_leaving_failures() const {
  counted().waits.increment();
  const Point recorded = point();
  if (recorded.queue && !recorded.queue->is_own_worker()) recorded.queue->wait_completed(recorded.sequence);
}

TimeSlot::Clock::time_point CpuEvent::time(const char* which) const {
  const std::lock_guard lock(mutex_);
  require(static_cast<bool>(point_.queue), "no time has elapsed: the {} event was never recorded", which);
  require(point_.queue->is_completed(point_.sequence),
          "the elapsed time is not known yet: the {} event has not been reached; wait for it first", which);
  TimeSlot::Clock::time_point time;
  if (!slot_->read(recording_, time)) {
    fail(ErrorCode::kSkipped, "no time has elapsed: the {} event was skipped, because work before it failed", which);
  }
  return time;
}

std::chrono::duration<double, std::milli> CpuEvent::since(const detail::EventBackend& start) const {
  const auto from = static_cast<const CpuEvent&>(start).time("start");
  return time("end") - from;
}

}  // namespace vrt::cpu
