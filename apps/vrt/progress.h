// What a run shows on the standard error: how networks are compiled, a bar while it works, a table at the end.
#pragma once

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>

#include "vrt/engine/engine.h"
#include "vrt/pipeline/run.h"

namespace vrt::cli {

/// Draws a bar that is redrawn in place on a terminal, and plain lines, a few seconds apart, elsewhere.
class ProgressBar {
 public:
  explicit ProgressBar(std::FILE* to);
  /// Ends the bar's line, so that what follows does not overwrite it.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const RunProgress& progress);

 private:
  [[nodiscard]] bool is_due(const RunProgress& progress) const;

  std::FILE* to_;
  bool is_terminal_;
  double shown_at_ = 0;
  bool line_is_open_ = false;
};

/// How the compilation of a network goes: one line that is redrawn on a terminal; elsewhere, where it takes long, a line every few
/// seconds. Used from any thread.
class BuildLine {
 public:
  explicit BuildLine(std::FILE* to);
  /// Takes the line away.
  ~BuildLine();
  BuildLine(const BuildLine&) = delete;
  BuildLine& operator=(const BuildLine&) = delete;

  void show(const BuildProgress& progress);

 private:
  using Clock = std::chrono::steady_clock;

  std::FILE* to_;
  bool is_terminal_;
  bool line_is_open_ = false;
  Clock::time_point shown_at_ = Clock::now();
  std::mutex mutex_;
};

/// "[######----]  60/120  87.3 frames/s": the bar is left out where the number of frames is not known.
[[nodiscard]] std::string progress_line(const RunProgress& progress);

/// The summary of a run: what was found, how fast, and the table of times per stage. Several lines.
[[nodiscard]] std::string summary_of(const RunReport& report);

}  // namespace vrt::cli
