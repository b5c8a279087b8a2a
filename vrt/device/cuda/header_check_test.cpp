// Every driver function and enumerator that vrt declares itself, compared with a real cuda.h when this is compiled. Built
// once for each cuda.h that the configuration found; a mismatch does not compile.
#define __CUDA_API_VERSION_INTERNAL  // NOLINT: shows the prototypes of every version under their own names
#include <cuda.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "vrt/device/cuda/driver_api.h"
#include "vrt/device/cuda/header_check.h"

// Each member of DriverApi with the function that it stands for, in the order of declaration.
#define VRT_ENTRY_POINTS(X)                                               \
  X(init, cuInit)                                                         \
  X(driver_get_version, cuDriverGetVersion)                               \
  X(get_error_name, cuGetErrorName)                                       \
  X(get_error_string, cuGetErrorString)                                   \
  X(device_get_count, cuDeviceGetCount)                                   \
  X(device_get, cuDeviceGet)                                              \
  X(device_get_name, cuDeviceGetName)                                     \
  X(device_get_pci_bus_id, cuDeviceGetPCIBusId)                           \
  X(device_total_mem, cuDeviceTotalMem_v2)                                \
  X(device_get_attribute, cuDeviceGetAttribute)                           \
  X(primary_context_retain, cuDevicePrimaryCtxRetain)                     \
  X(primary_context_release, cuDevicePrimaryCtxRelease_v2)                \
  X(context_get_current, cuCtxGetCurrent)                                 \
  X(context_set_current, cuCtxSetCurrent)                                 \
  X(stream_create, cuStreamCreate)                                        \
  X(stream_destroy, cuStreamDestroy_v2)                                   \
  X(stream_synchronize, cuStreamSynchronize)                              \
  X(stream_query, cuStreamQuery)                                          \
  X(stream_get_context, cuStreamGetCtx)                                   \
  X(stream_wait_event, cuStreamWaitEvent)                                 \
  X(event_create, cuEventCreate)                                          \
  X(event_destroy, cuEventDestroy_v2)                                     \
  X(event_record, cuEventRecord)                                          \
  X(event_query, cuEventQuery)                                            \
  X(event_synchronize, cuEventSynchronize)                                \
  X(event_elapsed_time, cuEventElapsedTime)                               \
  X(mem_alloc, cuMemAlloc_v2)                                             \
  X(mem_free, cuMemFree_v2)                                               \
  X(mem_alloc_async, cuMemAllocAsync)                                     \
  X(mem_free_async, cuMemFreeAsync)                                       \
  X(device_get_default_mem_pool, cuDeviceGetDefaultMemPool)               \
  X(mem_pool_set_attribute, cuMemPoolSetAttribute)                        \
  X(mem_host_alloc, cuMemHostAlloc)                                       \
  X(mem_free_host, cuMemFreeHost)                                         \
  X(mem_host_get_device_pointer, cuMemHostGetDevicePointer_v2)            \
  X(memcpy_to_device_async, cuMemcpyHtoDAsync_v2)                         \
  X(memcpy_to_host_async, cuMemcpyDtoHAsync_v2)                           \
  X(memcpy_on_device_async, cuMemcpyDtoDAsync_v2)                         \
  X(memset_async, cuMemsetD8Async)                                        \
  X(module_load_data, cuModuleLoadData)                                   \
  X(module_unload, cuModuleUnload)                                        \
  X(module_get_function, cuModuleGetFunction)                             \
  X(function_set_attribute, cuFuncSetAttribute)                           \
  X(function_get_param_info, cuFuncGetParamInfo)                          \
  X(launch_kernel, cuLaunchKernel)                                        \
  X(launch_host_function, cuLaunchHostFunc)                               \
  X(stream_begin_capture, cuStreamBeginCapture_v2)                        \
  X(stream_end_capture, cuStreamEndCapture)                               \
  X(stream_get_capture_info, cuStreamGetCaptureInfo_v2)                   \
  X(graph_instantiate, cuGraphInstantiateWithFlags)                       \
  X(graph_exec_kernel_node_set_params, cuGraphExecKernelNodeSetParams_v2) \
  X(graph_launch, cuGraphLaunch)                                          \
  X(graph_exec_destroy, cuGraphExecDestroy)                               \
  X(graph_destroy, cuGraphDestroy)

// Each constant of driver_types.h with the enumerator or macro that it stands for.
#define VRT_CONSTANTS(X)                                                                          \
  X(kSuccess, CUDA_SUCCESS)                                                                       \
  X(kErrorInvalidValue, CUDA_ERROR_INVALID_VALUE)                                                 \
  X(kErrorOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY)                                                  \
  X(kErrorDeinitialized, CUDA_ERROR_DEINITIALIZED)                                                \
  X(kErrorStubLibrary, CUDA_ERROR_STUB_LIBRARY)                                                   \
  X(kErrorNoDevice, CUDA_ERROR_NO_DEVICE)                                                         \
  X(kErrorEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE)                                         \
  X(kErrorNotReady, CUDA_ERROR_NOT_READY)                                                         \
  X(kErrorIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS)                                             \
  X(kErrorLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT)                                               \
  X(kErrorAssert, CUDA_ERROR_ASSERT)                                                              \
  X(kErrorHardwareStack, CUDA_ERROR_HARDWARE_STACK_ERROR)                                         \
  X(kErrorIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION)                                     \
  X(kErrorMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS)                                       \
  X(kErrorInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE)                                  \
  X(kErrorInvalidPc, CUDA_ERROR_INVALID_PC)                                                       \
  X(kErrorLaunchFailed, CUDA_ERROR_LAUNCH_FAILED)                                                 \
  X(kStreamNonBlocking, CU_STREAM_NON_BLOCKING)                                                   \
  X(kEventDisableTiming, CU_EVENT_DISABLE_TIMING)                                                 \
  X(kHostAllocPortable, CU_MEMHOSTALLOC_PORTABLE)                                                 \
  X(kHostAllocDeviceMap, CU_MEMHOSTALLOC_DEVICEMAP)                                               \
  X(kCaptureModeRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED)                                          \
  X(kCaptureStatusNone, CU_STREAM_CAPTURE_STATUS_NONE)                                            \
  X(kAttributeMultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)                      \
  X(kAttributeIntegrated, CU_DEVICE_ATTRIBUTE_INTEGRATED)                                         \
  X(kAttributeComputeMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)                         \
  X(kAttributeComputeMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)                         \
  X(kAttributeMemoryPoolsSupported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)                   \
  X(kFunctionAttributeMaxDynamicSharedSizeBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) \
  X(kMemPoolAttributeReleaseThreshold, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)

