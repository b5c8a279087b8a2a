// Internal: TensorRT's phases and steps, to the bridge's progress callback.
#pragma once

#include <NvInfer.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "vrt/engine/backend_abi.h"

namespace vrt::tensorrt {

/// Called from any of the builder's threads; phases nest and run side by side.
class ProgressRelay : public nvinfer1::IProgressMonitor {
 public:
  ProgressRelay(VrtBackendProgress progress, void* user) : progress_(progress), user_(user) {}

  /// Whether the callback asked for the end of the build.
  [[nodiscard]] bool is_cancelled() const noexcept { return cancelled_; }

  void phaseStart(const char* phase, const char* parent, std::int32_t steps) noexcept override;
  bool stepComplete(const char* phase, std::int32_t step) noexcept override;
  void phaseFinish(const char* phase) noexcept override;

 private:
  /// Returns whether the build goes on.
  bool tell(const char* phase, std::int32_t step, std::int32_t steps) noexcept;

  VrtBackendProgress progress_;
  void* user_;
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::map<std::string, std::int32_t> steps_;  // Of each phase that runs.
};

}  // namespace vrt::tensorrt
