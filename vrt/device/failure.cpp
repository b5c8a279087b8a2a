#include "vrt/device/failure.h"

#include <fmt/format.h>

#include <exception>
#include <new>

namespace vrt::detail {

Failure describe_current_exception(std::string_view operation) {
  try {
    throw;
  } catch (const Error& error) {
    return {error.code(), fmt::format("{} failed: {}", operation, error.message()), std::string(error.cause())};
  } catch (const std::bad_alloc& error) {
    return {ErrorCode::kOutOfMemory, fmt::format("{} ran out of host memory", operation), error.what()};
  } catch (const std::exception& error) {
    return {ErrorCode::kBackend, fmt::format("{} failed", operation), error.what()};
  } catch (...) {
    return {
        ErrorCode::kBackend, fmt::format("{} failed: it threw something that is not a std::exception", operation), {}};
  }
}

Error skipped_because_of(const Failure& failure) {
  const std::string cause = failure.cause.empty() ? failure.message : failure.message + ": " + failure.cause;
  return {ErrorCode::kSkipped, "the work was skipped, because an operation queued before it failed", cause};
}

}  // namespace vrt::detail
