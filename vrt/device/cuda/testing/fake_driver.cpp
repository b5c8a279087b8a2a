// A CUDA driver without a GPU: a shared object with the driver's names, loaded through the same path as the real one.
//
// Device memory is host memory and operations run when they are enqueued, or with VRT_FAKE_ASYNC=1 later, in a thread for each stream,
// so that copies, fills and host functions can be checked; kernels are counted but not run. Every call is logged and can be made to
// fail. The environment sets what a process sees:
//   VRT_FAKE_VERSION=12020  VRT_FAKE_INIT=100 (cuInit's answer)  VRT_FAKE_DEVICES=2  VRT_FAKE_POOLS=0
//   VRT_FAKE_INTEGRATED=1  VRT_FAKE_ELAPSED=1 (cuEventElapsedTime's answer)
//   CUDA_VISIBLE_DEVICES=2,0 (as the real one: which of them, and in which order)
//   VRT_FAKE_ENDS=1 (once its static objects are destroyed, every call answers that the driver has ended)
// Built with VRT_FAKE_OLD_DRIVER it lacks the optional entry points, with VRT_FAKE_MIDDLE_DRIVER those by which kernels tell their
// parameters, which only kernels of tests have here; with VRT_FAKE_INCOMPLETE_DRIVER one of the required.
#include "vrt/device/cuda/testing/fake_driver.h"

#include <dlfcn.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "vrt/device/cuda/driver_types.h"
#include "vrt/device/cuda/testing/fake_queue.h"
#include "vrt/device/cuda/testing/fake_setting.h"

using vrt::cuda::DeviceId;
using vrt::cuda::DevicePointer;
using vrt::cuda::Enum;
using vrt::cuda::Result;
using vrt::cuda::testing::FakeMarker;
using vrt::cuda::testing::FakeQueue;
using vrt::cuda::testing::setting;

// The driver's opaque objects.
struct CUgraphNode_st {
  std::function<void()> run;
  bool is_kernel = false;
};
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};
struct CUgraphExec_st {
  CUgraph_st* graph;
  std::mutex runs;  // Once at a time.
};
struct CUctx_st {
  int device = 0;
  Result sticky = 0;
};
struct CUstream_st {
  CUctx_st* context = nullptr;
  std::unique_ptr<CUgraph_st> capture;
  CUgraphNode_st* last = nullptr;
  FakeQueue queue{setting("VRT_FAKE_ASYNC", 0) != 0 ? FakeQueue::Mode::kLater : FakeQueue::Mode::kAtOnce};
};
struct CUevent_st {
  CUctx_st* context = nullptr;
  std::shared_ptr<FakeMarker> point;  // The one recorded last.
  CUstream_st* recorded_on = nullptr;
};
struct CUmod_st {
  CUctx_st* context = nullptr;
};
struct CUfunc_st {
  CUctx_st* context = nullptr;
};
struct CUmemPoolHandle_st {};

