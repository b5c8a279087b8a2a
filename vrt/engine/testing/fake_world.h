// What the engine layer's tests share: the stand-in backends, model files for them, and what was logged.
#pragma once

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "vrt/base/error.h"
#include "vrt/base/log.h"
#include "vrt/base/testing/location.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/engine/engine.h"

namespace vrt::testing {

/// The folder of the stand-in backends.
inline std::filesystem::path fake_backends() { return location("VRT_FAKE_BACKENDS", VRT_FAKE_BACKENDS); }

/// Collects every log line while it lives.
class ScopedLog {
 public:
  ScopedLog() {
    before_ = set_log_sink([this](LogLevel level, std::string_view message) {
      const std::lock_guard lock(mutex_);
      (level == LogLevel::kError ? errors_ : lines_).emplace_back(message);
      if (level == LogLevel::kWarning) warnings_.emplace_back(message);
    });
  }
  ~ScopedLog() { set_log_sink(before_); }
  ScopedLog(const ScopedLog&) = delete;
  ScopedLog& operator=(const ScopedLog&) = delete;

  [[nodiscard]] std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  [[nodiscard]] std::vector<std::string> errors() const {
    const std::lock_guard lock(mutex_);
    return errors_;
  }
  [[nodiscard]] std::ptrdiff_t count(const std::string& line) const {
    const std::lock_guard lock(mutex_);
    return std::count(lines_.begin(), lines_.end(), line);
  }
  [[nodiscard]] std::vector<std::string> warnings() const {
    const std::lock_guard lock(mutex_);
    return warnings_;
  }

 private:
  mutable std::mutex mutex_;
  LogSink before_;
  std::vector<std::string> lines_;
  std::vector<std::string> warnings_;
  std::vector<std::string> errors_;
};

/// The model most tests use: 6 floats in, 6 floats out.
inline constexpr std::string_view kDoubler = "input image 1 1 2 3\noutput result 1 1 2 3\n";

/// Stand-in backends on the search path, a folder for models, and the log.
class FakeWorld : public ::testing::Test {
 protected:
  /// Opens a model of the stand-in backend given as text.
  Engine open(const std::string& text, EngineOptions options = {}) const {
    options.backend = "fake";
    return Engine::open(folder_.write("doubler.model", text), Device::cpu(), options);
  }

  /// Where its engines are kept.
  [[nodiscard]] std::filesystem::path cache() const { return folder_.path() / "cache" / "engines"; }

  ScopedVariable search_path_{"VRT_BACKEND_PATH", fake_backends().string()};
  ScopedFolder folder_;
  ScopedVariable cache_root_{"VRT_CACHE", (folder_.path() / "cache").string()};
  ScopedVariable cache_switch_{"VRT_ENGINE_CACHE", "on"};
  ScopedLog log_;
};

}  // namespace vrt::testing
