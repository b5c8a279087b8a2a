#include "apps/vrt/logging.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string_view>

#include "vrt/base/log.h"

namespace vrt::cli {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarning: return spdlog::level::warn;
    case LogLevel::kError: return spdlog::level::err;
  }
  return spdlog::level::err;
}

}  // namespace

void log_to_standard_error(int verbosity) {
  auto logger = std::make_shared<spdlog::logger>("vrt", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_level(spdlog::level::debug);  // vrt has dropped what is below its own level.
  logger->set_pattern("vrt: %^%l%$: %v");
  set_log_level(verbosity == 0 ? LogLevel::kWarning : verbosity == 1 ? LogLevel::kInfo : LogLevel::kDebug);
  set_log_sink([logger](LogLevel level, std::string_view message) { logger->log(to_spdlog(level), message); });
}

}  // namespace vrt::cli
