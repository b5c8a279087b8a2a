#include "vrt/device/cuda/stream.h"

#include <algorithm>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/device/allocation_registry.h"
#include "vrt/device/cuda/driver.h"
#include "vrt/device/cuda/event.h"
#include "vrt/device/cuda/graph.h"
#include "vrt/device/cuda/kernel_parameters.h"

namespace vrt::cuda {

namespace {

// Above this much dynamic shared memory a kernel has to ask for it.
constexpr std::uint32_t kFreeSharedBytes = 48U * 1024U;

DevicePointer pointer(const void* memory) { return reinterpret_cast<DevicePointer>(memory); }

const char* name_of(detail::CopyKind kind) {
  switch (kind) {
    case detail::CopyKind::kUpload: return "an upload";
    case detail::CopyKind::kReadBack: return "a read-back";
    case detail::CopyKind::kDeviceToDevice: return "a copy on the device";
  }
  return "a copy";
}

}  // namespace

CudaStream::CudaStream(CudaDevice& device, CUstream_st* stream, Ownership ownership)
    : device_(device), stream_(stream), ownership_(ownership) {}

CudaStream::~CudaStream() {
  const ContextScope current = device_.scope();
  release_freed();
  if (ownership_ == Ownership::kOwned) report(device_.api().stream_destroy(stream_), "cuStreamDestroy_v2");
}

void CudaStream::synchronize() {
  device_.require_alive();
  refuse_in_capture("a wait");
  device_.counts().waits.increment();
  const HostTaskTicket last = failures_->last();
  const Result result = device_.api().stream_synchronize(stream_);
  if (result != kSuccess) {
    device_.check(result, "cuStreamSynchronize",
                  fmt::format("waiting for a stream whose last operation was {}", last_operation_.load()));
  }
  failures_->throw_all(last);
}

bool CudaStream::is_idle() const {
  const Result result = device_.api().stream_query(stream_);
  if (result == kErrorNotReady) return false;
  device_.check(result, "cuStreamQuery", "asking whether a stream is idle");
  return true;
}

void CudaStream::launch(const detail::KernelFunction& function, const LaunchShape& shape,
                        std::span<const detail::KernelArgument> arguments) {
  device_.require_alive();
  if (capture_ != nullptr) {
    for (const detail::KernelArgument& argument : arguments)
      keep_memory(argument.memory, argument.memory_bytes, function.name);
  }
  KernelParameters parameters(arguments);
  auto* const kernel = static_cast<CUfunc_st*>(function.native);
  if (shape.shared_bytes > kFreeSharedBytes) {
    const ContextScope current = device_.scope();
    device_.check(device_.api().function_set_attribute(kernel, kFunctionAttributeMaxDynamicSharedSizeBytes,
                                                       static_cast<int>(shape.shared_bytes)),
                  "cuFuncSetAttribute", function.name);
  }
  const auto launch_kernel = [&] {
    return device_.api().launch_kernel(kernel, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x, shape.block.y,
                                       shape.block.z, shape.shared_bytes, stream_, parameters.data(), nullptr);
  };
  // The driver refuses a launch while another context is current. Asking which one is takes longer than the rest of this function,
  // so that it is asked only after a failure; a failure under another context says nothing.
  Result result = launch_kernel();
  if (result != kSuccess) {
    const ContextScope current = device_.scope();
    if (!current.was_current()) result = launch_kernel();
  }
  if (result != kSuccess) {
    device_.check(result, "cuLaunchKernel",
                  fmt::format("launching the kernel '{}' with {}×{}×{} blocks of {}×{}×{} threads", function.name,
                              shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x, shape.block.y, shape.block.z));
  }
  device_.counts().launches.increment();
  last_operation_.store(function.name, std::memory_order_relaxed);
  note_node();
}

void CudaStream::enqueue_copy(detail::CopyKind kind, const void* from, void* to, std::size_t bytes) {
  const DriverApi& api = device_.api();
  const ContextScope current = device_.scope();
  const char* call = "cuMemcpyDtoDAsync_v2";
  Result result = kSuccess;
  switch (kind) {
    case detail::CopyKind::kUpload:
      call = "cuMemcpyHtoDAsync_v2";
      result = api.memcpy_to_device_async(pointer(to), from, bytes, stream_);
      break;
    case detail::CopyKind::kReadBack:
      call = "cuMemcpyDtoHAsync_v2";
      result = api.memcpy_to_host_async(to, pointer(from), bytes, stream_);
      break;
    case detail::CopyKind::kDeviceToDevice:
      result = api.memcpy_on_device_async(pointer(to), pointer(from), bytes, stream_);
      break;
  }
  // The text is made only then: a copy allocates nothing.
  if (result != kSuccess) device_.check(result, call, fmt::format("enqueueing {} of {} bytes", name_of(kind), bytes));
}

void CudaStream::copy(detail::CopyKind kind, const void* from, void* to, std::size_t bytes) {
  device_.require_alive();
  if (bytes == 0) return;
  keep_memory(from, bytes, name_of(kind));
  keep_memory(to, bytes, name_of(kind));
  enqueue_copy(kind, from, to, bytes);
  device_.counts().copies.increment();
  last_operation_.store(name_of(kind), std::memory_order_relaxed);
  note_node();
}

void CudaStream::copy_blocking(detail::CopyKind kind, const void* from, void* to, std::size_t bytes) {
  device_.require_alive();
  refuse_in_capture("a blocking copy");
  device_.counts().blocking_copies.increment();
  if (bytes != 0) enqueue_copy(kind, from, to, bytes);
  const HostTaskTicket last = failures_->last();
  device_.check(device_.api().stream_synchronize(stream_), "cuStreamSynchronize", "waiting for a blocking copy");
  failures_->throw_all(last);
}

void CudaStream::fill(void* to, std::uint8_t value, std::size_t bytes) {
  device_.require_alive();
  if (bytes == 0) return;
  keep_memory(to, bytes, "a fill");
  const ContextScope current = device_.scope();
  device_.check(device_.api().memset_async(pointer(to), value, bytes, stream_), "cuMemsetD8Async", "enqueueing a fill");
  device_.counts().fills.increment();
  last_operation_.store("a fill", std::memory_order_relaxed);
  note_node();
}

void CudaStream::host_task(const detail::HostTask& task) {
  device_.require_alive();
  const ContextScope current = device_.scope();
  HostTaskNode* node = nullptr;
  if (capture_ != nullptr) {
    capture_->host_tasks.push_back(std::make_unique<HostTaskNode>());
    node = capture_->host_tasks.back().get();
    node->task = task;
    node->runs = &capture_->runs;
  } else {
    node = device_.host_tasks().take(task, failures_->issue());
  }
  const Result result = device_.api().launch_host_function(stream_, run_host_task, node);
  if (result != kSuccess && node->pool != nullptr) node->pool->give_back(node);
  device_.check(result, "cuLaunchHostFunc", task.name);
  device_.counts().host_tasks.increment();
  last_operation_.store(task.name, std::memory_order_relaxed);
  note_node();
}

void CudaStream::enqueue_foreign(const char* name, const std::function<void()>& enqueue) {
  device_.require_alive();
  const ContextScope current = device_.scope();
  enqueue();
  last_operation_.store(name, std::memory_order_relaxed);
}

void CudaStream::record(const std::shared_ptr<detail::EventBackend>& event) {
  device_.require_alive();
  refuse_in_capture("recording an event");
  auto& recorded = dynamic_cast<CudaEvent&>(*event);
  const ContextScope current = device_.scope();
  HostTaskTicket point = failures_->last();
  device_.check(device_.api().event_record(recorded.handle(), stream_), "cuEventRecord", "recording an event");
  recorded.recorded_on(failures_, std::move(point));
}

void CudaStream::order_after(const detail::EventBackend& event) {
  device_.require_alive();
  refuse_in_capture("waiting for an event of another stream");
  const auto& awaited = dynamic_cast<const CudaEvent&>(event);
  if (!awaited.is_recorded()) return;
  const ContextScope current = device_.scope();
  device_.check(device_.api().stream_wait_event(stream_, awaited.handle(), 0), "cuStreamWaitEvent",
                "ordering a stream after an event");
}

namespace {

// Kernels read bytes by the word, so that the last word belongs to the buffer, too. An empty buffer has one, for the driver refuses
// to allocate nothing.
std::size_t in_whole_words(std::size_t bytes) {
  constexpr std::size_t kWord = 16;
  return std::max((bytes + kWord - 1) / kWord, std::size_t{1}) * kWord;
}

}  // namespace

void* CudaStream::allocate(std::size_t bytes) {
  device_.require_alive();
  refuse_in_capture("an allocation");
  device_.counts().device_allocations.increment();
  const ContextScope current = device_.scope();
  const DriverApi& api = device_.api();
  const auto doing = [&] { return fmt::format("allocating {} bytes on {}", bytes, to_string(device())); };
  DevicePointer data = 0;
  if (device_.has_memory_pools()) {
    device_.check(api.mem_alloc_async(&data, in_whole_words(bytes), stream_), "cuMemAllocAsync", doing());
  } else if (void* freed = reuse_freed(bytes); freed != nullptr) {
    return freed;
  } else {
    device_.check(api.mem_alloc(&data, in_whole_words(bytes)), "cuMemAlloc_v2", doing());
  }
  // So that what is read with the last byte is not undefined, whatever a checker of memory looks at.
  if (const std::size_t rest = in_whole_words(bytes) - bytes; rest > 0) {
    device_.check(api.memset_async(data + bytes, 0, rest, stream_), "cuMemsetD8Async", doing());
  }
  return reinterpret_cast<void*>(data);
}

void CudaStream::free(void* data, std::size_t bytes) noexcept {
  device_.counts().device_frees.increment();
  if (device_.has_memory_pools()) {
    const ContextScope current = device_.scope();
    report(device_.api().mem_free_async(pointer(data), stream_), "cuMemFreeAsync");
    return;
  }
  const std::lock_guard lock(freed_mutex_);
  freed_.emplace(bytes, data);
}

void* CudaStream::reuse_freed(std::size_t bytes) {
  const std::lock_guard lock(freed_mutex_);
  const auto block = freed_.find(bytes);
  if (block == freed_.end()) return nullptr;
  void* data = block->second;
  freed_.erase(block);
  return data;
}

void CudaStream::release_freed() noexcept {
  if (freed_.empty()) return;
  report(device_.api().stream_synchronize(stream_), "cuStreamSynchronize");
  for (const auto& [bytes, data] : freed_) report(device_.api().mem_free(pointer(data)), "cuMemFree_v2");
}

void CudaStream::begin_capture(std::span<const ForeignMemory> foreign) {
  device_.require_alive();
  refuse_in_capture("a second capture");
  const ContextScope current = device_.scope();
  device_.check(device_.api().stream_begin_capture(stream_, kCaptureModeRelaxed), "cuStreamBeginCapture_v2",
                "beginning a capture");
  capture_ = std::make_unique<Capture>();
  capture_->foreign.assign(foreign.begin(), foreign.end());
}

std::unique_ptr<detail::GraphBackend> CudaStream::end_capture() {
  std::unique_ptr<Capture> ended = std::move(capture_);
  const ContextScope current = device_.scope();
  CUgraph_st* graph = nullptr;
  const Result result = device_.api().stream_end_capture(stream_, &graph);
  if (ended->refusal) {
    if (graph != nullptr) report(device_.api().graph_destroy(graph), "cuGraphDestroy");
    throw Error(*ended->refusal);
  }
  device_.check(result, "cuStreamEndCapture", "ending a capture");
  if (!ended->host_tasks.empty()) ended->host_tasks.back()->ends_run = true;
  return std::make_unique<CudaGraph>(device_, graph, std::move(ended));
}

GraphNode CudaStream::last_node() const {
  require(capture_ != nullptr && !capture_->nodes.empty(),
          "a captured node was asked for, but nothing is being captured");
  return {capture_->nodes.size() - 1};
}

void CudaStream::launch_graph(const detail::GraphBackend& graph) {
  device_.require_alive();
  refuse_in_capture("the launch of a graph");
  const ContextScope current = device_.scope();
  dynamic_cast<const CudaGraph&>(graph).launch(stream_, *failures_);
  device_.counts().graph_launches.increment();
  last_operation_.store("a graph", std::memory_order_relaxed);
}

void CudaStream::refuse_in_capture(const char* what) const {
  if (capture_ == nullptr) return;
  capture_->refuse(Error(
      ErrorCode::kUnsupported,
      fmt::format("{} is not possible while the stream is being captured into a graph; do it before or after", what)));
}

void CudaStream::keep_memory(const void* memory, std::size_t bytes, const char* operation) {
  if (capture_ == nullptr || memory == nullptr) return;
  if (auto owner = detail::AllocationRegistry::instance().owner_of(memory, bytes)) {
    capture_->kept.push_back(std::move(owner));
  } else if (!capture_->is_declared(memory, bytes)) {
    capture_->refuse(Error(
        ErrorCode::kInvalidArgument,
        fmt::format("'{}' uses memory at {} ({} bytes) that no vrt buffer owns; declare it in CaptureOptions::foreign",
                    operation, fmt::ptr(memory), bytes)));
  }
}

// The operation just captured is what the stream's next one would depend on.
void CudaStream::note_node() {
  if (capture_ == nullptr) return;
  const ContextScope current = device_.scope();
  Enum status = kCaptureStatusNone;
  unsigned long long id = 0;
  CUgraphNode_st* const* nodes = nullptr;
  std::size_t count = 0;
  device_.check(device_.api().stream_get_capture_info(stream_, &status, &id, nullptr, &nodes, &count),
                "cuStreamGetCaptureInfo_v2", "capturing a stream");
  require(count > 0, "the capture of a stream was ended by somebody else");
  capture_->nodes.push_back(nodes[0]);
}

}  // namespace vrt::cuda
