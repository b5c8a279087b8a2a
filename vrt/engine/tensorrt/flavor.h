// Internal: TensorRT and TensorRT-RTX are one interface in two libraries; the modules are built from one source with
// VRT_TENSORRT_IS_RTX 0 or 1.
#pragma once

#include <NvInferVersion.h>

#include <compare>
#include <string>

namespace vrt::tensorrt {

struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;

  auto operator<=>(const Version&) const = default;
};

[[nodiscard]] inline std::string to_text(const Version& version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor) + "." + std::to_string(version.patch);
}

/// Of the headers that this module was compiled with.
inline constexpr Version kHeaders{NV_TENSORRT_MAJOR, NV_TENSORRT_MINOR, NV_TENSORRT_PATCH};

/// Whether they are TensorRT-RTX's own, which count its versions.
#ifdef TRT_MAJOR_RTX
inline constexpr bool kHeadersAreRtx = true;
#else
inline constexpr bool kHeadersAreRtx = false;
#endif

#if VRT_TENSORRT_IS_RTX
inline constexpr bool kIsRtx = true;
inline constexpr char kBackendName[] = "tensorrt_rtx";
inline constexpr char kProduct[] = "TensorRT-RTX";
inline constexpr char kLibraryStem[] = "libtensorrt_rtx";
inline constexpr char kParserStem[] = "libtensorrt_onnxparser_rtx";
inline constexpr char kVariable[] = "VRT_TENSORRT_RTX";
/// Below a Python's site-packages: where wheels put the libraries.
inline constexpr const char* kWheelFolders[] = {"onnxruntime_ep_nv_tensorrt_rtx", "tensorrt_rtx_libs"};
/// In the libraries' file names. All versions of TensorRT-RTX so far are of major 1.
inline constexpr int kLibraryMajor = kHeadersAreRtx ? kHeaders.major : 1;
#else
inline constexpr bool kIsRtx = false;
inline constexpr char kBackendName[] = "tensorrt";
inline constexpr char kProduct[] = "TensorRT";
inline constexpr char kLibraryStem[] = "libnvinfer";
inline constexpr char kParserStem[] = "libnvonnxparser";
inline constexpr char kVariable[] = "VRT_TENSORRT";
inline constexpr const char* kWheelFolders[] = {"tensorrt_libs"};
inline constexpr int kLibraryMajor = kHeaders.major;
#endif

/// Whether code compiled with `headers` may call a library of that version. The C++ interface has no other check: a call into a library
/// that lays its classes out differently ends the process.
///   - TensorRT: the same major, and a minor that has all that the headers declare.
///   - TensorRT-RTX by its own headers: the same minor, for its interface has changed within major 1.
///   - TensorRT-RTX by TensorRT's headers: 1.7 and later of major 1 have the interface of TensorRT 11; with the headers of 10.16 version
///     1.7.1 crashes.
[[nodiscard]] constexpr bool fits(const Version& headers, bool headers_are_rtx, bool library_is_rtx,
                                  const Version& library) {
  if (library_is_rtx && !headers_are_rtx) return headers.major == 11 && library.major == 1 && library.minor >= 7;
  if (headers_are_rtx != library_is_rtx || headers.major != library.major) return false;
  return library_is_rtx ? headers.minor == library.minor : headers.minor <= library.minor;
}

}  // namespace vrt::tensorrt
