// What kernels are compiled for, and by which compilers.
#pragma once

#include "vrt/device/cuda/nvrtc.h"

namespace vrt {

/// An architecture (87 for sm_87) and the NVRTC that compiles for it.
struct Target {
  int nvrtc_major;
  int architecture;
};

// What JetPack 6 has (12.6) and what JetPack 7 and today's drivers have (13).
constexpr Target kTargets[] = {{12, 75}, {12, 80}, {12, 86}, {12, 87}, {12, 89},  {12, 90},  {13, 75}, {13, 80},
                               {13, 86}, {13, 87}, {13, 89}, {13, 90}, {13, 100}, {13, 110}, {13, 120}};

/// The NVRTC of that major version; 12 or 13.
inline const cuda::Nvrtc& compiler(int major) {
  static const cuda::Nvrtc twelve(VRT_TEST_NVRTC12);
  static const cuda::Nvrtc thirteen(VRT_TEST_NVRTC13);
  return major == 12 ? twelve : thirteen;
}

}  // namespace vrt
