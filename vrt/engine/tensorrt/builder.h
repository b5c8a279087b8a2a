// Internal: from an ONNX file to TensorRT's plan, with vrt's rules on shapes, types and precision.
#pragma once

#include <memory>

#include "vrt/engine/backend_abi.h"
#include "vrt/engine/backend_support.h"
#include "vrt/engine/tensorrt/library.h"

namespace vrt::tensorrt {

/// Parses and builds for the current CUDA device. Blocks for seconds or minutes. Throws backend::Failure: CORRUPT (not a model),
/// INVALID_ARGUMENT (unresolved dimensions, shapes that are not the file's), UNSUPPORTED (operators, precision, outputs whose size depends on
/// data), CANCELLED, OUT_OF_MEMORY, FAILED with TensorRT's words. `logger` is told what goes wrong with the timing cache, which stops no
/// build.
[[nodiscard]] std::unique_ptr<nvinfer1::IHostMemory> build_plan(const Library& library,
                                                                const VrtBackendEngineOptions& options,
                                                                const backend::Logger& logger);

}  // namespace vrt::tensorrt
