// Internal (not installed): formats a message and throws vrt::Error. Public headers must not include this file,
// so that users of vrt need no fmt headers.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "vrt/base/error.h"

namespace vrt {

/// Throws Error with a formatted message.
template <typename... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

/// Throws Error(kInvalidArgument) with a formatted message unless `condition` holds.
template <typename... Args>
void require(bool condition, fmt::format_string<Args...> format, Args&&... args) {
  if (!condition) fail(ErrorCode::kInvalidArgument, format, std::forward<Args>(args)...);
}

}  // namespace vrt
