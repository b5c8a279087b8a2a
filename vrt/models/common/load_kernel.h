// Internal (not installed): a kernel by name, for payloads' constructors.
#pragma once

#include "vrt/device/kernel.h"
#include "vrt/device/stream.h"

namespace vrt {

/// May block: compiles on first use. Throws as KernelModule::load and KernelModule::get.
template <typename Signature>
[[nodiscard]] Kernel<Signature> load_kernel(const Stream& stream, const KernelSource& source, const char* name) {
  return KernelModule::load(stream.device(), source).get<Signature>(name);
}

}  // namespace vrt
