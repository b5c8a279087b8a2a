// Internal: what a device remembers of an exception in its own thread until a wait throws it.
#pragma once

#include <string>
#include <string_view>

#include "vrt/base/error.h"

namespace vrt::detail {

/// Plain text and a code, not an exception_ptr: an exception object is shared between threads by reference counts inside the
/// C++ runtime, which TSan cannot see.
struct Failure {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::string cause;
};

/// Describes the exception that is being handled, as the failure of `operation` ("kernel 'resize'").
[[nodiscard]] Failure describe_current_exception(std::string_view operation);

/// What a wait throws for work that was skipped because of `failure`.
[[nodiscard]] Error skipped_because_of(const Failure& failure);

}  // namespace vrt::detail
