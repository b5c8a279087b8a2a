#include "vrt/device/cuda/kernel_resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"

namespace vrt::cuda {
namespace {

using test::error_of;
using ::testing::HasSubstr;

TEST(KernelResourcesTest, TheReportIsReadKernelByKernel) {
  const auto kernels = resources_in(
      "ptxas info    : 8 bytes gmem, 16 bytes cmem[4]\n"
      "ptxas info    : Compiling entry function 'gather' for 'sm_87'\n"
      "ptxas info    : Function properties for gather\n"
      "ptxas         .     24 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
      "ptxas info    : Used 40 registers, used 1 barriers, 2048 bytes smem, 472 bytes cmem[0]\n"
      "ptxas info    : Compile time = 4.917 ms\n"
      "ptxas info    : Compiling entry function 'decode' for 'sm_87'\n"
      "ptxas info    : Function properties for decode\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 20 registers, used 0 barriers, 424 bytes cmem[0]\n");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].kernel, "gather");
  EXPECT_EQ(kernels[0].registers, 40U);
  EXPECT_EQ(kernels[0].shared_bytes, 2048U);
  EXPECT_EQ(kernels[0].stack_bytes, 24U);
  EXPECT_EQ(kernels[0].spill_store_bytes, 12U);
  EXPECT_EQ(kernels[0].spill_load_bytes, 16U);
  EXPECT_EQ(kernels[1].kernel, "decode");
  EXPECT_EQ(kernels[1].registers, 20U);
  EXPECT_EQ(kernels[1].shared_bytes + kernels[1].stack_bytes + kernels[1].spill_store_bytes, 0U);
}

TEST(KernelResourcesTest, WhatIsNotUnderstoodIsAnErrorNotAZero) {
  for (const char* log : {"ptxas info    : Compiling entry function 'gather' for 'sm_87'\n",
                          "ptxas info    : Compiling entry function 'gather' for 'sm_87'\n"
                          "ptxas info    : Used many registers\n",
                          "ptxas info    : Compiling entry function 'gather' for 'sm_87'\n"
                          "ptxas         .     some bytes stack frame\n"}) {
    SCOPED_TRACE(log);
    const Error error = error_of([&] { static_cast<void>(resources_in(log)); });
    EXPECT_EQ(error.code(), ErrorCode::kBackend);
    EXPECT_THAT(error.what(), HasSubstr("ptxas reports"));
  }
}

// A kernel with 4 KiB of shared memory that needs more registers than it may have.
TEST(KernelResourcesTest, SharedMemoryAndSpillsOfARealCompilerAreSeen) {
  std::string source =
      "extern \"C\" __global__ void __launch_bounds__(1024) hungry(float* out) {\n"
      "  __shared__ float tile[1024];\n  tile[threadIdx.x] = out[threadIdx.x];\n  __syncthreads();\n"
      "  float v[128];\n  _Pragma(\"unroll\") for (int i = 0; i < 128; ++i) v[i] = tile[(threadIdx.x + i * 7) & "
      "1023];\n"
      "  _Pragma(\"unroll\") for (int r = 0; r < 4; ++r)\n"
      "    _Pragma(\"unroll\") for (int i = 0; i < 128; ++i) v[i] = v[i] * v[(i * 5 + r + 1) & 127] + out[i];\n"
      "  float sum = 0;\n  _Pragma(\"unroll\") for (int i = 0; i < 128; ++i) sum += v[i];\n"
      "  out[threadIdx.x] = sum;\n}\n";
  const Nvrtc compiler(std::getenv("VRT_NVRTC"));
  const auto kernels = measure_resources(compiler, production_build("hungry.cu", source), 87);
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].kernel, "hungry");
  EXPECT_EQ(kernels[0].shared_bytes, 4096U);
  EXPECT_GT(kernels[0].registers, 16U);
  EXPECT_GT(kernels[0].spill_store_bytes, 0U);
  EXPECT_GT(kernels[0].spill_load_bytes, 0U);
}

}  // namespace
}  // namespace vrt::cuda
