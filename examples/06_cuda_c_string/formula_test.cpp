// The lesson's string compiles with the real NVRTC, on a machine without a GPU.
#include "examples/06_cuda_c_string/formula.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/device/cuda/nvrtc.h"

namespace {

using ::testing::HasSubstr;

class FormulaTest : public ::testing::TestWithParam<const char*> {};

TEST_P(FormulaTest, CompilesForAJetsonAndAServer) {
  const vrt::cuda::Nvrtc compiler(GetParam());
  const auto build = vrt::cuda::production_build("formula.cu", formula_source("a * sqrtf(x) + 1.0f"));
  for (const int architecture : {87, 90}) {
    const auto compiled = compiler.compile(build, architecture);
    EXPECT_EQ(compiled.target, "sm_" + std::to_string(architecture));
    EXPECT_EQ(compiled.log, "");
    EXPECT_THAT(compiled.image, HasSubstr("formula"));
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, FormulaTest, ::testing::Values(VRT_TEST_NVRTC12, VRT_TEST_NVRTC13));

}  // namespace
