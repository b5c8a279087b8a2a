#include "vrt/engine/tensorrt/log_relay.h"

#include "vrt/engine/tensorrt/message.h"

namespace vrt::tensorrt {
namespace {

thread_local ErrorNotes* current_notes = nullptr;

constexpr std::int32_t kError = 3;

/// The bridge's level of a message.
std::int32_t level_of(nvinfer1::ILogger::Severity severity) {
  using Severity = nvinfer1::ILogger::Severity;
  switch (severity) {
    case Severity::kVERBOSE: return 0;
    case Severity::kINFO: return 1;
    case Severity::kWARNING: return 2;
    default: return kError;
  }
}

}  // namespace

LogRelay& LogRelay::instance() {
  static auto& relay = *new LogRelay;
  return relay;
}

void LogRelay::log(Severity severity, const char* message) noexcept {
  try {
    const char* const text = message != nullptr ? message : "";
    const std::int32_t level = level_of(severity);
    if (level == kError && current_notes != nullptr && current_notes->first_.empty()) current_notes->first_ = text;
    loggers_.send(level, text);
  } catch (...) {  // NOLINT(bugprone-empty-catch): a message that cannot be kept is dropped
  }
}

ErrorNotes::ErrorNotes() noexcept : before_(current_notes) { current_notes = this; }

ErrorNotes::~ErrorNotes() { current_notes = before_; }

std::string ErrorNotes::reason() const { return essence(first_); }

backend::Failure ErrorNotes::failure(const std::string& doing, std::int32_t status) const {
  const bool exhausted =
      first_.find("OutOfMemory") != std::string::npos || first_.find("out of memory") != std::string::npos;
  const std::string why = reason();
  return {exhausted ? VRT_BACKEND_OUT_OF_MEMORY : status,
          why.empty() ? doing + " and gives no reason" : doing + ": " + why};
}

}  // namespace vrt::tensorrt
