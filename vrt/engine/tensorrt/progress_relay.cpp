#include "vrt/engine/tensorrt/progress_relay.h"

namespace vrt::tensorrt {

void ProgressRelay::phaseStart(const char* phase, const char* /*parent*/, std::int32_t steps) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    steps_[phase] = steps;
  } catch (...) {  // NOLINT(bugprone-empty-catch): the number of steps stays unknown
  }
  tell(phase, 0, steps);
}

bool ProgressRelay::stepComplete(const char* phase, std::int32_t step) noexcept {
  std::int32_t steps = 0;
  try {
    const std::lock_guard lock(mutex_);
    const auto found = steps_.find(phase);
    if (found != steps_.end()) steps = found->second;
  } catch (...) {  // NOLINT(bugprone-empty-catch): the number of steps stays unknown
  }
  return tell(phase, step + 1, steps);
}

void ProgressRelay::phaseFinish(const char* phase) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    steps_.erase(phase);
  } catch (...) {  // NOLINT(bugprone-empty-catch): the phase may be named again
  }
}

bool ProgressRelay::tell(const char* phase, std::int32_t step, std::int32_t steps) noexcept {
  try {
    if (progress_(user_, phase, step, steps) != 0) cancelled_ = true;
  } catch (...) {  // The callback promised not to; nobody is left to ask.
    cancelled_ = true;
  }
  return !cancelled_;
}

}  // namespace vrt::tensorrt
