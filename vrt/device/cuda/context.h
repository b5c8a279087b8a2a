// Internal: The device's primary context, shared with TensorRT, NPP and PyTorch, made current only where it is not
// already.
#pragma once

#include "vrt/device/cuda/driver_api.h"

namespace vrt::cuda {

/// Makes a context current in this thread for the scope's duration, and puts back what was current before; where none was, it
/// stays current.
class ContextScope {
 public:
  ContextScope(const DriverApi& api, CUctx_st* context);
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

  /// True if there was nothing to do.
  [[nodiscard]] bool was_current() const noexcept { return was_current_; }

 private:
  const DriverApi& api_;
  CUctx_st* previous_ = nullptr;
  bool was_current_ = false;
  bool restores_ = false;
};

}  // namespace vrt::cuda