namespace {

constexpr Result kErrorInvalidContext = 201;
constexpr Result kErrorInvalidHandle = 400;
constexpr Result kErrorNotFound = 500;
constexpr int kMostDevices = 16;
constexpr std::size_t kMemory = std::size_t{8} << 30U;

struct LoggedCall {
  const char* symbol;
  unsigned flags;  // Of those functions that take any.
};

struct Fake {
  std::mutex mutex;
  std::vector<LoggedCall> log;
  std::vector<std::pair<CUstream_st*, CUstream_st*>> waits;
  std::string failing_symbol;
  std::uint64_t calls_until_failure = 0;
  Result failure = 0;
  bool has_ended = false;
  std::set<const void*> live;
  std::map<std::pair<CUctx_st*, std::string>, std::unique_ptr<CUfunc_st>> functions;
  std::array<CUctx_st, kMostDevices> contexts;
  CUmemPoolHandle_st pool;
};

Fake& fake() {
  static Fake* const instance = new Fake();  // The driver outlives every static object.
  return *instance;
}

// Destroyed as the real driver's static objects are: before those of a program that were made before it was loaded.
struct Ending {
  ~Ending() {
    const std::lock_guard lock(fake().mutex);
    fake().has_ended = std::getenv("VRT_FAKE_ENDS") != nullptr;
  }
} ending;

thread_local CUctx_st* current_context = nullptr;

bool is_sticky(Result result) { return result >= 700 && result < 720; }

// The devices that the process sees, by the machine's number.
std::vector<int> visible_devices() {
  const int count = setting("VRT_FAKE_DEVICES", 1);
  std::vector<int> devices;
  const char* chosen = std::getenv("CUDA_VISIBLE_DEVICES");
  if (chosen == nullptr) {
    for (int device = 0; device < count; ++device) devices.push_back(device);
    return devices;
  }
  std::istringstream list(chosen);
  for (std::string entry; std::getline(list, entry, ',');) {
    const int device = std::atoi(entry.c_str());
    if (device < 0 || device >= count) break;  // As the real one: those behind an invalid one are not seen.
    devices.push_back(device);
  }
  return devices;
}

// The answer that was planned for this call; 0 if none was. A sticky fault is one of the context that met it.
Result failure_of(const char* symbol, CUctx_st* context) {
  Fake& f = fake();
  if (f.has_ended) return vrt::cuda::kErrorDeinitialized;
  if (context != nullptr && context->sticky != 0) return context->sticky;
  if (f.failing_symbol != symbol || f.calls_until_failure-- != 0) return 0;
  f.failing_symbol.clear();
  if (is_sticky(f.failure) && context != nullptr) context->sticky = f.failure;
  return f.failure;
}

Result planned_answer(const char* symbol, CUctx_st* context) {
  if (!fake().has_ended) fake().log.push_back({symbol, 0});
  return failure_of(symbol, context);
}

template <typename Body>
Result call(const char* symbol, const Body& body, CUctx_st* context = current_context) {
  const std::lock_guard lock(fake().mutex);
  if (const Result planned = planned_answer(symbol, context); planned != 0) return planned;
  return body();
}

// Streams, events, modules and graphs are of the context that is current.
template <typename Object>
Result create(const char* symbol, Object** out, unsigned flags = 0) {
  return call(symbol, [&] {
    fake().log.back().flags = flags;
    if (current_context == nullptr) return kErrorInvalidContext;
    *out = new Object();
    if constexpr (requires { (*out)->context; }) (*out)->context = current_context;
    fake().live.insert(*out);
    return Result{0};
  });
}

template <typename Object>
Result destroy(const char* symbol, Object* object) {
  const Result result =
      call(symbol, [&] { return fake().live.erase(object) == 0 ? vrt::cuda::kErrorInvalidValue : Result{0}; });
  if (result == 0) delete object;  // Not under the lock: a stream may have work left, which calls the driver.
  return result;
}

Result allocate(void** out, std::size_t bytes) {
  if (current_context == nullptr) return kErrorInvalidContext;
  if (bytes == 0) return vrt::cuda::kErrorInvalidValue;  // As the real one.
  if (bytes > kMemory) return vrt::cuda::kErrorOutOfMemory;
  constexpr std::size_t kAlignment = 256;
  *out = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (*out == nullptr) return vrt::cuda::kErrorOutOfMemory;
  std::memset(*out, 0xCD, bytes);  // Whatever was there before.
  fake().live.insert(*out);
  return 0;
}

Result release(void* memory) {
  if (fake().live.erase(memory) == 0) return vrt::cuda::kErrorInvalidValue;
  std::free(memory);
  return 0;
}

bool is_default(const CUstream_st* stream) { return reinterpret_cast<std::uintptr_t>(stream) <= 2; }

// The default streams, 1 and 2, are of whatever is current, and never have work.
CUctx_st* context_of(CUstream_st* stream) { return is_default(stream) ? current_context : stream->context; }

bool is_reached(const CUevent_st* event) { return event->point == nullptr || event->point->is_reached(); }

void* host(DevicePointer pointer) { return reinterpret_cast<void*>(pointer); }

// Runs an operation, or adds it to the stream's capture.
Result enqueue(CUstream_st* stream, std::function<void()> operation, bool is_kernel = false) {
  if (stream->capture == nullptr) {
    stream->queue.add(std::move(operation));
    return 0;
  }
  auto node = std::make_unique<CUgraphNode_st>();
  node->run = std::move(operation);
  node->is_kernel = is_kernel;
  stream->last = node.get();
  stream->capture->nodes.push_back(std::move(node));
  return 0;
}

Result enqueue_copy(const char* symbol, CUstream_st* stream, void* to, const void* from, std::size_t bytes) {
  return call(symbol, [&] { return enqueue(stream, [=] { std::memcpy(to, from, bytes); }); });
}

const char* own_path() {
  Dl_info info{};
  dladdr(reinterpret_cast<void*>(&fake), &info);
  return info.dli_fname;
}

// Arguments in integer registers, in vector registers and on the stack, and a result in a vector register.
double hidden_sum(int a, double b, int c, float d, int e, double f, int g, float h, int i, double j, int k, double l,
                  double m, double n, double o, int p) {
  return a + 2 * b + 3 * c + 4 * static_cast<double>(d) + 5 * e + 6 * f + 7 * g + 8 * static_cast<double>(h) + 9 * i +
         10 * j + 11 * k + 12 * l + 13 * m + 14 * n + 15 * o + 16 * p;
}

}  // namespace

