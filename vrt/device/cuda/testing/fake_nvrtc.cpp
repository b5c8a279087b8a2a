// NVRTC without a compiler: a shared object with the library's names. It knows sm_90 and compiles everything to nothing.
// The environment sets what a process sees:
//   VRT_FAKE_NVRTC_MAJOR=13   VRT_FAKE_NVRTC_CREATE=5, VRT_FAKE_NVRTC_COMPILE=5 (the answers of creating and of compiling)
#include <cstddef>

#include "vrt/device/cuda/nvrtc_api.h"
#include "vrt/device/cuda/testing/fake_setting.h"

using vrt::cuda::NvrtcProgram;
using vrt::cuda::NvrtcResult;
using vrt::cuda::testing::setting;

namespace {

NvrtcResult say_nothing(std::size_t* bytes) { return *bytes = 0, 0; }

}  // namespace

extern "C" {

const char* nvrtcGetErrorString(NvrtcResult) { return "a failure of the fake NVRTC"; }
NvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = setting("VRT_FAKE_NVRTC_MAJOR", 12);
  return *minor = 0, 0;
}
NvrtcResult nvrtcGetNumSupportedArchs(int* count) { return *count = 1, 0; }
NvrtcResult nvrtcGetSupportedArchs(int* architectures) { return *architectures = 90, 0; }
NvrtcResult nvrtcCreateProgram(NvrtcProgram* program, const char*, const char*, int, const char* const*,
                               const char* const*) {
  return *program = nullptr, setting("VRT_FAKE_NVRTC_CREATE", 0);
}
NvrtcResult nvrtcDestroyProgram(NvrtcProgram*) { return 0; }
NvrtcResult nvrtcCompileProgram(NvrtcProgram, int, const char* const*) { return setting("VRT_FAKE_NVRTC_COMPILE", 0); }
NvrtcResult nvrtcGetCUBINSize(NvrtcProgram, std::size_t* bytes) { return say_nothing(bytes); }
NvrtcResult nvrtcGetCUBIN(NvrtcProgram, char*) { return 0; }
NvrtcResult nvrtcGetPTXSize(NvrtcProgram, std::size_t* bytes) { return say_nothing(bytes); }
NvrtcResult nvrtcGetPTX(NvrtcProgram, char*) { return 0; }
NvrtcResult nvrtcGetProgramLogSize(NvrtcProgram, std::size_t* bytes) { return say_nothing(bytes); }
NvrtcResult nvrtcGetProgramLog(NvrtcProgram, char*) { return 0; }

}  // extern "C"
