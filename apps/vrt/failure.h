// How commands report a failure: one line on the standard error, and an exit code.
#pragma once

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include "apps/vrt/arguments.h"
#include "vrt/base/error.h"

namespace vrt::cli {

/// Prints "vrt: …" as one line, whatever line breaks the text holds.
inline void print_failure(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::fprintf(stderr, "vrt: %s\n", text.c_str());
}

/// Runs `work`, which returns an exit code. What it throws is printed: 2 for arguments that can never work, 1 for any other
/// failure.
template <typename Work>
int report_failures(const Work& work) noexcept try {
  return work();
} catch (const Error& error) {
  print_failure(error.what());
  return error.code() == ErrorCode::kInvalidArgument ? kWrongUsage : kFailure;
} catch (const std::exception& error) {
  print_failure(error.what());
  return kFailure;
}

}  // namespace vrt::cli
