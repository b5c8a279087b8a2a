#include "vrt/device/cuda/device.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <future>
#include <memory>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/device/cuda/background.h"
#include "vrt/device/cuda/driver.h"
#include "vrt/device/cuda/event.h"
#include "vrt/device/cuda/module.h"
#include "vrt/device/cuda/stream.h"

namespace vrt::cuda {

CudaDevice& CudaDevice::open(int ordinal) {
  static std::mutex mutex;
  static std::map<int, CudaDevice*>& opened = *new std::map<int, CudaDevice*>();
  const std::lock_guard lock(mutex);
  CudaDevice*& device = opened[ordinal];
  if (device == nullptr) device = new CudaDevice(ordinal);
  return *device;
}

CudaDevice::CudaDevice(int ordinal) : api_(driver()), ordinal_(ordinal) {
  if (const int count = driver_status().device_count; ordinal < 0 || ordinal >= count) {
    fail(ErrorCode::kUnavailable, "there is no device cuda:{}; this machine has {} (cuda:0 to cuda:{})", ordinal, count,
         count - 1);
  }
  cuda::check(api_.device_get(&id_, ordinal), "cuDeviceGet", fmt::format("opening cuda:{}", ordinal));
  cuda::check(api_.primary_context_retain(&context_, id_), "cuDevicePrimaryCtxRetain",
              fmt::format("opening the primary context of cuda:{}", ordinal));
  try {
    read_capabilities();
  } catch (...) {  // Whoever tries again retains the context again.
    report(api_.primary_context_release(id_), "cuDevicePrimaryCtxRelease_v2");
    throw;
  }
}

void CudaDevice::read_capabilities() {
  architecture_ = attribute(kAttributeComputeMajor) * 10 + attribute(kAttributeComputeMinor);
  is_integrated_ = attribute(kAttributeIntegrated) != 0;
  has_memory_pools_ = api_.mem_alloc_async.available() && api_.mem_free_async.available() &&
                      attribute(kAttributeMemoryPoolsSupported) != 0;
  if (has_memory_pools_) keep_freed_memory();
}

// The default pool gives freed memory back to the system at every wait; vrt's buffers come and go in equal sizes.
void CudaDevice::keep_freed_memory() {
  CUmemPoolHandle_st* pool = nullptr;
  std::uint64_t threshold = UINT64_MAX;
  cuda::check(api_.device_get_default_mem_pool(&pool, id_), "cuDeviceGetDefaultMemPool",
              "opening the device's memory pool");
  cuda::check(api_.mem_pool_set_attribute(pool, kMemPoolAttributeReleaseThreshold, &threshold), "cuMemPoolSetAttribute",
              "setting up the device's memory pool");
}

int CudaDevice::attribute(Enum which) const {
  int value = 0;
  cuda::check(api_.device_get_attribute(&value, which, id_), "cuDeviceGetAttribute", "reading the device's attributes");
  return value;
}

DeviceInfo CudaDevice::describe() const {
  std::array<char, 256> name{};
  DeviceInfo info;
  cuda::check(api_.device_get_name(name.data(), static_cast<int>(name.size()), id_), "cuDeviceGetName",
              "describing a device");
  cuda::check(api_.device_total_mem(&info.memory_bytes, id_), "cuDeviceTotalMem_v2", "describing a device");
  info.name = name.data();
  info.architecture = fmt::format("sm_{}", architecture_);
  info.parallel_units = attribute(kAttributeMultiprocessorCount);
  return info;
}

Reading<std::string> CudaDevice::pci_bus_id() const {
  if (!api_.device_get_pci_bus_id.available()) return {std::nullopt, "this CUDA driver has no cuDeviceGetPCIBusId"};
  std::array<char, 64> text{};
  const Result result = api_.device_get_pci_bus_id(text.data(), static_cast<int>(text.size()), id_);
  if (result != kSuccess) return {std::nullopt, fmt::format("cuDeviceGetPCIBusId answered {}", result)};
  return {std::string(text.data()), {}};
}

std::shared_ptr<detail::StreamBackend> CudaDevice::make_stream() {
  require_alive();
  const ContextScope current = scope();
  CUstream_st* stream = nullptr;
  check(api_.stream_create(&stream, kStreamNonBlocking), "cuStreamCreate", "creating a stream");
  return std::make_shared<CudaStream>(*this, stream, CudaStream::Ownership::kOwned);
}

std::shared_ptr<detail::StreamBackend> CudaDevice::adopt_stream(void* native_handle) {
  auto* stream = static_cast<CUstream_st*>(native_handle);
  require_alive();
  const ContextScope current = scope();
  CUctx_st* context = nullptr;
  check(api_.stream_get_context(stream, &context), "cuStreamGetCtx", "adopting a stream");
  require(context == context_, "the adopted stream does not belong to the primary context of {}", to_string(device()));
  return std::make_shared<CudaStream>(*this, stream, CudaStream::Ownership::kForeign);
}

void CudaDevice::with_context(const std::function<void()>& call) {
  require_alive();
  const ContextScope current = scope();
  call();
}

std::shared_ptr<detail::EventBackend> CudaDevice::make_event(Timing timing) {
  require_alive();
  const ContextScope current = scope();
  CUevent_st* event = nullptr;
  const unsigned flags = timing == Timing::kTimed ? 0U : kEventDisableTiming;
  check(api_.event_create(&event, flags), "cuEventCreate", "creating an event");
  return std::make_shared<CudaEvent>(*this, event);
}

// The compilation of one source, which whoever ordered it first carries out.
class CudaDevice::ModuleBuild {
 public:
  ModuleBuild(CudaDevice& device, const KernelSource& source) : device_(device), source_(source) {}

