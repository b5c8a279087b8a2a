// For tests: a backend module's table, its calls' answers, and handles that go in the order that a test wants.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "vrt/base/dtype.h"
#include "vrt/engine/backend_abi.h"

namespace vrt::testing {

/// What a call of the bridge ended with.
struct Answer {
  std::int32_t status = VRT_BACKEND_OK;
  std::string text;
};

/// A caller's buffer for a reason.
class Reason {
 public:
  [[nodiscard]] VrtBackendError* get() { return &error_; }
  [[nodiscard]] Answer answer(std::int32_t status) const { return {status, text_}; }

 private:
  char text_[2048] = {};
  VrtBackendError error_{sizeof(VrtBackendError), text_, sizeof(text_)};
};

/// A module that was loaded, and what it logs. Stays loaded, as in vrt.
class ModuleUnderTest {
 public:
  explicit ModuleUnderTest(const std::filesystem::path& path) {
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) throw std::runtime_error(dlerror());
    table_ = reinterpret_cast<VrtBackendEntry>(dlsym(library, VRT_BACKEND_ENTRY_NAME))(VRT_BACKEND_ABI_VERSION);
  }
  [[nodiscard]] const VrtBackendTable& table() const { return *table_; }

  [[nodiscard]] Answer create(VrtBackendContext** context) {
    const VrtBackendContextOptions options{sizeof(options), &note, this};
    Reason reason;
    return reason.answer(table_->context_create(&options, context, reason.get()));
  }
  /// What the host's log callback does beside noting.
  std::function<void()> on_log;

  [[nodiscard]] std::vector<std::pair<std::int32_t, std::string>> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  /// Whether a line of that level holds the text.
  [[nodiscard]] bool has_logged(std::int32_t level, const std::string& text) const {
    for (const auto& [line_level, line] : lines())
      if (line_level == level && line.find(text) != std::string::npos) return true;
    return false;
  }

 private:
  static void note(void* user, std::int32_t level, const char* message) {
    auto& self = *static_cast<ModuleUnderTest*>(user);
    {
      const std::lock_guard lock(self.mutex_);
      self.lines_.emplace_back(level, message);
    }
    if (self.on_log) self.on_log();
  }

  const VrtBackendTable* table_ = nullptr;
  mutable std::mutex mutex_;
  std::vector<std::pair<std::int32_t, std::string>> lines_;
};

/// Options for a GPU's engine in float32.
inline VrtBackendEngineOptions engine_options(const char* model) {
  VrtBackendEngineOptions options{};
  options.struct_bytes = sizeof(options);
  options.model_path = model;
  options.device_kind = 1;
  options.concurrent_sessions = 1;
  options.precision = static_cast<std::int32_t>(DType::kFloat32);
  options.optimization_level = -1;
  options.timing_cache_path = "";
  return options;
}

/// VrtBackendWrite into a std::string.
inline std::int32_t append(void* user, const void* data, std::uint64_t bytes) {
  static_cast<std::string*>(user)->append(static_cast<const char*>(data), bytes);
  return 0;
}

}  // namespace vrt::testing
