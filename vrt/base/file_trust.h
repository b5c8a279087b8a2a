// Internal (not installed): whose files may be taken for our own.
#pragma once

#include <filesystem>
#include <string>

#include "vrt/base/export.h"

namespace vrt::detail {

/// Whether a file or folder (behind links) belongs to this user or to root: whoever is root needs no detour by our files.
[[nodiscard]] VRT_API bool is_ours(const std::filesystem::path& path) noexcept;

/// Why the content of a file or folder may be somebody else's: "belongs to another user", "can be written by other users", or the
/// system's reason where it cannot be looked at. Empty if it is ours alone.
[[nodiscard]] VRT_API std::string find_distrust(const std::filesystem::path& path);

}  // namespace vrt::detail
