// vrt's messages on the standard error.
#pragma once

#include <memory>

namespace vrt::cli {

/// Receives vrt's messages while it lives. At verbosity 0 warnings are held back until the command has done its work: they
/// would tear the progress bar apart, and a failure is one line, which says what matters of them. At 1 information, at 2
/// everything is printed at once.
class Logging {
 public:
  explicit Logging(int verbosity);
  ~Logging();
  Logging(const Logging&) = delete;
  Logging& operator=(const Logging&) = delete;

  /// Prints what was held back. Call when the command has succeeded and its threads have ended.
  void print_held();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace vrt::cli
