// CUDA C that is put together while the program runs.
#pragma once

#include <string>

/// A kernel that computes `expression`, CUDA C in x and a, for each element of x. It is compiled behind vrt's prelude, as the kernels in
/// files are: fixed-width types and CUDA's functions are there, and no header need be included.
inline std::string formula_source(const std::string& expression) {
  return R"(
extern "C" __global__ void formula(const float* __restrict__ in, float* __restrict__ out, float a, int32_t count) {
  const int32_t i = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const float x = __ldg(in + i);
  out[i] = )" +
         expression + R"(;
}
)";
}
