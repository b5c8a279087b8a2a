// What a report says of the machine that it was made on.
#pragma once

#include <string>

namespace vrt::cli {

/// Empty where the system does not tell.
struct Machine {
  std::string cpu;
  int threads = 0;     ///< That vrt's kernels use.
  std::string system;  ///< "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;  ///< "Linux 6.1.0-18-amd64 x86_64"
};

[[nodiscard]] Machine this_machine();

/// The time now, "2026-11-30T12:53:30Z".
[[nodiscard]] std::string utc_now();

}  // namespace vrt::cli
