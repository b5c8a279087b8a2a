#include "vrt/device/cpu/cpu_stream.h"

#include <pthread.h>

#include <array>
#include <system_error>

#include "vrt/base/fail.h"
#include "vrt/device/cpu/cpu_event.h"
#include "vrt/device/cpu/host_memory.h"

namespace vrt::cpu {

CpuStream::CpuStream(WorkQueue::Mode mode) : queue_(make_ref<WorkQueue>(mode)) {
  try {
    worker_ = std::thread([queue = queue_] { queue->run(); });
    pthread_setname_np(worker_.native_handle(), "vrt-stream");
  } catch (const std::system_error& refused) {
    throw Error(ErrorCode::kUnavailable,
                "could not start the worker thread of a CPU stream; too many threads are running", refused.what());
  }
}

CpuStream::~CpuStream() {
  queue_->stop();
  // A worker that drops the last buffer of a stream must wait for no worker: neither for itself nor for one that waits for
  // it. The queue lives until its worker has ended.
  if (WorkQueue::is_any_worker()) {
    worker_.detach();
  } else {
    worker_.join();
  }
}

template <typename MemoryOf>
void CpuStream::enqueue(Operation operation, detail::Counter& counter, const MemoryOf& memory_of) {
  if (is_capturing()) {
    const std::lock_guard lock(capture_mutex_);
    if (capture_) return capture_->add(std::move(operation), memory_of());
  }
  queue_->submit(std::move(operation));
  counter.increment();
}

void CpuStream::refuse_in_capture(const char* operation) {
  if (!is_capturing()) return;
  const std::lock_guard lock(capture_mutex_);
  if (capture_) capture_->refuse(operation);
}

void CpuStream::synchronize() {
  refuse_in_capture("waiting for the stream");
  counted().waits.increment();
  queue_->synchronize();
}

void CpuStream::launch(const detail::KernelFunction& function, const LaunchShape& shape,
                       std::span<const detail::KernelArgument> arguments) {
  enqueue(Launch::make(*function.host, shape, arguments), counted().launches, [&] { return used_memory(arguments); });
}

void CpuStream::copy(detail::CopyKind, const void* from, void* to, std::size_t bytes) {
  enqueue(Copy{from, to, bytes}, counted().copies,
          [&] { return std::array{UsedMemory{"source", from, bytes}, UsedMemory{"destination", to, bytes}}; });
}

void CpuStream::copy_blocking(detail::CopyKind, const void* from, void* to, std::size_t bytes) {
  refuse_in_capture("a blocking copy");
  queue_->submit(Copy{from, to, bytes});
  counted().blocking_copies.increment();
  queue_->synchronize();
}

void CpuStream::fill(void* to, std::uint8_t value, std::size_t bytes) {
  enqueue(Fill{to, bytes, value}, counted().fills, [&] { return std::array{UsedMemory{"destination", to, bytes}}; });
}

void CpuStream::host_task(const detail::HostTask& task) {
  enqueue(task, counted().host_tasks, [] { return std::span<const UsedMemory>(); });
}

void CpuStream::record(const std::shared_ptr<detail::EventBackend>& event) {
  refuse_in_capture("recording an event");
  static_cast<CpuEvent&>(*event).record(*queue_);
}

void CpuStream::order_after(const detail::EventBackend& event) {
  refuse_in_capture("waiting for an event of another stream");
  Point point = static_cast<const CpuEvent&>(event).point();
  if (!point.queue || point.queue == queue_) return;  // Nothing recorded, or in order already.
  queue_->submit(OrderAfter{std::move(point)});
}

void* CpuStream::allocate(std::size_t bytes) {
  refuse_in_capture("allocating memory");
  void* const data = allocate_host(bytes, "CPU device memory");
  counted().device_allocations.increment();
  return data;
}

void CpuStream::free(void* data, std::size_t) noexcept {
  queue_->free_in_order(data);
  counted().device_frees.increment();
}

void CpuStream::begin_capture(std::span<const ForeignMemory> foreign) {
  refuse_in_capture("another capture");
  const std::lock_guard lock(capture_mutex_);
  capture_.emplace(foreign);
  is_capturing_.store(true, std::memory_order_relaxed);
}

std::unique_ptr<detail::GraphBackend> CpuStream::end_capture() {
  const std::lock_guard lock(capture_mutex_);
  require(capture_.has_value(), "the stream is not being captured");
  Capture finished = *std::move(capture_);
  capture_.reset();
  is_capturing_.store(false, std::memory_order_relaxed);
  return std::make_unique<CpuGraph>(finished.finish());
}

GraphNode CpuStream::last_node() const {
  const std::lock_guard lock(capture_mutex_);
  require(capture_.has_value(), "the stream is not being captured, so it has no last node");
  return capture_->last_node();
}

void CpuStream::launch_graph(const detail::GraphBackend& graph) {
  refuse_in_capture("launching a graph");
  queue_->submit(Replay{static_cast<const CpuGraph&>(graph).plan()});
  counted().graph_launches.increment();
}

}  // namespace vrt::cpu
