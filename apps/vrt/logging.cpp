#include "apps/vrt/logging.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vrt/base/log.h"

namespace vrt::cli {
namespace {

/// A damaged file may give a warning a frame; the first ones tell the story.
constexpr std::size_t kMostHeld = 20;

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarning: return spdlog::level::warn;
    case LogLevel::kError: return spdlog::level::err;
  }
  return spdlog::level::err;
}

LogLevel least_level(int verbosity) {
  if (verbosity == 0) return LogLevel::kWarning;
  return verbosity == 1 ? LogLevel::kInfo : LogLevel::kDebug;
}

}  // namespace

struct Logging::State {
  spdlog::logger logger{"vrt", std::make_shared<spdlog::sinks::stderr_color_sink_mt>()};
  std::mutex mutex;
  std::vector<std::pair<LogLevel, std::string>> held;
  std::size_t more = 0;

  void print(LogLevel level, std::string_view message) { logger.log(to_spdlog(level), message); }

  void hold(LogLevel level, std::string_view message) {
    const std::scoped_lock lock(mutex);
    if (held.size() < kMostHeld)
      held.emplace_back(level, message);
    else
      ++more;
  }
};

Logging::Logging(int verbosity) : state_(std::make_shared<State>()) {
  state_->logger.set_level(spdlog::level::debug);  // vrt has dropped what is below its own level.
  state_->logger.set_pattern("vrt: %^%l%$: %v");
  set_log_level(least_level(verbosity));
  set_log_sink([state = state_, verbosity](LogLevel level, std::string_view message) {
    if (verbosity == 0)
      state->hold(level, message);
    else
      state->print(level, message);
  });
}

Logging::~Logging() { set_log_sink({}); }

void Logging::print_held() {
  const std::scoped_lock lock(state_->mutex);
  for (const auto& [level, message] : state_->held) state_->print(level, message);
  if (state_->more > 0) state_->logger.warn("{} further messages (-v prints all)", state_->more);
  state_->held.clear();
}

}  // namespace vrt::cli