  [[nodiscard]] detail::PendingModule module() { return promise_.get_future().share(); }

  void run() noexcept {
    try {
      promise_.set_value(CudaModule::build(device_, std::string(source_.file), std::string(source_.text), {}));
    } catch (...) {
      give_up(std::current_exception());
    }
  }
  void cancel() noexcept {
    give_up(std::make_exception_ptr(Error(
        ErrorCode::kCancelled, fmt::format("{} was not compiled any more: the process is ending", source_.file))));
  }

 private:
  // Whoever waits gets the failure; whoever asks later tries again.
  void give_up(const std::exception_ptr& failure) noexcept {
    {
      const std::lock_guard lock(device_.modules_mutex_);
      device_.modules_.erase(source_.text.data());
    }
    promise_.set_exception(failure);
  }

  CudaDevice& device_;
  KernelSource source_;  // A copy: the caller's may be gone, the text that it refers to may not.
  std::promise<std::shared_ptr<const detail::ModuleBackend>> promise_;
};

CudaDevice::Order CudaDevice::order(const KernelSource& source) {
  const std::lock_guard lock(modules_mutex_);
  if (const auto known = modules_.find(source.text.data()); known != modules_.end()) return {known->second, nullptr};
  auto build = std::make_shared<ModuleBuild>(*this, source);
  detail::PendingModule module = build->module();
  modules_.emplace(source.text.data(), module);
  return {std::move(module), std::move(build)};
}

std::shared_ptr<const detail::ModuleBackend> CudaDevice::load(const KernelSource& source) {
  require_alive();
  const Order ordered = order(source);
  if (ordered.build != nullptr) ordered.build->run();
  return ordered.module.get();
}

detail::PendingModule CudaDevice::load_async(const KernelSource& source) {
  require_alive();
  Order ordered = order(source);
  if (ordered.build != nullptr) {
    Background::shared().add([build = std::move(ordered.build)](Background::Turn turn) {
      if (turn == Background::Turn::kRun) build->run();
      if (turn == Background::Turn::kCancel) build->cancel();
    });
  }
  return ordered.module;
}

std::shared_ptr<const detail::ModuleBackend> CudaDevice::compile(const std::string& name, const std::string& cuda_c,
                                                                 const CompileOptions& options) {
  require_alive();
  return CudaModule::build(*this, name, cuda_c, options);
}

detail::DeviceBackend::Pinned CudaDevice::allocate_pinned(std::size_t bytes) {
  require_alive();
  const ContextScope current = scope();
  Pinned pinned;
  const unsigned flags = kHostAllocPortable | (is_integrated_ ? kHostAllocDeviceMap : 0U);
  check(api_.mem_host_alloc(&pinned.host, std::max<std::size_t>(bytes, 1), flags), "cuMemHostAlloc",
        fmt::format("allocating {} bytes of page-locked host memory", bytes));
  if (is_integrated_) {
    DevicePointer view = 0;
    const Result result = api_.mem_host_get_device_pointer(&view, pinned.host, 0);
    if (result != kSuccess) report(api_.mem_free_host(pinned.host), "cuMemFreeHost");
    check(result, "cuMemHostGetDevicePointer_v2", "mapping page-locked host memory");
    pinned.device = reinterpret_cast<void*>(view);
  }
  std::memset(pinned.host, 0, bytes);
  counts_.pinned_allocations.increment();
  return pinned;
}

void CudaDevice::free_pinned(void* host, std::size_t /*bytes*/) noexcept {
  const ContextScope current = scope();
  report(api_.mem_free_host(host), "cuMemFreeHost");
  counts_.pinned_frees.increment();
}

void CudaDevice::check(Result result, const char* call, std::string_view doing) {
  if (result == kSuccess) return;
  if (is_sticky(result)) lost_.store(true, std::memory_order_release);
  cuda::check(result, call, doing);
}

void CudaDevice::require_alive() const {
  if (lost_.load(std::memory_order_acquire)) {
    fail(ErrorCode::kDeviceLost, "{} was lost by an earlier fault; restart the process to use it again",
         to_string(device()));
  }
}

}  // namespace vrt::cuda
