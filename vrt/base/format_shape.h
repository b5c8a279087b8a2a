// Internal (not installed): a shape as an argument of `fail` and `require`, which becomes text only when a message is made.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "vrt/base/shape.h"

template <>
struct fmt::formatter<vrt::Shape> : fmt::formatter<std::string_view> {
  auto format(const vrt::Shape& shape, fmt::format_context& context) const {
    return fmt::formatter<std::string_view>::format(vrt::to_string(shape), context);
  }
};
