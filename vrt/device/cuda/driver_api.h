// Internal: The one list of driver entry points: name, signature, whether vrt can do without, since which CUDA version
// it exists.
// Each is resolved on first use under the exact name of its prototype's version. All that CUDA 12.0 has are required but those that vrt
// can do without; a missing optional one is a capability that the machine does not have.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vrt/device/cuda/driver_types.h"

namespace vrt::cuda {

/// As cuDriverGetVersion counts: 1000 times the major version plus 10 times the minor.
inline constexpr int kLeastDriverVersion = 12000;

/// What the list says of an entry point.
struct EntryPointInfo {
  const char* symbol;
  bool required;
  int since;  ///< The CUDA version of an optional one; kLeastDriverVersion or less for the required.
};

/// The version since which an optional entry point exists.
struct Since {
  int version;
};

class DriverApi;

namespace loading {
void add_to_list(DriverApi& api, const EntryPointInfo& info);
[[nodiscard]] void* look_up(const DriverApi& api, const EntryPointInfo& info);
[[noreturn]] void throw_missing(const DriverApi& api, const EntryPointInfo& info);
}  // namespace loading

template <typename Signature>
class EntryPoint;

/// One function of the driver. Calling it resolves it once; throws kUnavailable naming symbol, driver and least version if
/// the driver lacks it.
template <typename R, typename... Args>
class EntryPoint<R(Args...)> {
 public:
  using Function = R (*)(Args...);

  EntryPoint(DriverApi& api, const char* symbol) : EntryPoint(api, {symbol, true, kLeastDriverVersion}) {}
  EntryPoint(DriverApi& api, const char* symbol, Since since) : EntryPoint(api, {symbol, false, since.version}) {}

  R operator()(Args... args) const {
    const Function function = find();
    if (function == nullptr) loading::throw_missing(api_, info_);
    return function(args...);
  }
  [[nodiscard]] const char* symbol() const { return info_.symbol; }
  /// False if the loaded driver lacks it.
  [[nodiscard]] bool available() const { return find() != nullptr; }

 private:
  EntryPoint(DriverApi& api, EntryPointInfo info) : api_(api), info_(info) { loading::add_to_list(api, info); }

  [[nodiscard]] Function find() const {
    void* address = address_.load(std::memory_order_relaxed);
    if (address == nullptr) {
      address = loading::look_up(api_, info_);
      address_.store(address, std::memory_order_relaxed);
    }
    return reinterpret_cast<Function>(address);
  }

  const DriverApi& api_;
  EntryPointInfo info_;
  mutable std::atomic<void*> address_{nullptr};
};

/// Every driver function that vrt calls, in one loaded library.
class DriverApi {
 public:
  /// `library` is dlopen's handle and stays loaded; `path` is for messages.
  DriverApi(void* library, std::string path) : library_(library), path_(std::move(path)) {}
  DriverApi(const DriverApi&) = delete;
  DriverApi& operator=(const DriverApi&) = delete;
  ~DriverApi() = default;

