// Internal: what TensorRT measured in earlier builds, kept in a file.
#pragma once

#include <NvInfer.h>

#include <memory>
#include <string>

#include "vrt/engine/backend_support.h"

namespace vrt::tensorrt {

/// Gives `config` the cache of that file, or an empty one where there is no file, it may not be read, or is of another GPU or version. What
/// comes back has to outlive the build; NULL where TensorRT keeps none. Trouble is logged: a build without it only takes longer.
[[nodiscard]] std::unique_ptr<nvinfer1::ITimingCache> open_timing_cache(nvinfer1::IBuilderConfig& config,
                                                                        const std::string& path,
                                                                        const backend::Logger& logger);

/// Puts it in place of the file, whole or not at all. Trouble is logged.
void save_timing_cache(const nvinfer1::ITimingCache& cache, const std::string& path, const backend::Logger& logger);

}  // namespace vrt::tensorrt
