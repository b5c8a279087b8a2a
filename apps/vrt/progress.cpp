#include "apps/vrt/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "apps/vrt/printable.h"

namespace vrt::cli {
namespace {

constexpr double kSecondsBetweenRedraws = 0.1;
constexpr double kSecondsBetweenLines = 5;
constexpr std::int64_t kBarCells = 30;

std::string found_by(const ModelReport& model) {
  if (model.left_out == 0) return fmt::format("{} found", model.findings);
  return fmt::format("{} of {} boxes embedded", model.findings, model.findings + model.left_out);
}

double rate(std::int64_t frames, double seconds) { return seconds > 0 ? static_cast<double>(frames) / seconds : 0; }

}  // namespace

std::string progress_line(const RunProgress& progress) {
  const double per_second = rate(progress.frames, progress.seconds);
  if (!progress.total || *progress.total <= 0)
    return fmt::format("{} frames  {:.1f} frames/s", progress.frames, per_second);
  const std::int64_t total = std::max(*progress.total, progress.frames);
  const std::int64_t cells = kBarCells * progress.frames / total;
  return fmt::format("[{:#<{}}{:-<{}}] {:>{}}/{}  {:.1f} frames/s", "", cells, "", kBarCells - cells, progress.frames,
                     fmt::formatted_size("{}", total), total, per_second);
}

ProgressBar::ProgressBar(std::FILE* to) : to_(to), is_terminal_(isatty(fileno(to)) == 1) {}

ProgressBar::~ProgressBar() {
  if (line_is_open_) std::fputc('\n', to_);
}

bool ProgressBar::is_due(const RunProgress& progress) const {
  const bool last = progress.total && progress.frames == *progress.total;
  if (is_terminal_ && (last || !line_is_open_)) return true;
  return progress.seconds - shown_at_ >= (is_terminal_ ? kSecondsBetweenRedraws : kSecondsBetweenLines);
}

void ProgressBar::show(const RunProgress& progress) {
  if (!is_due(progress)) return;
  shown_at_ = progress.seconds;
  // On a terminal: back to the start of the line, and clear what the line before left behind. Not fmt::print, which throws:
  // a run does not fail because nobody reads its progress.
  const std::string line = (is_terminal_ ? "\r" : "") + progress_line(progress) + (is_terminal_ ? "\x1b[K" : "\n");
  std::fputs(line.c_str(), to_);
  std::fflush(to_);
  line_is_open_ = is_terminal_;
}

BuildLine::BuildLine(std::FILE* to) : to_(to), is_terminal_(isatty(fileno(to)) == 1) {}

BuildLine::~BuildLine() {
  if (line_is_open_) std::fputs("\r\x1b[K", to_);
}

void BuildLine::show(const BuildProgress& progress) {
  const std::lock_guard lock(mutex_);
  const std::chrono::duration<double> since = Clock::now() - shown_at_;
  if (!is_terminal_ && since.count() < kSecondsBetweenLines) return;
  shown_at_ = Clock::now();
  const std::string steps = progress.steps > 0 ? fmt::format(" {}/{}", progress.step, progress.steps) : "";
  const std::string text = printable(std::string(progress.phase)) + steps;
  std::fputs((is_terminal_ ? "\r" + text + "\x1b[K" : "network: " + text + "\n").c_str(), to_);
  std::fflush(to_);
  line_is_open_ = is_terminal_;
}

std::string summary_of(const RunReport& report) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{} frames of {}x{}, {} detections, in {:.3f} s: {:.1f} frames/s (set-up {:.3f} s)\n",
                 report.frames, report.source.size.width, report.source.size.height, report.detections, report.seconds,
                 rate(report.frames, report.seconds), report.setup_seconds);
  for (const ModelReport& model : report.models) {
    fmt::format_to(out, "{} ({}): {}, on {} with {}, network input {}x{}\n", model.name, model.family, found_by(model),
                   to_string(report.device), model.backend, model.input.width, model.input.height);
  }
  if (report.stages.empty()) return text;
  fmt::format_to(out, "{:<8} {:>8} {:>10} {:>10} {:>10} {:>10}\n", "stage", "count", "mean ms", "median ms", "95 % ms",
                 "max ms");
  for (const StageSummary& stage : report.stages) {
    fmt::format_to(out, "{:<8} {:>8} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f}\n", stage.name, stage.count, stage.mean,
                   stage.median, stage.p95, stage.maximum);
  }
  return text;
}

}  // namespace vrt::cli
