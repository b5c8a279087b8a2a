// Internal: ONNX Runtime's messages as one line a user can act on, with the bridge's status for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vrt/engine/backend_support.h"

namespace vrt::onnxruntime {

/// What was being done: the same words mean a broken model at one stage and a fault of the runtime at another.
enum class Stage : std::int32_t {
  kCall,  ///< Setting something up.
  kOpen,  ///< Reading and compiling a model.
  kRun,   ///< Running it.
};

/// The level in vrt's log of a message of a severity (an OrtLoggingLevel) from a place in ONNX Runtime's sources ("file.cc:12 f").
/// Its warnings speak of how it optimises, and its errors are repeated by the status of the call that fails: each counts one level less.
/// What cuDNN's front end refuses is for a reader of the code alone: ONNX Runtime asks it for one plan of a convolution after the
/// other, and where none is left the call fails with the reason.
[[nodiscard]] std::int32_t log_level_of(std::int32_t severity, std::string_view location);

/// Leaves out where in ONNX Runtime's sources a check failed, and its own names for codes, and keeps the reason.
[[nodiscard]] std::string essence(std::string_view message);

/// The failure of a call that gave `code` (an OrtErrorCode) and `message`.
[[nodiscard]] backend::Failure failure_of(std::int32_t code, std::string_view message, Stage stage);

}  // namespace vrt::onnxruntime
