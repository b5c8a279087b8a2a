// Where vrt keeps what can be made again: compiled kernels, engines, downloaded models.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "vrt/base/export.h"

namespace vrt {

/// `$VRT_CACHE`, else `$XDG_CACHE_HOME/vrt`, else `$HOME/.cache/vrt`; relative values of the variables are ignored, as the
/// XDG specification asks. Nothing is created. Throws kNotFound when none of the variables helps.
[[nodiscard]] VRT_API std::filesystem::path cache_root();

/// `cache_root() / area`, created (mode 0700) where missing. Throws kIo naming the path when it cannot be created.
[[nodiscard]] VRT_API std::filesystem::path cache_folder(std::string_view area);

/// Makes a folder and those above it that are missing, for this user alone. Throws kIo naming the path.
VRT_API void make_private_folder(const std::filesystem::path& folder);

/// The megabytes that an environment variable holds, in bytes; `megabytes` of them where it is not set or empty. Throws
/// kInvalidArgument naming the variable for another text.
[[nodiscard]] VRT_API std::uint64_t cache_limit_bytes(const char* variable, std::uint64_t megabytes);

}  // namespace vrt
