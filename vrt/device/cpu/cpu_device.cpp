#include "vrt/device/cpu/cpu_device.h"

#include <cstdlib>
#include <exception>
#include <fstream>
#include <future>
#include <memory>
#include <string>

#include "vrt/base/fail.h"
#include "vrt/device/block_pool.h"
#include "vrt/device/cpu/counted.h"
#include "vrt/device/cpu/cpu_event.h"
#include "vrt/device/cpu/cpu_module.h"
#include "vrt/device/cpu/cpu_stream.h"
#include "vrt/device/cpu/host_build.h"
#include "vrt/device/cpu/host_memory.h"

namespace vrt::cpu {
namespace {

#if defined(VRT_EAGER_CPU_STREAM)
constexpr auto kStreamMode = WorkQueue::Mode::kEager;
#else
constexpr auto kStreamMode = WorkQueue::Mode::kQueued;
#endif

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return std::string(architecture_name(supported_isa())) + " processor";  // Arm systems do not name theirs.
}

class CpuDevice final : public detail::DeviceBackend {
 public:
  [[nodiscard]] DeviceInfo describe() const override {
    return {.name = processor_name(),
            .architecture = std::string(architecture_name(supported_isa())),
            .memory_bytes = total_memory(),
            .parallel_units = BlockPool::shared().thread_count()};
  }

  [[nodiscard]] std::shared_ptr<detail::StreamBackend> make_stream() override {
    return std::make_shared<CpuStream>(kStreamMode);
  }

  [[nodiscard]] std::shared_ptr<detail::StreamBackend> adopt_stream(void*) override {
    fail(ErrorCode::kUnsupported, "the CPU has no foreign streams to adopt; make a vrt::Stream of your own");
  }

  [[nodiscard]] std::shared_ptr<detail::EventBackend> make_event(Timing timing) override {
    return std::make_shared<CpuEvent>(timing);
  }

  [[nodiscard]] std::shared_ptr<const detail::ModuleBackend> load(const KernelSource& source) override {
    return std::make_shared<CpuModule>(source.file, host_build_of(source));
  }

  // Nothing to compile: what `load` throws comes with `get`, as on other devices.
  [[nodiscard]] detail::PendingModule load_async(const KernelSource& source) override {
    std::promise<std::shared_ptr<const detail::ModuleBackend>> done;
    try {
      done.set_value(load(source));
    } catch (...) {
      done.set_exception(std::current_exception());
    }
    return done.get_future().share();
  }

  [[nodiscard]] std::shared_ptr<const detail::ModuleBackend> compile(const std::string& name, const std::string&,
                                                                     const CompileOptions&) override {
    fail(ErrorCode::kUnsupported,
         "'{}' is CUDA C given at run time, which only a CUDA device can compile; "
         "for the CPU build it in with vrt_add_kernels()",
         name);
  }

  [[nodiscard]] Pinned allocate_pinned(std::size_t bytes) override {
    void* const data = allocate_zeroed_host(bytes, "pinned memory");
    counted().pinned_allocations.increment();
    return {data, data};
  }

  void free_pinned(void* host, std::size_t) noexcept override {
    std::free(host);
    counted().pinned_frees.increment();
  }

  [[nodiscard]] DeviceCounters counters() const override { return counted().snapshot(); }
  void with_context(const std::function<void()>& call) override { call(); }
};

}  // namespace

detail::DeviceBackend& cpu_device() {
  static auto* const device = new CpuDevice;
  return *device;
}

}  // namespace vrt::cpu
