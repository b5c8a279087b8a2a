// What the command line's values have to be. Each returns what is wrong with a text, or nothing.
#pragma once

#include <string>

namespace vrt::cli {

/// Without it `--save "$UNSET"` would mean no --save at all.
std::string refuse_empty(const std::string& text);

/// A whole number from 1 up that 64 bits hold. CLI11 alone takes one that is too large for the largest.
std::string refuse_other_than_count(const std::string& text);
/// Likewise from 0 up.
std::string refuse_other_than_count_or_zero(const std::string& text);

/// "sm_" and two or three digits.
std::string refuse_other_than_architecture(const std::string& text);

}  // namespace vrt::cli
