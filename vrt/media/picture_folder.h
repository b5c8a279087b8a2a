// Internal (not installed): the pictures of a folder.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace vrt::detail {

/// The names of the picture files (by extension) in a folder, not in folders below it, in natural order. Throws
/// kInvalidArgument if there is none, kIo if the folder cannot be read.
[[nodiscard]] std::vector<std::string> pictures_in(const std::filesystem::path& folder);

/// Numbers count as numbers ("2.png" before "10.png"), other characters by their byte, letters of either case alike; names that
/// are then equal by their bytes. A strict weak order.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b) noexcept;

}  // namespace vrt::detail
