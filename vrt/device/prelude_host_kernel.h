// CUDA's keywords for a .cu that is compiled into plain loops; generated files include it last, just before the kernel's text.
// (A *_host.cpp does not see these.)
#pragma once

#include "vrt/device/prelude_host.h"

// NOLINTBEGIN: CUDA's names.
#define VRT_SHARED_TYPES_BEGIN
#define VRT_SHARED_TYPES_END
// The generator turns `extern "C" __global__ void name(` into `VRT_KERNEL_THREAD void vrt_thread_name(VRT_KERNEL_INDICES`.
#define VRT_KERNEL_THREAD static inline __attribute__((always_inline))
#define VRT_KERNEL_INDICES [[maybe_unused]] const VrtThread vrt_thread
// A helper is inlined too, else the loop around it would not vectorise. It cannot see the indices: pass what it needs.
#define __device__ __attribute__((always_inline, unused))
#define __forceinline__ inline
#define __constant__ static const
#define threadIdx vrt_thread.thread_index
#define blockIdx vrt_thread.block_index
#define blockDim vrt_thread.block_size
#define gridDim vrt_thread.grid_size
// NOLINTEND
