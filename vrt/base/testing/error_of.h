// For tests: the error that something throws.
#pragma once

#include <gtest/gtest.h>

#include "vrt/base/error.h"

namespace vrt::test {

/// The vrt::Error that `action` throws; fails the test if it throws none.
template <typename Action>
[[nodiscard]] Error error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "expected a vrt::Error";
  return {ErrorCode::kInternal, "nothing was thrown"};
}

}  // namespace vrt::test
