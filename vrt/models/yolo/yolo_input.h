// Internal (not installed): what YOLO's input is made of.
#pragma once

#include "vrt/image/image.h"
#include "vrt/image/preprocessor.h"
#include "vrt/models/yolo/yolo.h"

namespace vrt {

/// How a picture becomes an input of that size: aspect kept, grey around it, RGB in [0, 1]; YOLOX's at the upper left, BGR in [0, 255].
[[nodiscard]] PreprocessOptions yolo_preprocessing(Size input, YoloLayout layout);

}  // namespace vrt
