// Internal (not installed): what exporters write about classes into a model's metadata, as Python literals.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vrt/scene/class_names.h"

namespace vrt {

/// The most classes that a model may have.
inline constexpr std::int32_t kMostClasses = ClassNames::kMostInFile;

/// The names of a dictionary from class ids to names, as Ultralytics writes it: "{0: 'person', 1: 'bicycle'}". Throws kCorrupt
/// with what could not be read.
[[nodiscard]] ClassNames parse_class_names(const std::string& dictionary);

/// As many numbers as there are: "[0, 17]". Throws kCorrupt.
[[nodiscard]] std::vector<std::int32_t> parse_numbers(const std::string& list);

/// Two numbers: "[17, 3]" or "(17, 3)". Throws kCorrupt.
[[nodiscard]] std::pair<std::int32_t, std::int32_t> parse_pair(const std::string& list);

}  // namespace vrt
