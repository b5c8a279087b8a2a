// Internal: streams of the CPU, each a queue with a worker thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "vrt/device/backend.h"
#include "vrt/device/cpu/counted.h"
#include "vrt/device/cpu/graph_plan.h"
#include "vrt/device/cpu/work_queue.h"

namespace vrt::cpu {

class CpuStream final : public detail::StreamBackend {
 public:
  /// Throws kUnavailable if the system refuses a thread.
  explicit CpuStream(WorkQueue::Mode mode);
  /// BLOCKS until everything submitted has run, unless a worker itself lets go of the last handle.
  ~CpuStream() override;

  [[nodiscard]] Device device() const noexcept override { return Device::cpu(); }
  [[nodiscard]] void* native_handle() const noexcept override { return nullptr; }
  void synchronize() override;
  [[nodiscard]] bool is_idle() const override { return queue_->is_idle(); }

  void launch(const detail::KernelFunction& function, const LaunchShape& shape,
              std::span<const detail::KernelArgument> arguments) override;
  void copy(detail::CopyKind kind, const void* from, void* to, std::size_t bytes) override;
  void copy_blocking(detail::CopyKind kind, const void* from, void* to, std::size_t bytes) override;
  void fill(void* to, std::uint8_t value, std::size_t bytes) override;
  void host_task(const detail::HostTask& task) override;
  void enqueue_foreign(const char* /*name*/, const std::function<void()>& enqueue) override { enqueue(); }
  void record(const std::shared_ptr<detail::EventBackend>& event) override;
  void order_after(const detail::EventBackend& event) override;

  [[nodiscard]] void* allocate(std::size_t bytes) override;
  void free(void* data, std::size_t bytes) noexcept override;

  void begin_capture(std::span<const ForeignMemory> foreign) override;
  [[nodiscard]] std::unique_ptr<detail::GraphBackend> end_capture() override;
  [[nodiscard]] bool is_capturing() const noexcept override { return is_capturing_.load(std::memory_order_relaxed); }
  [[nodiscard]] GraphNode last_node() const override;
  void launch_graph(const detail::GraphBackend& graph) override;

 private:
  template <typename MemoryOf>
  void enqueue(Operation operation, detail::Counter& counter, const MemoryOf& memory_of);
  void refuse_in_capture(const char* operation);

  Ref<WorkQueue> queue_;
  std::thread worker_;
  mutable std::mutex capture_mutex_;
  std::optional<Capture> capture_;
  std::atomic<bool> is_capturing_{false};  // Spares the others the lock.
};

}  // namespace vrt::cpu
