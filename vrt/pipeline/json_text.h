// Internal (not installed): the values that lines of JSON and COCO results are made of.
#pragma once

#include <cmath>
#include <iterator>
#include <string>
#include <string_view>

#include "vrt/base/fail.h"
#include "vrt/scene/mask.h"

namespace vrt::detail {

/// Appends a string in quotes. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

/// Appends the shortest text that reads back as the same number. Throws kInvalidArgument, naming the field, for one that is not finite.
template <typename Float>
void append_json_number(std::string& out, const char* field, Float value) {
  require(std::isfinite(value), "the {} of a frame is {}; JSON holds only finite numbers", field, value);
  fmt::format_to(std::back_inserter(out), "{}", value);
}

/// Appends COCO's object of a mask: {"size": [height, width], "counts": its compressed run lengths}.
void append_json_mask(std::string& out, const MaskView& mask);

}  // namespace vrt::detail