extern "C" {

// Control.
void vrt_fake_reset() {
  const std::lock_guard lock(fake().mutex);
  fake().log.clear();
  fake().waits.clear();
  fake().failing_symbol.clear();
  for (CUctx_st& context : fake().contexts) context.sticky = 0;
}
void vrt_fake_fail(const char* symbol, std::uint64_t nth, int result) {
  const std::lock_guard lock(fake().mutex);
  fake().failing_symbol = symbol;
  fake().calls_until_failure = nth;
  fake().failure = result;
}
std::uint64_t vrt_fake_call_count() { return fake().log.size(); }
const char* vrt_fake_call(std::uint64_t index) { return fake().log.at(index).symbol; }
unsigned vrt_fake_call_flags(std::uint64_t index) { return fake().log.at(index).flags; }
std::uint64_t vrt_fake_wait_count() { return fake().waits.size(); }
void vrt_fake_wait(std::uint64_t index, void** recorded_on, void** waiting) {
  *recorded_on = fake().waits.at(index).first;
  *waiting = fake().waits.at(index).second;
}
std::int64_t vrt_fake_live_objects() { return static_cast<std::int64_t>(fake().live.size()); }

// The driver.
Result cuInit(unsigned) {
  return call("cuInit", [] { return setting("VRT_FAKE_INIT", 0); });
}
Result cuDriverGetVersion(int* version) {
  return call("cuDriverGetVersion", [&] { return *version = setting("VRT_FAKE_VERSION", 13000), Result{0}; });
}
Result cuGetErrorName(Result, const char** name) {
  *name = "CUDA_ERROR_FAKE";
  return 0;
}
Result cuGetErrorString(Result, const char** text) {
  *text = "a failure that a test asked for";
  return 0;
}

// Asked for by NVRTC 13, which opens libcuda.so.1 by itself and crashes where this is missing.
Result cuGetExportTable(const void** table, const void*) { return *table = nullptr, kErrorNotFound; }

Result cuDeviceGetCount(int* count) {
  return call("cuDeviceGetCount", [&] { return *count = static_cast<int>(visible_devices().size()), Result{0}; });
}
Result cuDeviceGet(DeviceId* device, int ordinal) {
  return call("cuDeviceGet",
              [&] { return *device = visible_devices().at(static_cast<std::size_t>(ordinal)), Result{0}; });
}
Result cuDeviceGetName(char* name, int capacity, DeviceId device) {
  return call("cuDeviceGetName", [&] {
    std::snprintf(name, static_cast<std::size_t>(capacity), "Fake GPU %d", device);
    return Result{0};
  });
}
Result cuDeviceTotalMem_v2(std::size_t* bytes, DeviceId) {
  return call("cuDeviceTotalMem_v2", [&] { return *bytes = kMemory, Result{0}; });
}
Result cuDeviceGetAttribute(int* value, Enum attribute, DeviceId) {
  return call("cuDeviceGetAttribute", [&] {
    const std::map<Enum, int> values{{vrt::cuda::kAttributeComputeMajor, 9},
                                     {vrt::cuda::kAttributeMultiprocessorCount, 4},
                                     {vrt::cuda::kAttributeIntegrated, setting("VRT_FAKE_INTEGRATED", 0)},
                                     {vrt::cuda::kAttributeMemoryPoolsSupported, setting("VRT_FAKE_POOLS", 1)}};
    const auto known = values.find(attribute);
    *value = known == values.end() ? 0 : known->second;
    return Result{0};
  });
}
Result cuDevicePrimaryCtxRetain(CUctx_st** context, DeviceId device) {
  return call("cuDevicePrimaryCtxRetain", [&] {
    *context = &fake().contexts.at(static_cast<std::size_t>(device));
    (*context)->device = device;
    fake().live.insert(*context);
    return Result{0};
  });
}
Result cuDevicePrimaryCtxRelease_v2(DeviceId device) {
  return call("cuDevicePrimaryCtxRelease_v2", [&] {
    return fake().live.erase(&fake().contexts.at(static_cast<std::size_t>(device))) == 0 ? kErrorInvalidContext
                                                                                         : Result{0};
  });
}
// Not logged: they stand in the path of every other call.
Result cuCtxGetCurrent(CUctx_st** context) {
  const std::lock_guard lock(fake().mutex);
  if (const Result planned = failure_of("cuCtxGetCurrent", nullptr); planned != 0) return planned;
  return *context = current_context, 0;
}
Result cuCtxSetCurrent(CUctx_st* context) {
  const std::lock_guard lock(fake().mutex);
  if (const Result planned = failure_of("cuCtxSetCurrent", nullptr); planned != 0) return planned;
  return current_context = context, 0;
}

Result cuStreamCreate(CUstream_st** stream, unsigned flags) { return create("cuStreamCreate", stream, flags); }
Result cuStreamDestroy_v2(CUstream_st* stream) { return destroy("cuStreamDestroy_v2", stream); }
Result cuStreamSynchronize(CUstream_st* stream) {
  const Result planned = call("cuStreamSynchronize", [] { return Result{0}; }, context_of(stream));
  if (planned == 0 && !is_default(stream)) stream->queue.wait();
  return planned;
}
Result cuStreamQuery(CUstream_st* stream) {
  return call(
      "cuStreamQuery",
      [&] { return is_default(stream) || stream->queue.is_idle() ? Result{0} : vrt::cuda::kErrorNotReady; },
      context_of(stream));
}
Result cuStreamGetCtx(CUstream_st* stream, CUctx_st** context) {
  return call("cuStreamGetCtx", [&] { return *context = context_of(stream), Result{0}; });
}
Result cuStreamWaitEvent(CUstream_st* stream, CUevent_st* event, unsigned) {
  return call("cuStreamWaitEvent", [&] {
    fake().waits.emplace_back(event->recorded_on, stream);
    if (event->point == nullptr || is_default(stream)) return Result{0};
    return enqueue(stream, [point = event->point] { point->wait(); });
  });
}

Result cuEventCreate(CUevent_st** event, unsigned flags) { return create("cuEventCreate", event, flags); }
Result cuEventDestroy_v2(CUevent_st* event) { return destroy("cuEventDestroy_v2", event); }
Result cuEventRecord(CUevent_st* event, CUstream_st* stream) {
  return call("cuEventRecord", [&] {
    if (context_of(stream) != event->context) return kErrorInvalidHandle;
    event->point = std::make_shared<FakeMarker>();
    event->recorded_on = stream;
    if (is_default(stream)) return event->point->reach(), Result{0};
    return enqueue(stream, [point = event->point] { point->reach(); });
  });
}
Result cuEventQuery(CUevent_st* event) {
  return call(
      "cuEventQuery", [&] { return is_reached(event) ? Result{0} : vrt::cuda::kErrorNotReady; }, event->context);
}
Result cuEventSynchronize(CUevent_st* event) {
  std::shared_ptr<FakeMarker> point;
  const Result planned = call("cuEventSynchronize", [&] { return point = event->point, Result{0}; }, event->context);
  if (planned == 0 && point != nullptr) point->wait();
  return planned;
}
Result cuEventElapsedTime(float* milliseconds, CUevent_st* start, CUevent_st* end) {
  return call("cuEventElapsedTime", [&] {
    if (const int planned = setting("VRT_FAKE_ELAPSED", 0); planned != 0) return Result{planned};
    if (start->point == nullptr || end->point == nullptr) return kErrorInvalidHandle;
    if (!is_reached(start) || !is_reached(end)) return vrt::cuda::kErrorNotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(end->point->time() - start->point->time()).count();
    return Result{0};
  });
}

Result cuMemAlloc_v2(DevicePointer* memory, std::size_t bytes) {
  return call("cuMemAlloc_v2", [&] { return allocate(reinterpret_cast<void**>(memory), bytes); });
}
Result cuMemFree_v2(DevicePointer memory) {
  return call("cuMemFree_v2", [&] { return release(host(memory)); });
}
Result cuMemHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  return call("cuMemHostAlloc", [&] { return fake().log.back().flags = flags, allocate(memory, bytes); });
}
Result cuMemFreeHost(void* memory) {
  return call("cuMemFreeHost", [&] { return release(memory); });
}
Result cuMemHostGetDevicePointer_v2(DevicePointer* view, void* memory, unsigned) {
  return call("cuMemHostGetDevicePointer_v2",
              [&] { return *view = reinterpret_cast<DevicePointer>(memory), Result{0}; });
}
Result cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, CUstream_st* stream) {
  return enqueue_copy("cuMemcpyHtoDAsync_v2", stream, host(to), from, bytes);
}
Result cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, CUstream_st* stream) {
  return enqueue_copy("cuMemcpyDtoHAsync_v2", stream, to, host(from), bytes);
}
Result cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes, CUstream_st* stream) {
  return enqueue_copy("cuMemcpyDtoDAsync_v2", stream, host(to), host(from), bytes);
}
Result cuMemsetD8Async(DevicePointer to, unsigned char value, std::size_t bytes, CUstream_st* stream) {
  return call("cuMemsetD8Async", [&] { return enqueue(stream, [=] { std::memset(host(to), value, bytes); }); });
}

