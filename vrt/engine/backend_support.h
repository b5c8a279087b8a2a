// Internal (not installed): what every backend module needs at the C border. Depends on the bridge's header alone, so
// that a module links nothing of vrt.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "vrt/engine/backend_abi.h"

namespace vrt::backend {

/// What a module's own code throws; `guarded` turns it into the status and the caller's text. A null in the text, as a model's
/// names may have, becomes a blank: what() would end there.
class Failure : public std::runtime_error {
 public:
  Failure(std::int32_t status, const std::string& text) : std::runtime_error(without_nulls(text)), status_(status) {}
  [[nodiscard]] std::int32_t status() const noexcept { return status_; }

 private:
  static std::string without_nulls(std::string text) {
    std::replace(text.begin(), text.end(), '\0', ' ');
    return text;
  }

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

/// Hands `bytes` to the caller of a call. Throws FAILED where they are not taken.
inline void hand_out(VrtBackendWrite write, void* user, std::string_view bytes) {
  if (write(user, bytes.data(), bytes.size()) != 0) throw Failure(VRT_BACKEND_FAILED, "the bytes were not taken");
}

/// The index-th input or output. Throws INVALID_ARGUMENT where there are fewer.
template <typename Tensor>
const Tensor& tensor_at(const std::vector<Tensor>& tensors, std::uint64_t index) {
  if (index < tensors.size()) return tensors[index];
  throw Failure(VRT_BACKEND_INVALID_ARGUMENT,
                "there is no tensor " + std::to_string(index) + " of " + std::to_string(tensors.size()));
}

/// Throws INVALID_ARGUMENT unless the memory for a tensor has the bytes that it needs.
inline void require_bytes(const std::string& tensor, std::uint64_t needed, std::uint64_t given) {
  if (needed == given) return;
  throw Failure(VRT_BACKEND_INVALID_ARGUMENT, "tensor '" + tensor + "' has " + std::to_string(needed) +
                                                  " bytes, the memory for it " + std::to_string(given));
}

/// Fills in what the bridge tells of a tensor, whose name stays where it is. `extents` are no more than VRT_BACKEND_MAX_RANK.
template <typename Extents>
void describe_tensor(const std::string& name, std::int32_t dtype, const Extents& extents, bool batched,
                     VrtBackendTensor* out) {
  checked(out, "the tensor description");
  out->name = name.c_str();
  out->dtype = dtype;
  out->rank = extents.size();
  out->batched = batched ? 1 : 0;
  std::transform(extents.begin(), extents.end(), out->extents,
                 [](auto extent) { return static_cast<std::int64_t>(extent); });
}

/// `text` as a string of JSON. Control characters become blanks.
inline std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return quoted + "\"";
}

/// Adds a layer to a list of those that engine_describe tells of.
inline void add_layer_json(std::string& list, std::string_view name, std::string_view type,
                           std::string_view precision) {
  list += (list.empty() ? "" : ", ") + ("{\"name\": " + json_text(name)) + ", \"type\": " + json_text(type) +
          ", \"precision\": " + json_text(precision) + "}";
}

/// The processors that this process may run on.
inline std::int32_t allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  return static_cast<std::int32_t>(std::max(1U, std::thread::hardware_concurrency()));
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

/// The loggers of all open contexts: vendors' libraries have one log for the process. Used from any thread.
class LoggerList {
 public:
  void add(const Logger* logger) {
    const std::lock_guard lock(mutex_);
    loggers_.push_back(logger);
  }
  /// Afterwards that logger is not called any more.
  void remove(const Logger* logger) {
    const std::lock_guard lock(mutex_);
    loggers_.erase(std::remove(loggers_.begin(), loggers_.end(), logger), loggers_.end());
  }
  void send(std::int32_t level, const char* message) {
    const std::lock_guard lock(mutex_);
    for (const Logger* logger : loggers_) (*logger)(level, message);
  }

 private:
  std::mutex mutex_;
  std::vector<const Logger*> loggers_;
};

}  // namespace vrt::backend
