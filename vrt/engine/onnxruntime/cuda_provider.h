// Internal: ONNX Runtime's CUDA provider, which lies in a library beside ONNX Runtime's own and needs several of NVIDIA's.
#pragma once

#include <cstdint>

#include "vrt/engine/onnxruntime/library.h"

namespace vrt::onnxruntime {

/// Throws backend::Failure UNAVAILABLE unless the provider and the libraries that it needs load: which one is missing, and
/// which wheel brings it. Libraries of NVIDIA's wheels beside ONNX Runtime's are found by themselves.
void require_cuda_provider(const Library& library);

/// Lets a session run on a GPU: on `native_stream`, or on a stream of ONNX Runtime's own if that is nullptr. Throws as
/// `require_cuda_provider`.
void append_cuda_provider(const Library& library, OrtSessionOptions& options, std::int32_t ordinal,
                          void* native_stream);

}  // namespace vrt::onnxruntime