Result cuModuleLoadData(CUmod_st** module, const void*) { return create("cuModuleLoadData", module); }
Result cuModuleUnload(CUmod_st* module) { return destroy("cuModuleUnload", module); }
Result cuModuleGetFunction(CUfunc_st** function, CUmod_st* module, const char* name) {
  return call("cuModuleGetFunction", [&] {
    auto& known = fake().functions[{module->context, name}];
    if (known == nullptr) known = std::make_unique<CUfunc_st>(CUfunc_st{module->context});
    *function = known.get();
    return Result{0};
  });
}
Result cuFuncSetAttribute(CUfunc_st*, Enum, int) {
  return call("cuFuncSetAttribute", [] { return Result{0}; });
}
Result cuLaunchKernel(CUfunc_st* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      CUstream_st* stream, void**, void**) {
  return call("cuLaunchKernel", [&] {
    if (current_context == nullptr) return kErrorInvalidContext;
    if (current_context != context_of(stream)) return kErrorInvalidHandle;
    if (function == nullptr || function->context != current_context) return kErrorInvalidHandle;
    return enqueue(stream, [] {}, true);
  });
}
Result cuLaunchHostFunc(CUstream_st* stream, void (*function)(void*), void* argument) {
  const Result planned = call("cuLaunchHostFunc", [] { return Result{0}; }, context_of(stream));
  // Not under the lock: the function may be slow, and wait for what another thread asks of the driver.
  return planned != 0 ? planned : enqueue(stream, [=] { function(argument); });
}

