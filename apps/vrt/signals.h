// Ctrl-C, SIGTERM and a closed terminal as a request to finish.
#pragma once

#include <atomic>

namespace vrt::cli {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP sets a flag instead of ending the process; the second ends it. A reader
/// of the standard output that goes away and a limit on file sizes are failed writes, not signals. One at a time.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  [[nodiscard]] const std::atomic<bool>* flag() const noexcept;
  /// The signal that came; 0 if none did.
  [[nodiscard]] int signal() const noexcept;
};

}  // namespace vrt::cli
