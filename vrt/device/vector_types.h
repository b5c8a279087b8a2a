// CUDA's small vector types, for the host. On the device they are built in. Data only: several instruction sets share them.
#pragma once

#include <cstdint>

namespace vrt::kernels {

// NOLINTBEGIN(readability-identifier-naming): CUDA's names.
struct alignas(2) char2 {
  signed char x, y;
};
struct alignas(4) char4 {
  signed char x, y, z, w;
};
struct alignas(2) uchar2 {
  unsigned char x, y;
};
struct uchar3 {
  unsigned char x, y, z;
};
struct alignas(4) uchar4 {
  unsigned char x, y, z, w;
};
struct alignas(4) short2 {
  short x, y;
};
struct alignas(8) short4 {
  short x, y, z, w;
};
struct alignas(4) ushort2 {
  unsigned short x, y;
};
struct alignas(8) ushort4 {
  unsigned short x, y, z, w;
};
struct int3 {
  int x, y, z;
};
struct uint3 {
  unsigned x, y, z;
};
struct float3 {
  float x, y, z;
};
struct alignas(8) int2 {
  int x, y;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
// NOLINTEND(readability-identifier-naming)

}  // namespace vrt::kernels
