// What a caller wants of instance masks.
#pragma once

#include <cstdint>

#include "vrt/image/image.h"

namespace vrt {

/// Masks cost memory and time for every pixel, so that a result has them only where they are asked for.
struct MaskOptions {
  /// Of each mask, which covers the whole picture whatever the picture's size; the picture's own for masks of its pixels.
  /// Empty: no masks.
  Size size = {};
  std::int32_t most = 100;  ///< For how many objects there is room, the best first.
  bool read_back = false;   ///< Also copied to the host by every submit.
};

}  // namespace vrt
