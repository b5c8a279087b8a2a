// Every NVRTC function that vrt declares itself, compared with a real nvrtc.h when this is compiled. Built once for each
// nvrtc.h that the configuration found; a mismatch does not compile.
#include <gtest/gtest.h>
#include <nvrtc.h>

#include <string>
#include <type_traits>
#include <vector>

#include "vrt/device/cuda/header_check.h"
#include "vrt/device/cuda/nvrtc_api.h"

// Each member of NvrtcApi with the function that it stands for, in the order of declaration.
#define VRT_NVRTC_FUNCTIONS(X)                     \
  X(get_error_string, nvrtcGetErrorString)         \
  X(version, nvrtcVersion)                         \
  X(architecture_count, nvrtcGetNumSupportedArchs) \
  X(architectures, nvrtcGetSupportedArchs)         \
  X(create, nvrtcCreateProgram)                    \
  X(destroy, nvrtcDestroyProgram)                  \
  X(compile, nvrtcCompileProgram)                  \
  X(cubin_size, nvrtcGetCUBINSize)                 \
  X(cubin, nvrtcGetCUBIN)                          \
  X(ptx_size, nvrtcGetPTXSize)                     \
  X(ptx, nvrtcGetPTX)                              \
  X(log_size, nvrtcGetProgramLogSize)              \
  X(log, nvrtcGetProgramLog)

namespace vrt::cuda {
namespace {

template <typename Function>
struct SignatureOf;
template <typename Signature>
struct SignatureOf<NvrtcFunction<Signature>> {
  using Type = Signature;
};

// NOLINTBEGIN(bugprone-macro-parentheses,cppcoreguidelines-macro-usage): names of members and of functions
#define VRT_CHECK_FUNCTION(member, function)                                                                        \
  static_assert(testing::IsCalledAlike<SignatureOf<decltype(NvrtcApi::member)>::Type, decltype(::function)>::value, \
                "nvrtc_api.h declares " #function " otherwise than nvrtc.h");
VRT_NVRTC_FUNCTIONS(VRT_CHECK_FUNCTION)
// NOLINTEND(bugprone-macro-parentheses,cppcoreguidelines-macro-usage)

static_assert(kNvrtcSuccess == NVRTC_SUCCESS);
static_assert(kNvrtcCompilation == NVRTC_ERROR_COMPILATION);
static_assert(std::is_same_v<NvrtcProgram, nvrtcProgram>);

TEST(NvrtcHeaderCheckTest, ComparesEveryFunctionUnderItsOwnName) {
  NvrtcApi api;
  std::vector<std::string> compared;
#define VRT_ADD_NAME(member, function)        \
  EXPECT_STREQ(api.member.symbol, #function); \
  compared.emplace_back(#function);
  VRT_NVRTC_FUNCTIONS(VRT_ADD_NAME)
  std::vector<std::string> declared;
  api.for_each([&](const auto& function) { declared.emplace_back(function.symbol); });
  EXPECT_EQ(compared, declared);
}

}  // namespace
}  // namespace vrt::cuda
