// Logging. The library never prints: messages go to a sink that the application sets; without one they are dropped.
#pragma once

#include <functional>
#include <string_view>

#include "vrt/base/export.h"

namespace vrt {

/// How much a message matters, least first.
enum class LogLevel { kDebug, kInfo, kWarning, kError };

/// "debug", "info", "warning" or "error". Static storage.
[[nodiscard]] VRT_API std::string_view to_string(LogLevel level) noexcept;

/// Receives every message at or above the set level. Called from any thread, one call at a time. If it throws, the
/// exception is swallowed: logging never changes what the program does.
using LogSink = std::function<void(LogLevel, std::string_view message)>;

/// Replaces the sink; an empty function drops all messages. Returns the sink that was set before.
VRT_API LogSink set_log_sink(LogSink sink);

/// Messages below `level` are dropped before they are formatted. The default is kInfo.
VRT_API void set_log_level(LogLevel level) noexcept;
/// True if a message of this level would reach a sink.
[[nodiscard]] VRT_API bool log_enabled(LogLevel level) noexcept;

/// Sends one message (a single line, no line break at its end) to the sink.
VRT_API void log(LogLevel level, std::string_view message) noexcept;

}  // namespace vrt
