// Internal (not installed): reading whole files, with errors that name them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "vrt/base/export.h"

namespace vrt::detail {

/// Calls `use` for the bytes of a file, part by part in order. False where there is no such file; throws kIo with the path and the
/// system's reason where it cannot be read, as a folder cannot.
[[nodiscard]] VRT_API bool for_each_part(const std::filesystem::path& path,
                                         const std::function<void(std::span<const std::byte>)>& use);

/// All that is in a file; nothing where there is none. Throws as for_each_part.
[[nodiscard]] VRT_API std::optional<std::string> read_file(const std::filesystem::path& path);

}  // namespace vrt::detail
