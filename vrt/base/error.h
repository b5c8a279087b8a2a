// The one exception type of vrt.
//
//   try {
//     auto engine = vrt::Engine::open("model.onnx", device);
//   } catch (const vrt::Error& error) {
//     if (error.code() == vrt::ErrorCode::kNotFound) { ... }
//   }
//
// A message names the file, tensor, device or argument, what was expected, what was found and what to do.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "vrt/base/export.h"

namespace vrt {

/// What kind of failure an Error reports; decides what a caller can do about it.
enum class ErrorCode {
  kInvalidArgument,  ///< The caller passed something that can never work; change the call.
  kNotFound,         ///< A file, device, library, tensor or name does not exist.
  kUnsupported,      ///< Understood, but this device, backend or build cannot do it.
  kUnavailable,      ///< Would work with something installed or present that is missing now.
  kCorrupt,          ///< A file or stream does not hold what its kind promises.
  kIo,               ///< Reading or writing failed (permissions, disk full, network).
  kOutOfMemory,      ///< Host or device memory is exhausted.
  kDeviceLost,       ///< A sticky device fault; the device cannot be used again in this process.
  kBackend,          ///< An inference engine or a driver reported a failure.
  kSkipped,          ///< Not run, because work queued before it failed.
  kCancelled,        ///< Stopped on request.
  kInternal,         ///< A broken invariant of vrt itself; please report it.
};

/// The code's name in lower case, e.g. "invalid argument". Never empty, static storage.
[[nodiscard]] VRT_API std::string_view to_string(ErrorCode code) noexcept;

/// Thrown by every vrt function that fails. Copyable without throwing.
class VRT_API Error : public std::runtime_error {
 public:
  /// `cause` is the lower layer's own text (a driver's error name, errno's text); empty when there is none. A null in either, as a
  /// name of a file's may hold, becomes a blank: what() would end there.
  Error(ErrorCode code, const std::string& message, const std::string& cause = {});

  /// The kind of failure.
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

  /// What vrt was doing and what is wrong, without the cause. `what()` is the message and the cause in one line.
  [[nodiscard]] std::string_view message() const noexcept;

  /// The lower layer's own words; empty when there are none.
  [[nodiscard]] std::string_view cause() const noexcept;

 private:
  ErrorCode code_;
  std::size_t message_bytes_;
};

}  // namespace vrt
