#include "vrt/device/cuda/context.h"

#include "vrt/device/cuda/driver.h"

namespace vrt::cuda {

// Called by destructors too: failures show in the calls that follow, which are checked or reported.
ContextScope::ContextScope(const DriverApi& api, CUctx_st* context) : api_(api) {
  was_current_ = api_.context_get_current(&previous_) == kSuccess && previous_ == context;
  if (was_current_) return;
  // Where none was current ours stays, as with the CUDA runtime: a thread that works with one device pays for this once.
  restores_ = api_.context_set_current(context) == kSuccess && previous_ != nullptr;
}

ContextScope::~ContextScope() {
  if (restores_) report(api_.context_set_current(previous_), "cuCtxSetCurrent");
}

}  // namespace vrt::cuda
