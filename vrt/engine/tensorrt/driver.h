// Internal: what a module asks the CUDA driver itself.
#pragma once

#include <cstdint>

namespace vrt::tensorrt {

struct ComputeCapability {
  int major = 0;
  int minor = 0;
};

/// Of a GPU. Opens `$VRT_CUDA_DRIVER`, else libcuda.so.1, as vrt's own device layer does. Throws backend::Failure: UNAVAILABLE with what is
/// missing.
[[nodiscard]] ComputeCapability compute_capability(std::int32_t ordinal);

}  // namespace vrt::tensorrt
