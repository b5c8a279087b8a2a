// Internal: CUDA's streams behind vrt::Stream.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "vrt/device/backend.h"
#include "vrt/device/cuda/capture.h"
#include "vrt/device/cuda/device.h"

namespace vrt::cuda {

class CudaStream final : public detail::StreamBackend {
 public:
  enum class Ownership { kOwned, kForeign };
  CudaStream(CudaDevice& device, CUstream_st* stream, Ownership ownership);
  ~CudaStream() override;
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  [[nodiscard]] Device device() const noexcept override { return device_.device(); }
  [[nodiscard]] void* native_handle() const noexcept override { return stream_; }
  void synchronize() override;
  [[nodiscard]] bool is_idle() const override;

  void launch(const detail::KernelFunction& function, const LaunchShape& shape,
              std::span<const detail::KernelArgument> arguments) override;
  void copy(detail::CopyKind kind, const void* from, void* to, std::size_t bytes) override;
  void copy_blocking(detail::CopyKind kind, const void* from, void* to, std::size_t bytes) override;
  void fill(void* to, std::uint8_t value, std::size_t bytes) override;
  void host_task(const detail::HostTask& task) override;
  void enqueue_foreign(const char* name, const std::function<void()>& enqueue) override;
  void record(const std::shared_ptr<detail::EventBackend>& event) override;
  void order_after(const detail::EventBackend& event) override;

  [[nodiscard]] void* allocate(std::size_t bytes) override;
  void free(void* data, std::size_t bytes) noexcept override;

  void begin_capture(std::span<const ForeignMemory> foreign) override;
  [[nodiscard]] std::unique_ptr<detail::GraphBackend> end_capture() override;
  [[nodiscard]] bool is_capturing() const noexcept override { return capture_ != nullptr; }
  [[nodiscard]] GraphNode last_node() const override;
  void launch_graph(const detail::GraphBackend& graph) override;

 private:
  void enqueue_copy(detail::CopyKind kind, const void* from, void* to, std::size_t bytes);
  void refuse_in_capture(const char* what) const;
  /// Notes, while capturing, memory that an operation uses and the node that it became.
  void keep_memory(const void* memory, std::size_t bytes, const char* operation);
  void note_node();
  [[nodiscard]] void* reuse_freed(std::size_t bytes);
  void release_freed() noexcept;

  CudaDevice& device_;
  CUstream_st* stream_;
  Ownership ownership_;
  std::shared_ptr<HostTaskFailures> failures_ = std::make_shared<HostTaskFailures>();
  std::atomic<const char*> last_operation_{"nothing"};
  std::unique_ptr<Capture> capture_;
  // Without the driver's memory pools: blocks freed in stream order, by size, for this stream to use again.
  std::mutex freed_mutex_;
  std::multimap<std::size_t, void*> freed_;
};

}  // namespace vrt::cuda
