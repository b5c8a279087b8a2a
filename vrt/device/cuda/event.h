// Internal: CUDA's events behind vrt::Event and vrt::TimedEvent.
#pragma once

#include <atomic>
#include <memory>

#include "vrt/device/backend.h"
#include "vrt/device/cuda/device.h"
#include "vrt/device/cuda/host_tasks.h"

namespace vrt::cuda {

class CudaEvent final : public detail::EventBackend {
 public:
  CudaEvent(CudaDevice& device, CUevent_st* event);
  ~CudaEvent() override;
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  [[nodiscard]] Device device() const noexcept override { return device_.device(); }
  [[nodiscard]] bool is_done() const override;
  void synchronize() const override;
  void wait_leaving_failures() const override;
  [[nodiscard]] std::chrono::duration<double, std::milli> since(const detail::EventBackend& start) const override;

  [[nodiscard]] CUevent_st* handle() const noexcept { return event_; }
  [[nodiscard]] bool is_recorded() const noexcept { return failures_ != nullptr; }
  /// Notes that the event was recorded behind `point` of the stream whose host tasks fail into `failures`.
  void recorded_on(std::shared_ptr<HostTaskFailures> failures, HostTaskTicket point) {
    failures_ = std::move(failures);
    point_ = std::move(point);
  }

 private:
  /// `which` names the event in the error.
  void require_reached(const char* which) const;

  CudaDevice& device_;
  CUevent_st* event_;
  std::shared_ptr<HostTaskFailures> failures_;  // Of the stream it was recorded on; nullptr before.
  HostTaskTicket point_;
};

}  // namespace vrt::cuda
