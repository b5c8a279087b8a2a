// Internal (not installed): frames of a source as inputs that a network of reduced precision is compared with float32 on.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/engine/engine.h"
#include "vrt/image/preprocessor.h"

namespace vrt {

/// Up to `count` frames spread evenly over a video or a folder of pictures (the first ones, where its length is not known),
/// preprocessed for the network's input `input`. BLOCKS while the source is decoded. Throws what Source throws.
[[nodiscard]] VRT_API std::vector<SampleInputs> sample_frames(const std::string& source, std::size_t count,
                                                              const PreprocessOptions& preprocessing,
                                                              const std::string& input);

}  // namespace vrt
