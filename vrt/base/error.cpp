#include "vrt/base/error.h"

#include <algorithm>

namespace vrt {
namespace {

constexpr std::string_view kCauseSeparator = ": ";

std::string join(const std::string& message, const std::string& cause) {
  std::string text = cause.empty() ? message : message + std::string(kCauseSeparator) + cause;
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

}  // namespace

std::string_view to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalidArgument: return "invalid argument";
    case ErrorCode::kNotFound: return "not found";
    case ErrorCode::kUnsupported: return "unsupported";
    case ErrorCode::kUnavailable: return "unavailable";
    case ErrorCode::kCorrupt: return "corrupt";
    case ErrorCode::kIo: return "input/output";
    case ErrorCode::kOutOfMemory: return "out of memory";
    case ErrorCode::kDeviceLost: return "device lost";
    case ErrorCode::kBackend: return "backend";
    case ErrorCode::kSkipped: return "skipped";
    case ErrorCode::kCancelled: return "cancelled";
    case ErrorCode::kInternal: return "internal";
  }
  return "unknown";
}

Error::Error(ErrorCode code, const std::string& message, const std::string& cause)
    : std::runtime_error(join(message, cause)), code_(code), message_bytes_(message.size()) {}

std::string_view Error::message() const noexcept { return std::string_view(what()).substr(0, message_bytes_); }

std::string_view Error::cause() const noexcept {
  const std::string_view whole = what();
  return whole.size() == message_bytes_ ? std::string_view() : whole.substr(message_bytes_ + kCauseSeparator.size());
}

}  // namespace vrt
