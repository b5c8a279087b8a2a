#include "apps/vrt/load_media_module.h"

#include <dlfcn.h>

#include <filesystem>

#include "vrt/base/fail.h"

namespace vrt::cli {
namespace {

namespace fs = std::filesystem;

/// In the build folder as after an install, the module is at ../<lib>/vrt from the tool.
fs::path module_file() {
  std::error_code error;
  const fs::path tool = fs::read_symlink("/proc/self/exe", error);
  return tool.parent_path().parent_path() / VRT_LIBRARY_FOLDER / "vrt" / VRT_MEDIA_MODULE;
}

}  // namespace

const MediaCommands& load_media_module() {
  const fs::path file = module_file();
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // Stays loaded: its threads and destructors run to the end.
  const void* commands = library != nullptr ? dlsym(library, kMediaCommandsSymbol) : nullptr;
  if (commands != nullptr) return *static_cast<const MediaCommands*>(commands);
  const char* reason = dlerror();
  fail(ErrorCode::kUnavailable, "the part of vrt that reads and writes media cannot be loaded ({}); install vrt again", reason);
}

}  // namespace vrt::cli