namespace vrt::cuda {
namespace {

using testing::IsCalledAlike;

template <typename Entry>
struct SignatureOf;
template <typename Signature>
struct SignatureOf<EntryPoint<Signature>> {
  using Type = Signature;
};

// NOLINTBEGIN(bugprone-macro-parentheses,cppcoreguidelines-macro-usage): names of members and of functions
#define VRT_CHECK_ENTRY_POINT(member, function)                                                             \
  static_assert(IsCalledAlike<SignatureOf<decltype(DriverApi::member)>::Type, decltype(::function)>::value, \
                "driver_api.h declares " #function " otherwise than cuda.h");
VRT_ENTRY_POINTS(VRT_CHECK_ENTRY_POINT)

#define VRT_CHECK_CONSTANT(ours, theirs) \
  static_assert(static_cast<std::int64_t>(ours) == static_cast<std::int64_t>(theirs), #ours " is not " #theirs);
VRT_CONSTANTS(VRT_CHECK_CONSTANT)

static_assert(sizeof(DeviceId) == sizeof(CUdevice) && sizeof(DevicePointer) == sizeof(CUdeviceptr));

#define VRT_CHECK_FIELD(ours, theirs)                                                               \
  static_assert(offsetof(KernelNodeParams, ours) == offsetof(CUDA_KERNEL_NODE_PARAMS_v2, theirs) && \
                    sizeof(KernelNodeParams::ours) == sizeof(CUDA_KERNEL_NODE_PARAMS_v2::theirs),   \
                "KernelNodeParams::" #ours " lies elsewhere than CUDA_KERNEL_NODE_PARAMS_v2::" #theirs);
VRT_CHECK_FIELD(function, func)
VRT_CHECK_FIELD(grid_x, gridDimX)
VRT_CHECK_FIELD(grid_y, gridDimY)
VRT_CHECK_FIELD(grid_z, gridDimZ)
VRT_CHECK_FIELD(block_x, blockDimX)
VRT_CHECK_FIELD(block_y, blockDimY)
VRT_CHECK_FIELD(block_z, blockDimZ)
VRT_CHECK_FIELD(shared_bytes, sharedMemBytes)
VRT_CHECK_FIELD(parameters, kernelParams)
VRT_CHECK_FIELD(extra, extra)
VRT_CHECK_FIELD(kernel, kern)
VRT_CHECK_FIELD(context, ctx)
// NOLINTEND(bugprone-macro-parentheses,cppcoreguidelines-macro-usage)

TEST(HeaderCheckTest, ComparesEveryEntryPointOfTheListUnderItsOwnName) {
  const DriverApi api(nullptr, "");
  std::vector<std::string> compared;
#define VRT_ADD_NAME(member, function)          \
  EXPECT_STREQ(api.member.symbol(), #function); \
  compared.emplace_back(#function);
  VRT_ENTRY_POINTS(VRT_ADD_NAME)
  std::vector<std::string> declared;
  for (const EntryPointInfo& entry : api.entries()) declared.emplace_back(entry.symbol);
  EXPECT_EQ(compared, declared);
}

TEST(HeaderCheckTest, ComparesEveryConstant) {
  std::set<std::string> declared;
  std::ifstream header(VRT_SOURCE_DIR "/vrt/device/cuda/driver_types.h");
  const std::regex constant(R"(^inline constexpr \w+ (k\w+) = )");
  std::smatch found;
  for (std::string line; std::getline(header, line);) {
    if (std::regex_search(line, found, constant)) declared.insert(found[1]);
  }
  std::set<std::string> compared;
#define VRT_ADD_CONSTANT(ours, theirs) compared.insert(#ours);
  VRT_CONSTANTS(VRT_ADD_CONSTANT)
  EXPECT_GT(declared.size(), 20U);
  EXPECT_EQ(compared, declared);
}

// That the comparison can fail.
enum TheirEnum : int { kTheirs };
enum class WideEnum : std::int64_t { kWide };
static_assert(IsCalledAlike<int(unsigned, float*), TheirEnum(unsigned, float*)>::value);
static_assert(IsCalledAlike<int(int*), int(TheirEnum*)>::value);
static_assert(!IsCalledAlike<int(unsigned), int(unsigned, unsigned)>::value);
static_assert(!IsCalledAlike<int(unsigned), int(std::size_t)>::value);
static_assert(!IsCalledAlike<int(int), int(WideEnum)>::value);
static_assert(!IsCalledAlike<int(float*), int(double*)>::value);
static_assert(!IsCalledAlike<int(float*), int(float**)>::value);
static_assert(!IsCalledAlike<int(float), int(int)>::value);
static_assert(!IsCalledAlike<int(CUstream_st*), int(CUevent_st*)>::value);

}  // namespace
}  // namespace vrt::cuda
