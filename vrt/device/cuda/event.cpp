#include "vrt/device/cuda/event.h"

#include "vrt/base/fail.h"
#include "vrt/device/cuda/driver.h"

namespace vrt::cuda {

CudaEvent::CudaEvent(CudaDevice& device, CUevent_st* event) : device_(device), event_(event) {}

CudaEvent::~CudaEvent() {
  const ContextScope current = device_.scope();
  report(device_.api().event_destroy(event_), "cuEventDestroy_v2");
}

bool CudaEvent::is_done() const {
  const Result result = device_.api().event_query(event_);
  if (result == kErrorNotReady) return false;
  device_.check(result, "cuEventQuery", "asking whether an event was reached");
  return true;
}

void CudaEvent::synchronize() const {
  wait_leaving_failures();
  if (is_recorded()) failures_->throw_up_to(point_);
}

void CudaEvent::wait_leaving_failures() const {
  device_.counts().waits.increment();
  if (!is_recorded()) return;
  device_.check(device_.api().event_synchronize(event_), "cuEventSynchronize", "waiting for an event");
}

void CudaEvent::require_reached(const char* which) const {
  require(is_recorded(), "no time has elapsed: the {} event was never recorded", which);
  require(is_done(), "the elapsed time is not known yet: the {} event has not been reached; wait for it first", which);
}

std::chrono::duration<double, std::milli> CudaEvent::since(const detail::EventBackend& start) const {
  const auto& from = dynamic_cast<const CudaEvent&>(start);
  from.require_reached("start");
  require_reached("end");
  const ContextScope current = device_.scope();
  float milliseconds = 0;
  device_.check(device_.api().event_elapsed_time(&milliseconds, from.event_, event_), "cuEventElapsedTime",
                "measuring the time between two events");
  return std::chrono::duration<double, std::milli>(milliseconds);
}

}  // namespace vrt::cuda
