#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "tests/compile_gate/targets.h"
#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/device/cuda/nvrtc.h"
#include "vrt/device/cuda/prelude.h"
#include "vrt/device/kernel.h"
#include "vrt/image/preprocess_cu.h"
#include "vrt/models/common/nms_mask_cu.h"
#include "vrt/pipeline/kernel_list.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::HasSubstr;

cuda::KernelBuild build_of(const KernelSource& source) { return cuda::production_build(source.file, source.text); }

class CompileGateTest : public ::testing::TestWithParam<std::tuple<Target, const KernelSource*>> {};

TEST_P(CompileGateTest, MakesMachineCodeWithoutAWarning) {
  const auto& [target, source] = GetParam();
  const auto compiled = compiler(target.nvrtc_major).compile(build_of(*source), target.architecture);
  EXPECT_EQ(compiled.target, "sm_" + std::to_string(target.architecture));
  EXPECT_EQ(compiled.image.substr(0, 4),
            "\x7f"
            "ELF");
  EXPECT_EQ(compiled.log, "");
  for (const HostKernel& kernel : source->host_baseline) EXPECT_THAT(compiled.image, HasSubstr(kernel.name));
}

INSTANTIATE_TEST_SUITE_P(Kernels, CompileGateTest,
                         ::testing::Combine(::testing::ValuesIn(kTargets), ::testing::ValuesIn(all_kernel_sources())),
                         [](const auto& tested) {
                           const Target target = std::get<0>(tested.param);
                           std::string name = "nvrtc" + std::to_string(target.nvrtc_major) + "_sm" +
                                              std::to_string(target.architecture) + "_";
                           for (const char c : std::get<1>(tested.param)->file) name += c == '/' || c == '.' ? '_' : c;
                           return name;
                         });

TEST(NvrtcTest, TheSameSourceGivesTheSameBytes) {
  const auto build = build_of(kernels::preprocess_cu);
  EXPECT_EQ(compiler(12).compile(build, 90).image, compiler(12).compile(build, 90).image);
}

TEST(NvrtcTest, AnArchitectureItDoesNotKnowGetsPtxOfTheNewestBelow) {
  const auto compiled = compiler(12).compile(build_of(kernels::nms_mask_cu), 120);
  EXPECT_EQ(compiled.target, "compute_90");
  EXPECT_THAT(compiled.image, HasSubstr(".target sm_90"));
}

TEST(NvrtcTest, RefusedOptionsAreNamedWithTheCompiler) {
  auto build = build_of(kernels::nms_mask_cu);
  build.options.emplace_back("--no-such-option");
  const Error error = error_of([&] { static_cast<void>(compiler(12).compile(build, 90)); });
  EXPECT_EQ(error.code(), ErrorCode::kBackend);
  EXPECT_THAT(error.what(), HasSubstr("--no-such-option"));
  EXPECT_THAT(error.what(), HasSubstr("--gpu-architecture=sm_90"));
  EXPECT_THAT(error.what(), HasSubstr("CUDA 12.6"));
  EXPECT_THAT(error.what(), HasSubstr(VRT_TEST_NVRTC12));
}

}  // namespace
}  // namespace vrt
