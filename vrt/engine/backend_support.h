// Internal (not installed): what every backend module needs at the C border. Depends on the bridge's header alone, so
// that a module links nothing of vrt.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "vrt/engine/backend_abi.h"

namespace vrt::backend {

/// What a module's own code throws; `guarded` turns it into the status and the caller's text.
class Failure : public std::runtime_error {
 public:
  Failure(std::int32_t status, const std::string& text) : std::runtime_error(text), status_(status) {}
  [[nodiscard]] std::int32_t status() const noexcept { return status_; }

 private:
  std::int32_t status_;
};

/// Writes `text` as one line (each run of white space becomes one blank), cut at the buffer's end and always
/// terminated. Allocates nothing, so that it can report that memory is exhausted. Does nothing without a buffer.
inline void write_text(VrtBackendError* error, std::string_view text) noexcept {
  if (error == nullptr || error->struct_bytes < sizeof(VrtBackendError)) return;
  if (error->text == nullptr || error->text_bytes == 0) return;
  std::size_t used = 0;
  bool blank = false;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= ' ') {
      blank = used > 0;
      continue;
    }
    if (used + (blank ? 2 : 1) >= error->text_bytes) break;
    if (blank) error->text[used++] = ' ';
    blank = false;
    error->text[used++] = c;
  }
  error->text[used] = '\0';
}

/// Writes the text and returns the status.
inline std::int32_t report(VrtBackendError* error, std::int32_t status, std::string_view text) noexcept {
  write_text(error, text);
  return status;
}

/// Runs one call of the bridge: no exception passes the border.
template <typename Function>
std::int32_t guarded(VrtBackendError* error, const Function& function) noexcept {
  try {
    function();
    return VRT_BACKEND_OK;
  } catch (const Failure& failure) {
    return report(error, failure.status(), failure.what());
  } catch (const std::bad_alloc&) {
    return report(error, VRT_BACKEND_OUT_OF_MEMORY, "host memory is exhausted");
  } catch (const std::exception& exception) {
    return report(error, VRT_BACKEND_FAILED, exception.what());
  } catch (...) {
    return report(error, VRT_BACKEND_FAILED, "an exception of an unknown type");
  }
}

/// Destroys a handle: an exception of a vendor's destructor has nobody to go to.
template <typename Handle>
void destroy(Handle* handle) noexcept {
  try {
    delete handle;
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

/// Throws INVALID_ARGUMENT unless `pointer` is there and, for a versioned struct, large enough.
template <typename Struct>
const Struct& checked(const Struct* pointer, const char* what) {
  if (pointer == nullptr) throw Failure(VRT_BACKEND_INVALID_ARGUMENT, std::string(what) + " is NULL");
  if (pointer->struct_bytes < sizeof(Struct)) {
    throw Failure(VRT_BACKEND_INVALID_ARGUMENT, std::string(what) + " has " + std::to_string(pointer->struct_bytes) +
                                                    " bytes, this module needs " + std::to_string(sizeof(Struct)));
  }
  return *pointer;
}

/// The host's log callback. What it throws is dropped here: logging never changes what a module does.
class Logger {
 public:
  explicit Logger(const VrtBackendContextOptions& options) noexcept : log_(options.log), user_(options.log_user) {}

  void operator()(std::int32_t level, const char* message) const noexcept {
    if (log_ == nullptr) return;
    try {
      log_(user_, level, message);
    } catch (...) {  // NOLINT(bugprone-empty-catch)
    }
  }

 private:
  VrtBackendLog log_;
  void* user_;
};

}  // namespace vrt::backend
