// Internal: What a compiled kernel takes of a multiprocessor, as the assembler reports it.
//
// The report is the text that ptxas prints with -v. The driver's cuFuncGetAttribute tells registers and shared memory as well,
// but needs a GPU and does not tell spills from arrays in local memory; the sections of a cubin hold the same numbers, but
// their format is NVIDIA's own affair. The text is documented and the same in every NVRTC since 11; what is not understood
// is an error, never a zero.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/device/cuda/nvrtc.h"

namespace vrt::cuda {

struct KernelResources {
  std::string kernel;
  std::uint32_t registers = 0;          ///< Of a thread.
  std::uint32_t shared_bytes = 0;       ///< Static shared memory of a block.
  std::uint32_t stack_bytes = 0;        ///< Local memory of a thread.
  std::uint32_t spill_store_bytes = 0;  ///< Registers that found no room.
  std::uint32_t spill_load_bytes = 0;
};

/// The option that makes NVRTC's log hold the report. It may change the image (NVRTC 13 notes its options there), so what is
/// run is compiled without.
inline constexpr const char* kResourceOption = "--ptxas-options=-v";

/// The report of each kernel, in the log's order. Throws kBackend with the line that was not understood.
[[nodiscard]] std::vector<KernelResources> resources_in(std::string_view log);

/// Compiles once more, with kResourceOption. `build` is without it. Empty where NVRTC made PTX, which the driver assembles.
/// Throws as Nvrtc::compile and `resources_in`.
[[nodiscard]] std::vector<KernelResources> measure_resources(const Nvrtc& compiler, KernelBuild build,
                                                             int architecture);

}  // namespace vrt::cuda
