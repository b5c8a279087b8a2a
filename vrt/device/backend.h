// Internal (not installed): what a device implementation provides. cpu/ and cuda/ each derive from these.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <span>
#include <string_view>

#include "vrt/device/counters.h"
#include "vrt/device/device.h"
#include "vrt/device/graph.h"
#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"

namespace vrt::detail {

class EventBackend {
 public:
  virtual ~EventBackend() = default;
  [[nodiscard]] virtual Device device() const noexcept = 0;
  [[nodiscard]] virtual bool is_done() const = 0;
  virtual void synchronize() const = 0;
  /// BLOCKS like `synchronize`, but leaves failures to the waits of the stream. At once in a host task of that very stream.
  virtual void wait_leaving_failures() const = 0;
  /// Time since `start`, which is of the same device; both timed. Contract of vrt::elapsed.
  [[nodiscard]] virtual std::chrono::duration<double, std::milli> since(const EventBackend& start) const = 0;
};

class GraphBackend {
 public:
  virtual ~GraphBackend() = default;
  [[nodiscard]] virtual Device device() const noexcept = 0;
  [[nodiscard]] virtual std::size_t node_count() const noexcept = 0;
  virtual void update(GraphNode node, const KernelFunction& function, const LaunchShape& shape,
                      std::span<const KernelArgument> arguments) = 0;
};

class ModuleBackend {
 public:
  virtual ~ModuleBackend() = default;
  [[nodiscard]] virtual Device device() const noexcept = 0;
  /// Contract of KernelModule::get. The result's `module` is left empty.
  [[nodiscard]] virtual KernelFunction find(const char* name, const KernelSignature& expected) const = 0;
};

/// A module that is being made, or that could not be. Copies share one result.
using PendingModule = std::shared_future<std::shared_ptr<const ModuleBackend>>;

/// Each call has the contract of the public function of the same name.
class StreamBackend {
 public:
  virtual ~StreamBackend() = default;
  [[nodiscard]] virtual Device device() const noexcept = 0;
  [[nodiscard]] virtual void* native_handle() const noexcept = 0;
  virtual void synchronize() = 0;
  [[nodiscard]] virtual bool is_idle() const = 0;

  virtual void launch(const KernelFunction& function, const LaunchShape& shape,
                      std::span<const KernelArgument> arguments) = 0;
  virtual void copy(CopyKind kind, const void* from, void* to, std::size_t bytes) = 0;
  virtual void copy_blocking(CopyKind kind, const void* from, void* to, std::size_t bytes) = 0;
  virtual void fill(void* to, std::uint8_t value, std::size_t bytes) = 0;
  virtual void host_task(const HostTask& task) = 0;
  /// Runs `enqueue` now, on this thread and with the device's context current: it enqueues work of a foreign library on the native
  /// stream. `name` has static storage and names that work in errors. On the CPU, which has no native streams, it just runs.
  virtual void enqueue_foreign(const char* name, const std::function<void()>& enqueue) = 0;
  virtual void record(const std::shared_ptr<EventBackend>& event) = 0;
  virtual void order_after(const EventBackend& event) = 0;

  /// Stream-ordered memory. Freeing never throws.
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
  virtual void free(void* data, std::size_t bytes) noexcept = 0;

  virtual void begin_capture(std::span<const ForeignMemory> foreign) = 0;
  /// Always leaves the capture. Returns the graph, or throws what made the capture invalid.
  [[nodiscard]] virtual std::unique_ptr<GraphBackend> end_capture() = 0;
  [[nodiscard]] virtual bool is_capturing() const noexcept = 0;
  [[nodiscard]] virtual GraphNode last_node() const = 0;
  virtual void launch_graph(const GraphBackend& graph) = 0;
};

/// One per device and process, never destroyed.
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;
  [[nodiscard]] virtual DeviceInfo describe() const = 0;
  [[nodiscard]] virtual std::shared_ptr<StreamBackend> make_stream() = 0;
  [[nodiscard]] virtual std::shared_ptr<StreamBackend> adopt_stream(void* native_handle) = 0;
  enum class Timing { kNone, kTimed };
  [[nodiscard]] virtual std::shared_ptr<EventBackend> make_event(Timing timing) = 0;
  [[nodiscard]] virtual std::shared_ptr<const ModuleBackend> load(const KernelSource& source) = 0;
  [[nodiscard]] virtual PendingModule load_async(const KernelSource& source) = 0;
  [[nodiscard]] virtual std::shared_ptr<const ModuleBackend> compile(const std::string& name, const std::string& cuda_c,
                                                                     const CompileOptions& options) = 0;
  struct Pinned {
    void* host = nullptr;
    void* device = nullptr;  // nullptr where the device cannot read it directly.
  };
  [[nodiscard]] virtual Pinned allocate_pinned(std::size_t bytes) = 0;
  virtual void free_pinned(void* host, std::size_t bytes) noexcept = 0;
  [[nodiscard]] virtual DeviceCounters counters() const = 0;
  /// Runs `call` on this thread with the device's context current, for foreign libraries.
  virtual void with_context(const std::function<void()>& call) = 0;
};

/// The implementation of a device. Throws kUnavailable with the reason if it cannot be used.
[[nodiscard]] DeviceBackend& backend_of(Device device);

}  // namespace vrt::detail
