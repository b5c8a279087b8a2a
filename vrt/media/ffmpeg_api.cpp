#include "vrt/media/ffmpeg_api.h"

#include <dlfcn.h>

#include <string>

#include "vrt/base/fail.h"

namespace vrt::detail {
namespace {

void* open_library(const char* name, int major) {
  const std::string file = fmt::format("lib{}.so.{}", name, major);
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* reason = dlerror();
  throw Error(
      ErrorCode::kUnavailable,
      fmt::format("videos and pictures need FFmpeg's library {}; install it (Debian: lib{}{})", file, name, major),
      reason != nullptr ? reason : "");
}

// Never closed: FFmpeg's objects may live as long as the process.
struct Libraries {
  void* avutil = open_library("avutil", LIBAVUTIL_VERSION_MAJOR);
  void* avcodec = open_library("avcodec", LIBAVCODEC_VERSION_MAJOR);
  void* avformat = open_library("avformat", LIBAVFORMAT_VERSION_MAJOR);
  void* swscale = open_library("swscale", LIBSWSCALE_VERSION_MAJOR);
};

template <typename Function>
void resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) fail(ErrorCode::kUnavailable, "the FFmpeg that was found has no function {}", name);
}

FfmpegApi load() {
  const Libraries libraries;
  FfmpegApi api;
#define VRT_RESOLVE(library, name) resolve(libraries.library, #name, api.name);
  VRT_FFMPEG_FUNCTIONS(VRT_RESOLVE)
#undef VRT_RESOLVE
  return api;
}

}  // namespace

const FfmpegApi& ffmpeg() {
  static const FfmpegApi api = load();
  return api;
}

}  // namespace vrt::detail
