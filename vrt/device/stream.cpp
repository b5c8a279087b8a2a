#include "vrt/device/stream.h"

#include <utility>

#include "vrt/base/fail.h"
#include "vrt/device/backend.h"
#include "vrt/device/event.h"
#include "vrt/device/format_device.h"

namespace vrt {
namespace {

void order(detail::StreamBackend& stream, const detail::EventBackend& event) {
  require(event.device().kind() == stream.device().kind(), "a stream of {} cannot wait for an event of {}",
          stream.device(), event.device());
  stream.order_after(event);
}

}  // namespace

Stream::Stream(Device device) : backend_(detail::backend_of(device).make_stream()) {}
Stream::Stream(std::shared_ptr<detail::StreamBackend> backend) noexcept : backend_(std::move(backend)) {}

Stream Stream::adopt(Device device, void* native_handle) {
  return Stream(detail::backend_of(device).adopt_stream(native_handle));
}

Device Stream::device() const noexcept { return backend_->device(); }
void* Stream::native_handle() const noexcept { return backend_->native_handle(); }
void Stream::synchronize() const { backend_->synchronize(); }
bool Stream::is_idle() const { return backend_->is_idle(); }
void Stream::order_after(const Event& event) const { order(*backend_, event.backend()); }
void Stream::order_after(const TimedEvent& event) const { order(*backend_, event.backend()); }
void Stream::enqueue_host_task(const detail::HostTask& task) const { backend_->host_task(task); }

}  // namespace vrt
