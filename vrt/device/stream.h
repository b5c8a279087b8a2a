// An in-order queue of work on one device.
//
//   vrt::Stream stream(vrt::Device::cpu());
//   kernel.launch(stream, vrt::grid_1d(n), input, output, n);   // enqueued
//   stream.synchronize();                                       // the wait
//
// Work submitted to one stream runs in submission order; work on two streams is unordered unless `order_after` says so.
// A failure of submitted work is thrown by the next `synchronize` of the stream or of an event recorded behind it. What was queued
// behind the failed operation, and what waits on other streams for an event behind it, is skipped, and waits for it throw kSkipped.
// A GPU cannot be told so: there the stream's host tasks behind a failed one are skipped, but kernels, copies and other streams run
// on, on what the failed task has left. Afterwards the stream can be used again (unless the device is lost).
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>

#include "vrt/base/export.h"
#include "vrt/device/device.h"

namespace vrt {

class Event;
class TimedEvent;

namespace detail {
class StreamBackend;

/// A small callable stored by value in a queue: no allocation when it is enqueued.
struct HostTask {
  static constexpr std::size_t kCapacity = 128;

  /// Static storage: names the operation in errors.
  const char* name = "";
  void (*run)(const void* storage) = nullptr;
  alignas(std::max_align_t) std::byte storage[kCapacity];
};
}  // namespace detail

/// A shared handle: copies refer to the same queue, which lives until the last copy and the last buffer, event or graph that
/// uses it are gone. Enqueueing from several threads at once is safe; the order between them is then theirs to decide.
class VRT_API Stream {
 public:
  /// Opens the device and creates a queue on it. Throws kUnavailable with the reason if the device cannot be used.
  explicit Stream(Device device);

  /// Wraps a queue that somebody else owns (a CUstream of PyTorch or ROS) and keeps alive longer than this handle. Throws
  /// kUnsupported for the CPU, which has no foreign queues.
  [[nodiscard]] static Stream adopt(Device device, void* native_handle);

  [[nodiscard]] Device device() const noexcept;
  /// The CUstream; nullptr on the CPU.
  [[nodiscard]] void* native_handle() const noexcept;

  /// BLOCKS until all work submitted before is done. Throws the first failure since the last wait.
  void synchronize() const;
  /// True if nothing is queued or running. Never blocks; tells nothing about memory visibility, unlike `synchronize`.
  [[nodiscard]] bool is_idle() const;

  /// Enqueues: later work of this stream starts only after what `event` recorded. Does not block the caller. An event
  /// that was never recorded orders nothing. It may be of another GPU than the stream; throws kInvalidArgument if one of the two is
  /// of the CPU and the other of a GPU: there a host has to wait.
  void order_after(const Event& event) const;
  void order_after(const TimedEvent& event) const;

  /// Enqueues a host function, run in stream order. `function` is copied into the queue: trivially copyable and at most
  /// HostTask::kCapacity bytes, so that submitting never allocates. It must not call into the stream's device; what it
  /// throws is thrown by the next wait. `name` has static storage and names the operation in errors.
  template <typename Function>
  void enqueue_host(const char* name, const Function& function) const {
    static_assert(std::is_trivially_copyable_v<Function>, "capture by value: pointers, spans, numbers");
    static_assert(sizeof(Function) <= detail::HostTask::kCapacity, "the captures are too large for the queue");
    detail::HostTask task;
    task.name = name;
    new (task.storage) Function(function);
    task.run = [](const void* storage) { (*static_cast<const Function*>(storage))(); };
    enqueue_host_task(task);
  }

  /// The implementation behind the handle, for the layer's own sources and for backends.
  [[nodiscard]] detail::StreamBackend& backend() const noexcept { return *backend_; }
  [[nodiscard]] const std::shared_ptr<detail::StreamBackend>& shared_backend() const noexcept { return backend_; }

  /// True if both handles refer to the same queue.
  friend bool operator==(const Stream& a, const Stream& b) noexcept { return a.backend_ == b.backend_; }

 private:
  explicit Stream(std::shared_ptr<detail::StreamBackend> backend) noexcept;
  void enqueue_host_task(const detail::HostTask& task) const;

  std::shared_ptr<detail::StreamBackend> backend_;
};

}  // namespace vrt
