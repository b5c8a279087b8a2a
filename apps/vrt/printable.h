// Text of others on a terminal.
#pragma once

#include <string>

namespace vrt::cli {

/// The text with a space for each control character: names of files, and what a report of somebody else's holds, may have line breaks
/// and a terminal's commands in them.
[[nodiscard]] std::string printable(std::string text);

}  // namespace vrt::cli