  /// The list, in order of declaration.
  [[nodiscard]] std::span<const EntryPointInfo> entries() const { return list_; }
  [[nodiscard]] void* library() const { return library_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  friend void loading::add_to_list(DriverApi& api, const EntryPointInfo& info);

  void* library_;
  std::string path_;
  std::vector<EntryPointInfo> list_;

 public:
  EntryPoint<Result(unsigned)> init{*this, "cuInit"};
  EntryPoint<Result(int*)> driver_get_version{*this, "cuDriverGetVersion"};
  EntryPoint<Result(Result, const char**)> get_error_name{*this, "cuGetErrorName"};
  EntryPoint<Result(Result, const char**)> get_error_string{*this, "cuGetErrorString"};
  EntryPoint<Result(int*)> device_get_count{*this, "cuDeviceGetCount"};
  EntryPoint<Result(DeviceId*, int)> device_get{*this, "cuDeviceGet"};
  EntryPoint<Result(char*, int, DeviceId)> device_get_name{*this, "cuDeviceGetName"};
  EntryPoint<Result(char*, int, DeviceId)> device_get_pci_bus_id{*this, "cuDeviceGetPCIBusId", Since{4010}};
  EntryPoint<Result(std::size_t*, DeviceId)> device_total_mem{*this, "cuDeviceTotalMem_v2"};
  EntryPoint<Result(int*, Enum, DeviceId)> device_get_attribute{*this, "cuDeviceGetAttribute"};
  EntryPoint<Result(CUctx_st**, DeviceId)> primary_context_retain{*this, "cuDevicePrimaryCtxRetain"};
  EntryPoint<Result(DeviceId)> primary_context_release{*this, "cuDevicePrimaryCtxRelease_v2"};
  EntryPoint<Result(CUctx_st**)> context_get_current{*this, "cuCtxGetCurrent"};
  EntryPoint<Result(CUctx_st*)> context_set_current{*this, "cuCtxSetCurrent"};
  EntryPoint<Result(CUstream_st**, unsigned)> stream_create{*this, "cuStreamCreate"};
  EntryPoint<Result(CUstream_st*)> stream_destroy{*this, "cuStreamDestroy_v2"};
  EntryPoint<Result(CUstream_st*)> stream_synchronize{*this, "cuStreamSynchronize"};
  EntryPoint<Result(CUstream_st*)> stream_query{*this, "cuStreamQuery"};
  EntryPoint<Result(CUstream_st*, CUctx_st**)> stream_get_context{*this, "cuStreamGetCtx"};
  EntryPoint<Result(CUstream_st*, CUevent_st*, unsigned)> stream_wait_event{*this, "cuStreamWaitEvent"};
  EntryPoint<Result(CUevent_st**, unsigned)> event_create{*this, "cuEventCreate"};
  EntryPoint<Result(CUevent_st*)> event_destroy{*this, "cuEventDestroy_v2"};
  EntryPoint<Result(CUevent_st*, CUstream_st*)> event_record{*this, "cuEventRecord"};
  EntryPoint<Result(CUevent_st*)> event_query{*this, "cuEventQuery"};
  EntryPoint<Result(CUevent_st*)> event_synchronize{*this, "cuEventSynchronize"};
  EntryPoint<Result(float*, CUevent_st*, CUevent_st*)> event_elapsed_time{*this, "cuEventElapsedTime"};
  EntryPoint<Result(DevicePointer*, std::size_t)> mem_alloc{*this, "cuMemAlloc_v2"};
  EntryPoint<Result(DevicePointer)> mem_free{*this, "cuMemFree_v2"};
  EntryPoint<Result(DevicePointer*, std::size_t, CUstream_st*)> mem_alloc_async{*this, "cuMemAllocAsync", Since{11020}};
  EntryPoint<Result(DevicePointer, CUstream_st*)> mem_free_async{*this, "cuMemFreeAsync", Since{11020}};
  EntryPoint<Result(CUmemPoolHandle_st**, DeviceId)> device_get_default_mem_pool{*this, "cuDeviceGetDefaultMemPool",
                                                                                 Since{11020}};
  EntryPoint<Result(CUmemPoolHandle_st*, Enum, void*)> mem_pool_set_attribute{*this, "cuMemPoolSetAttribute",
                                                                              Since{11020}};
  EntryPoint<Result(void**, std::size_t, unsigned)> mem_host_alloc{*this, "cuMemHostAlloc"};
  EntryPoint<Result(void*)> mem_free_host{*this, "cuMemFreeHost"};
  EntryPoint<Result(DevicePointer*, void*, unsigned)> mem_host_get_device_pointer{*this,
                                                                                  "cuMemHostGetDevicePointer_v2"};
  EntryPoint<Result(DevicePointer, const void*, std::size_t, CUstream_st*)> memcpy_to_device_async{
      *this, "cuMemcpyHtoDAsync_v2"};
  EntryPoint<Result(void*, DevicePointer, std::size_t, CUstream_st*)> memcpy_to_host_async{*this,
                                                                                           "cuMemcpyDtoHAsync_v2"};
  EntryPoint<Result(DevicePointer, DevicePointer, std::size_t, CUstream_st*)> memcpy_on_device_async{
      *this, "cuMemcpyDtoDAsync_v2"};
  EntryPoint<Result(DevicePointer, unsigned char, std::size_t, CUstream_st*)> memset_async{*this, "cuMemsetD8Async"};
  EntryPoint<Result(CUmod_st**, const void*)> module_load_data{*this, "cuModuleLoadData"};
  EntryPoint<Result(CUmod_st*)> module_unload{*this, "cuModuleUnload"};
  EntryPoint<Result(CUfunc_st**, CUmod_st*, const char*)> module_get_function{*this, "cuModuleGetFunction"};
  EntryPoint<Result(CUfunc_st*, Enum, int)> function_set_attribute{*this, "cuFuncSetAttribute"};
  EntryPoint<Result(CUfunc_st*, std::size_t, std::size_t*, std::size_t*)> function_get_param_info{
      *this, "cuFuncGetParamInfo", Since{12040}};
  EntryPoint<Result(CUfunc_st*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream_st*,
                    void**, void**)>
      launch_kernel{*this, "cuLaunchKernel"};
  EntryPoint<Result(CUstream_st*, void (*)(void*), void*)> launch_host_function{*this, "cuLaunchHostFunc"};
  EntryPoint<Result(CUstream_st*, Enum)> stream_begin_capture{*this, "cuStreamBeginCapture_v2"};
  EntryPoint<Result(CUstream_st*, CUgraph_st**)> stream_end_capture{*this, "cuStreamEndCapture"};
  EntryPoint<Result(CUstream_st*, Enum*, unsigned long long*, CUgraph_st**, CUgraphNode_st* const**, std::size_t*)>
      stream_get_capture_info{*this, "cuStreamGetCaptureInfo_v2"};
  EntryPoint<Result(CUgraphExec_st**, CUgraph_st*, unsigned long long)> graph_instantiate{
      *this, "cuGraphInstantiateWithFlags"};
  EntryPoint<Result(CUgraphExec_st*, CUgraphNode_st*, const KernelNodeParams*)> graph_exec_kernel_node_set_params{
      *this, "cuGraphExecKernelNodeSetParams_v2"};
  EntryPoint<Result(CUgraphExec_st*, CUstream_st*)> graph_launch{*this, "cuGraphLaunch"};
  EntryPoint<Result(CUgraphExec_st*)> graph_exec_destroy{*this, "cuGraphExecDestroy"};
  EntryPoint<Result(CUgraph_st*)> graph_destroy{*this, "cuGraphDestroy"};
};

}  // namespace vrt::cuda
