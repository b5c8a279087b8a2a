// The library that reads and writes media.
#pragma once

#include <string>

#include "vrt/base/export.h"

namespace vrt {

/// Its name and version at run time, e.g. "FFmpeg 5.1.9". Loads it. Throws kUnavailable naming the library that is missing and
/// the package that has it.
[[nodiscard]] VRT_API std::string media_library();

}  // namespace vrt
