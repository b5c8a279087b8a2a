// Internal: TensorRT's messages, to the host's log and into the errors that calls end with.
#pragma once

#include <NvInferRuntime.h>

#include <string>

#include "vrt/engine/backend_support.h"

namespace vrt::tensorrt {

/// The one logger of the process. TensorRT keeps the logger that it was first given for all that it makes, in whatever
/// context, so it lives to the end of the process; messages go to every context that is open. Never throws.
class LogRelay : public nvinfer1::ILogger {
 public:
  [[nodiscard]] static LogRelay& instance();

  [[nodiscard]] backend::LoggerList& loggers() noexcept { return loggers_; }

  void log(Severity severity, const char* message) noexcept override;

 private:
  LogRelay() = default;

  backend::LoggerList loggers_;
};

/// What TensorRT says as errors on this thread while this lives: its calls return false or nothing, and the reason goes
/// to the log alone. Nested ones take over for their time.
class ErrorNotes {
 public:
  ErrorNotes() noexcept;
  ~ErrorNotes();
  ErrorNotes(const ErrorNotes&) = delete;
  ErrorNotes& operator=(const ErrorNotes&) = delete;

  /// The error to throw for a call that failed: `doing`, and the first reason given. OUT_OF_MEMORY where that is the
  /// reason, else `status`.
  [[nodiscard]] backend::Failure failure(const std::string& doing, std::int32_t status = VRT_BACKEND_FAILED) const;
  /// The first reason, condensed; empty if none was given.
  [[nodiscard]] std::string reason() const;

 private:
  friend class LogRelay;

  ErrorNotes* before_;
  std::string first_;
};

}  // namespace vrt::tensorrt
