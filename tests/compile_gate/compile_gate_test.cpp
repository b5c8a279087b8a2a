#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/device/cuda/nvrtc.h"
#include "vrt/device/cuda/prelude.h"
#include "vrt/device/kernel.h"
#include "vrt/image/preprocess_cu.h"
#include "vrt/models/centerface/centerface_collect_cu.h"
#include "vrt/models/centerface/centerface_decode_cu.h"
#include "vrt/models/common/nms_mask_cu.h"
#include "vrt/models/common/nms_reduce_cu.h"
#include "vrt/models/common/rank_candidates_cu.h"

namespace vrt {
namespace {

using ::testing::HasSubstr;

const std::vector<const KernelSource*>& sources() {
  static const std::vector<const KernelSource*> all{&kernels::preprocess_cu,        &kernels::centerface_collect_cu,
                                                    &kernels::centerface_decode_cu, &kernels::nms_mask_cu,
                                                    &kernels::nms_reduce_cu,        &kernels::rank_candidates_cu};
  return all;
}

const cuda::Nvrtc& compiler(int major) {
  static const cuda::Nvrtc twelve(VRT_TEST_NVRTC12);
  static const cuda::Nvrtc thirteen(VRT_TEST_NVRTC13);
  return major == 12 ? twelve : thirteen;
}

std::string with_prelude(std::string_view text) {
  return std::string(cuda::prelude_text()) + "#line 1 \"source.cu\"\n" + std::string(text);
}

struct Target {
  int nvrtc_major;
  int architecture;
};

class CompileGateTest : public ::testing::TestWithParam<std::tuple<Target, const KernelSource*>> {};

TEST_P(CompileGateTest, MakesMachineCodeWithoutAWarning) {
  const auto& [target, source] = GetParam();
  const auto compiled = compiler(target.nvrtc_major)
                            .compile(std::string(source->file), with_prelude(source->text), target.architecture, {});
  EXPECT_EQ(compiled.target, "sm_" + std::to_string(target.architecture));
  EXPECT_EQ(compiled.image.substr(0, 4),
            "\x7f"
            "ELF");
  EXPECT_EQ(compiled.log, "");
  for (const HostKernel& kernel : source->host_baseline) EXPECT_THAT(compiled.image, HasSubstr(kernel.name));
}

// What JetPack 6 has (12.6) and what JetPack 7 and today's drivers have (13).
INSTANTIATE_TEST_SUITE_P(Kernels, CompileGateTest,
                         ::testing::Combine(::testing::Values(Target{12, 75}, Target{12, 80}, Target{12, 86},
                                                              Target{12, 87}, Target{12, 89}, Target{12, 90},
                                                              Target{13, 75}, Target{13, 80}, Target{13, 86},
                                                              Target{13, 87}, Target{13, 89}, Target{13, 90},
                                                              Target{13, 100}, Target{13, 110}, Target{13, 120}),
                                            ::testing::ValuesIn(sources())),
                         [](const auto& tested) {
                           const Target target = std::get<0>(tested.param);
                           std::string name = "nvrtc" + std::to_string(target.nvrtc_major) + "_sm" +
                                              std::to_string(target.architecture) + "_";
                           for (const char c : std::get<1>(tested.param)->file) name += c == '/' || c == '.' ? '_' : c;
                           return name;
                         });

TEST(NvrtcTest, TheSameSourceGivesTheSameBytes) {
  const std::string source = with_prelude(kernels::preprocess_cu.text);
  EXPECT_EQ(compiler(12).compile("preprocess.cu", source, 90, {}).image,
            compiler(12).compile("preprocess.cu", source, 90, {}).image);
}

TEST(NvrtcTest, AnArchitectureItDoesNotKnowGetsPtxOfTheNewestBelow) {
  const auto compiled = compiler(12).compile("nms.cu", with_prelude(kernels::nms_mask_cu.text), 120, {});
  EXPECT_EQ(compiled.target, "compute_90");
  EXPECT_THAT(compiled.image, HasSubstr(".target sm_90"));
}

TEST(NvrtcTest, RefusedOptionsAreNamedWithTheCompiler) {
  const std::vector<std::string> wrong{"--no-such-option"};
  try {
    static_cast<void>(compiler(12).compile("nms.cu", with_prelude(kernels::nms_mask_cu.text), 90, wrong));
    FAIL() << "compiled";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBackend);
    EXPECT_THAT(error.what(), HasSubstr("--no-such-option"));
    EXPECT_THAT(error.what(), HasSubstr("--gpu-architecture=sm_90"));
    EXPECT_THAT(error.what(), HasSubstr("CUDA 12.6"));
    EXPECT_THAT(error.what(), HasSubstr(VRT_TEST_NVRTC12));
  }
}

}  // namespace
}  // namespace vrt