Result cuStreamBeginCapture_v2(CUstream_st* stream, Enum) {
  return call("cuStreamBeginCapture_v2", [&] { return stream->capture = std::make_unique<CUgraph_st>(), Result{0}; });
}
Result cuStreamEndCapture(CUstream_st* stream, CUgraph_st** graph) {
  return call("cuStreamEndCapture", [&] {
    *graph = stream->capture.release();
    fake().live.insert(*graph);
    return Result{0};
  });
}
Result cuStreamGetCaptureInfo_v2(CUstream_st* stream, Enum* status, unsigned long long*, CUgraph_st**,
                                 CUgraphNode_st* const** nodes, std::size_t* count) {
  return call("cuStreamGetCaptureInfo_v2", [&] {
    *status = stream->capture == nullptr ? 0 : 1;
    *nodes = &stream->last;
    *count = stream->last == nullptr ? 0 : 1;
    return Result{0};
  });
}
Result cuGraphInstantiateWithFlags(CUgraphExec_st** executable, CUgraph_st* graph, unsigned long long) {
  const Result result = create("cuGraphInstantiateWithFlags", executable);
  if (result == 0) (*executable)->graph = graph;
  return result;
}
Result cuGraphExecKernelNodeSetParams_v2(CUgraphExec_st*, CUgraphNode_st* node, const vrt::cuda::KernelNodeParams*) {
  return call("cuGraphExecKernelNodeSetParams_v2",
              [&] { return node->is_kernel ? Result{0} : vrt::cuda::kErrorInvalidValue; });
}
Result cuGraphLaunch(CUgraphExec_st* executable, CUstream_st* stream) {
  const Result planned = call("cuGraphLaunch", [] { return Result{0}; });
  if (planned != 0) return planned;
  return enqueue(stream, [executable] {
    const std::lock_guard lock(executable->runs);
    for (const auto& node : executable->graph->nodes) node->run();
  });
}
Result cuGraphExecDestroy(CUgraphExec_st* executable) { return destroy("cuGraphExecDestroy", executable); }
#if !defined(VRT_FAKE_INCOMPLETE_DRIVER)
Result cuGraphDestroy(CUgraph_st* graph) { return destroy("cuGraphDestroy", graph); }
#endif

