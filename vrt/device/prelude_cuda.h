// Put before each .cu when it is compiled for a GPU, by NVRTC (which finds no standard header) or by nvcc (in a test).
// Only what CUDA C itself lacks.
#pragma once

#if defined(__CUDACC_RTC__)
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef unsigned long size_t;
static_assert(sizeof(int64_t) == 8, "vrt's kernels expect 64-bit long, as on Linux");
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define INFINITY __int_as_float(0x7F800000)
#define NAN __int_as_float(0x7FFFFFFF)
#else
#include <cfloat>
#include <cmath>
#include <cstdint>
#endif

/// Marks faster ways that only a GPU has: word loads that reach past a buffer, inline PTX. The host builds leave it undefined.
#define VRT_ON_GPU 1

/// Around the structs that kernels take as parameters: on the host they become the C++ types of the launch.
#define VRT_SHARED_TYPES_BEGIN
#define VRT_SHARED_TYPES_END

/// The block's dynamic shared memory, as `type* name`. At most one a kernel; carve further arrays out of it.
#define VRT_DYNAMIC_SHARED(type, name)                                \
  extern __shared__ __align__(16) unsigned char vrt_dynamic_shared[]; \
  type* const name = reinterpret_cast<type*>(vrt_dynamic_shared)
