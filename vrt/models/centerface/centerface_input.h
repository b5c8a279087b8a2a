// Internal (not installed): what CenterFace's input is made of, and the size of its outputs.
#pragma once

#include "vrt/image/image.h"
#include "vrt/image/preprocessor.h"

namespace vrt {

/// How a picture becomes an input of that size.
[[nodiscard]] PreprocessOptions centerface_preprocessing(Size input);

/// The cells of the outputs for an input of that size.
[[nodiscard]] Size centerface_grid(Size input);

}  // namespace vrt
