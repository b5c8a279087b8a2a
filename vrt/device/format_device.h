// Internal (not installed): a device as an argument of `fail` and `require`, which becomes text only when a message is made.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "vrt/device/device.h"

template <>
struct fmt::formatter<vrt::Device> : fmt::formatter<std::string_view> {
  auto format(vrt::Device device, fmt::format_context& context) const {
    return fmt::formatter<std::string_view>::format(vrt::to_string(device), context);
  }
};
