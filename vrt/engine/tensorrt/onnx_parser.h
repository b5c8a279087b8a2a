// Internal: an ONNX file into TensorRT's network, its parser's errors as one line.
#pragma once

#include <string>

#include "vrt/engine/tensorrt/library.h"

namespace vrt::tensorrt {

/// Throws backend::Failure: CORRUPT (not a model, or one that contradicts itself), UNSUPPORTED (operators, by name), OUT_OF_MEMORY.
/// What it gives holds the weights that `network` refers to, and has to live until that is built.
[[nodiscard]] std::unique_ptr<nvonnxparser::IParser> parse_onnx(const Library& library,
                                                                nvinfer1::INetworkDefinition& network,
                                                                const std::string& path);

}  // namespace vrt::tensorrt
