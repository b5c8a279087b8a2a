// Internal: What tells builds of a library apart, without opening it.
#pragma once

#include <filesystem>
#include <string>

#include "vrt/base/export.h"

namespace vrt::cuda {

/// The GNU build ID that the linker left in a 64-bit ELF file, as hexadecimal digits; where there is none, the file's name, size and
/// time of change. Two files with one ID are the same build, wherever they lie. Never throws for what a file holds or lacks.
[[nodiscard]] VRT_API std::string build_id_of(const std::filesystem::path& library);

}  // namespace vrt::cuda
