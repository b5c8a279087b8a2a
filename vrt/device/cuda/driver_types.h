// Internal: The part of the CUDA driver's binary interface that vrt uses, declared by vrt itself: nothing of CUDA is
// needed to build.
// Opaque handles carry the driver's own tag names, so that a test can compare every signature with a real cuda.h.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUctx_st;
struct CUstream_st;
struct CUevent_st;
struct CUmod_st;
struct CUfunc_st;
struct CUgraph_st;
struct CUgraphNode_st;
struct CUgraphExec_st;
struct CUmemPoolHandle_st;
struct CUkern_st;

namespace vrt::cuda {

/// CUresult: 0 is success.
using Result = int;
/// CUdevice: the driver's number of a device.
using DeviceId = int;
/// CUdeviceptr.
using DevicePointer = unsigned long long;
/// CUstreamCaptureStatus and the other enumerations that cross the interface.
using Enum = int;

inline constexpr Result kSuccess = 0;
inline constexpr Result kErrorInvalidValue = 1;
inline constexpr Result kErrorOutOfMemory = 2;
inline constexpr Result kErrorDeinitialized = 4;
inline constexpr Result kErrorStubLibrary = 34;
inline constexpr Result kErrorNoDevice = 100;
inline constexpr Result kErrorEccUncorrectable = 214;
inline constexpr Result kErrorNotReady = 600;
inline constexpr Result kErrorIllegalAddress = 700;
inline constexpr Result kErrorLaunchTimeout = 702;
inline constexpr Result kErrorAssert = 710;
inline constexpr Result kErrorHardwareStack = 714;
inline constexpr Result kErrorIllegalInstruction = 715;
inline constexpr Result kErrorMisalignedAddress = 716;
inline constexpr Result kErrorInvalidAddressSpace = 717;
inline constexpr Result kErrorInvalidPc = 718;
inline constexpr Result kErrorLaunchFailed = 719;

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr unsigned kHostAllocPortable = 1;
inline constexpr unsigned kHostAllocDeviceMap = 2;
inline constexpr Enum kCaptureModeRelaxed = 2;
inline constexpr Enum kCaptureStatusNone = 0;

inline constexpr Enum kAttributeMultiprocessorCount = 16;
inline constexpr Enum kAttributeIntegrated = 18;
inline constexpr Enum kAttributeComputeMajor = 75;
inline constexpr Enum kAttributeComputeMinor = 76;
inline constexpr Enum kAttributeMemoryPoolsSupported = 115;
inline constexpr Enum kFunctionAttributeMaxDynamicSharedSizeBytes = 8;
inline constexpr Enum kMemPoolAttributeReleaseThreshold = 4;

/// CUDA_KERNEL_NODE_PARAMS_v2.
struct KernelNodeParams {
  CUfunc_st* function;
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  void** parameters;
  void** extra;
  CUkern_st* kernel;
  CUctx_st* context;
};

}  // namespace vrt::cuda
