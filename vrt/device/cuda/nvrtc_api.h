// Internal: The part of NVRTC's binary interface that vrt uses, declared by vrt itself. A test compares it with a real
// nvrtc.h.
#pragma once

#include <cstddef>

struct _nvrtcProgram;  // NOLINT(*-naming,bugprone-reserved-identifier): NVRTC's own tag

namespace vrt::cuda {

/// nvrtcProgram.
using NvrtcProgram = _nvrtcProgram*;
/// nvrtcResult.
using NvrtcResult = int;

inline constexpr NvrtcResult kNvrtcSuccess = 0;
inline constexpr NvrtcResult kNvrtcCompilation = 6;

/// One function of NVRTC: the signature, and the name to look it up by.
template <typename Signature>
struct NvrtcFunction {
  const char* symbol;
  Signature* call = nullptr;
};

/// The functions that vrt uses; all exist since 11.2. `for_each` goes through every one of them.
struct NvrtcApi {
  NvrtcFunction<const char*(NvrtcResult)> get_error_string{"nvrtcGetErrorString"};
  NvrtcFunction<NvrtcResult(int*, int*)> version{"nvrtcVersion"};
  NvrtcFunction<NvrtcResult(int*)> architecture_count{"nvrtcGetNumSupportedArchs"};
  NvrtcFunction<NvrtcResult(int*)> architectures{"nvrtcGetSupportedArchs"};
  NvrtcFunction<NvrtcResult(NvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*)>
      create{"nvrtcCreateProgram"};
  NvrtcFunction<NvrtcResult(NvrtcProgram*)> destroy{"nvrtcDestroyProgram"};
  NvrtcFunction<NvrtcResult(NvrtcProgram, int, const char* const*)> compile{"nvrtcCompileProgram"};
  NvrtcFunction<NvrtcResult(NvrtcProgram, std::size_t*)> cubin_size{"nvrtcGetCUBINSize"};
  NvrtcFunction<NvrtcResult(NvrtcProgram, char*)> cubin{"nvrtcGetCUBIN"};
  NvrtcFunction<NvrtcResult(NvrtcProgram, std::size_t*)> ptx_size{"nvrtcGetPTXSize"};
  NvrtcFunction<NvrtcResult(NvrtcProgram, char*)> ptx{"nvrtcGetPTX"};
  NvrtcFunction<NvrtcResult(NvrtcProgram, std::size_t*)> log_size{"nvrtcGetProgramLogSize"};
  NvrtcFunction<NvrtcResult(NvrtcProgram, char*)> log{"nvrtcGetProgramLog"};

  /// Structured bindings name every member: one that is added to the struct alone does not compile.
  template <typename Visit>
  void for_each(const Visit& visit) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = *this;
    (visit(a), visit(b), visit(c), visit(d), visit(e), visit(f), visit(g), visit(h), visit(i), visit(j), visit(k),
     visit(l), visit(m));
  }
};

}  // namespace vrt::cuda