#if !defined(VRT_FAKE_OLD_DRIVER)
Result cuDeviceGetPCIBusId(char* text, int capacity, DeviceId device) {
  return call("cuDeviceGetPCIBusId", [&] {
    std::snprintf(text, static_cast<std::size_t>(capacity), "0000:%02X:00.0", 0x3B + device);
    return Result{0};
  });
}
Result cuMemAllocAsync(DevicePointer* memory, std::size_t bytes, CUstream_st*) {
  return call("cuMemAllocAsync", [&] { return allocate(reinterpret_cast<void**>(memory), bytes); });
}
Result cuMemFreeAsync(DevicePointer memory, CUstream_st* stream) {
  return call("cuMemFreeAsync", [&] {
    if (fake().live.erase(host(memory)) == 0) return vrt::cuda::kErrorInvalidValue;
    return enqueue(stream, [memory] { std::free(host(memory)); });
  });
}
Result cuDeviceGetDefaultMemPool(CUmemPoolHandle_st** pool, DeviceId) {
  return call("cuDeviceGetDefaultMemPool", [&] { return *pool = &fake().pool, Result{0}; });
}
Result cuMemPoolSetAttribute(CUmemPoolHandle_st*, Enum, void*) {
  return call("cuMemPoolSetAttribute", [] { return Result{0}; });
}
#if !defined(VRT_FAKE_MIDDLE_DRIVER)
// Every kernel takes two pointers, a float and an int32_t.
Result cuFuncGetParamInfo(CUfunc_st*, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return call("cuFuncGetParamInfo", [&] {
    constexpr std::array<std::size_t, 4> kBytes{8, 8, 4, 4};
    constexpr std::array<std::size_t, 4> kOffsets{0, 8, 16, 20};
    if (index >= kBytes.size()) return vrt::cuda::kErrorInvalidValue;
    *offset = kOffsets[index];
    *bytes = kBytes[index];
    return Result{0};
  });
}
#endif
// What later drivers call cuX_v2 is found as cuX, as in the real one. "cuFakeSum" is a function without an exported name.
Result cuGetProcAddress_v2(const char* symbol, void** function, int, std::uint64_t, int* status) {
  return call("cuGetProcAddress_v2", [&] {
    static void* const self = dlopen(own_path(), RTLD_NOW | RTLD_NOLOAD);
    *function = std::strcmp(symbol, "cuFakeSum") == 0 ? reinterpret_cast<void*>(hidden_sum) : nullptr;
    for (const char* suffix : {"_v2", ""})
      if (*function == nullptr) *function = dlsym(self, (std::string(symbol) + suffix).c_str());
    if (status != nullptr) *status = *function == nullptr ? 1 : 0;
    return *function == nullptr ? kErrorNotFound : Result{0};
  });
}
#endif

}  // extern "C"
