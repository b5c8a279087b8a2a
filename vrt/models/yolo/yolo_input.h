// Internal (not installed): what YOLO's input is made of.
#pragma once

#include "vrt/image/image.h"
#include "vrt/image/preprocessor.h"

namespace vrt {

/// How a picture becomes an input of that size: aspect kept, grey around it, RGB in [0, 1].
[[nodiscard]] PreprocessOptions yolo_preprocessing(Size input);

}  // namespace vrt
