#include "vrt/base/log.h"

#include <atomic>
#include <mutex>
#include <utility>

namespace vrt {
namespace {

struct Logger {
  std::mutex mutex;  // Held during a call of the sink: one call at a time.
  LogSink sink;
  std::atomic<bool> has_sink{false};
  std::atomic<LogLevel> level{LogLevel::kInfo};
};

// Never destroyed, so that threads which outlive main may still log.
Logger& logger() {
  static auto* const instance = new Logger;
  return *instance;
}

// True while this thread is inside the sink. A sink that logs would wait for itself: its messages are dropped.
thread_local bool inside_sink = false;

}  // namespace

std::string_view to_string(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::kDebug: return "debug";
    case LogLevel::kInfo: return "info";
    case LogLevel::kWarning: return "warning";
    case LogLevel::kError: return "error";
  }
  return "unknown";
}

LogSink set_log_sink(LogSink sink) {
  Logger& all = logger();
  const std::lock_guard lock(all.mutex);
  all.has_sink = static_cast<bool>(sink);
  return std::exchange(all.sink, std::move(sink));
}

void set_log_level(LogLevel level) noexcept { logger().level = level; }

bool log_enabled(LogLevel level) noexcept { return logger().has_sink && level >= logger().level.load(); }

void log(LogLevel level, std::string_view message) noexcept {
  if (inside_sink || !log_enabled(level)) return;
  inside_sink = true;
  try {
    const std::lock_guard lock(logger().mutex);
    if (logger().sink) logger().sink(level, message);
  } catch (...) {  // As the header says: logging never changes what the program does.
  }
  inside_sink = false;
}

}  // namespace vrt
