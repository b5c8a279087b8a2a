// Internal: One GPU: its primary context, its capabilities and its counts.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "vrt/device/backend.h"
#include "vrt/device/counting.h"
#include "vrt/device/cuda/context.h"
#include "vrt/device/cuda/driver_api.h"
#include "vrt/device/cuda/host_tasks.h"
#include "vrt/device/gpu_status.h"

namespace vrt::cuda {

/// Opened on first use and never closed: what was allocated on it may outlive every other object.
class CudaDevice final : public detail::DeviceBackend {
 public:
  /// Throws kUnavailable if there is no usable driver or no such device.
  [[nodiscard]] static CudaDevice& open(int ordinal);

  [[nodiscard]] DeviceInfo describe() const override;
  [[nodiscard]] std::shared_ptr<detail::StreamBackend> make_stream() override;
  [[nodiscard]] std::shared_ptr<detail::StreamBackend> adopt_stream(void* native_handle) override;
  [[nodiscard]] std::shared_ptr<detail::EventBackend> make_event(Timing timing) override;
  [[nodiscard]] std::shared_ptr<const detail::ModuleBackend> load(const KernelSource& source) override;
  [[nodiscard]] detail::PendingModule load_async(const KernelSource& source) override;
  [[nodiscard]] std::shared_ptr<const detail::ModuleBackend> compile(const std::string& name, const std::string& cuda_c,
                                                                     const CompileOptions& options) override;
  [[nodiscard]] Pinned allocate_pinned(std::size_t bytes) override;
  void free_pinned(void* host, std::size_t bytes) noexcept override;
  [[nodiscard]] DeviceCounters counters() const override { return counts_.snapshot(); }
  void with_context(const std::function<void()>& call) override;

  [[nodiscard]] const DriverApi& api() const noexcept { return api_; }
  [[nodiscard]] Device device() const noexcept { return Device::cuda(ordinal_); }
  [[nodiscard]] CUctx_st* context() const noexcept { return context_; }
  [[nodiscard]] ContextScope scope() const { return ContextScope(api_, context_); }
  [[nodiscard]] detail::Counters& counts() noexcept { return counts_; }
  [[nodiscard]] HostTaskPool& host_tasks() noexcept { return host_tasks_; }
  /// 90 for compute capability 9.0.
  [[nodiscard]] int architecture() const noexcept { return architecture_; }
  [[nodiscard]] bool is_integrated() const noexcept { return is_integrated_; }
  /// "0000:3B:00.0".
  [[nodiscard]] Reading<std::string> pci_bus_id() const;
  [[nodiscard]] bool has_memory_pools() const noexcept { return has_memory_pools_; }

  /// As cuda::check; a sticky fault marks the device as lost.
  void check(Result result, const char* call, std::string_view doing);
  /// Throws kDeviceLost if an earlier call found a sticky fault.
  void require_alive() const;

 private:
  explicit CudaDevice(int ordinal);
  [[nodiscard]] int attribute(Enum which) const;
  void read_capabilities();
  void keep_freed_memory();
  class ModuleBuild;
  struct Order {
    detail::PendingModule module;
    std::shared_ptr<ModuleBuild> build;  // Empty if somebody else ordered it before.
  };
  [[nodiscard]] Order order(const KernelSource& source);

  const DriverApi& api_;
  int ordinal_;
  DeviceId id_ = 0;
  CUctx_st* context_ = nullptr;
  int architecture_ = 0;
  bool has_memory_pools_ = false;
  bool is_integrated_ = false;
  std::atomic<bool> lost_{false};
  detail::Counters counts_;
  HostTaskPool host_tasks_;
  // By the address of a source's text. The lock is held for looking up only: who finds nothing puts a promise there and
  // compiles outside, so that different sources compile side by side and one source compiles once.
  std::mutex modules_mutex_;
  std::map<const void*, detail::PendingModule> modules_;
};

}  // namespace vrt::cuda
