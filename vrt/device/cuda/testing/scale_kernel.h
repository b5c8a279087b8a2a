// Internal: For tests: a kernel given as a string.
#pragma once

#include <cstdint>

#include "vrt/device/kernel.h"

namespace vrt::cuda::testing {

inline constexpr const char* kScaleSource = R"(
extern "C" __global__ void scale(const float* __restrict__ in, float* __restrict__ out, float factor, int32_t n) {
  const int32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __ldg(in + i) * factor;
}
)";
using Scale = void(DeviceSpan<const float>, DeviceSpan<float>, float, std::int32_t);

inline KernelModule scale_module(Device device) { return KernelModule::compile(device, "scale.cu", kScaleSource); }

inline Kernel<Scale> scale_on(Device device) { return scale_module(device).get<Scale>("scale"); }

}  // namespace vrt::cuda::testing
