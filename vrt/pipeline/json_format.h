// What a run's JSON is made of.
#pragma once

#include <cstdint>

namespace vrt {

/// The form in which results are written.
enum class JsonFormat : std::int32_t {
  kLines,  ///< One object a frame and line, with everything that was found (docs/json-lines.md).
  kCoco,   ///< One array of COCO results, an object for each detection (docs/coco-results.md).
};

}  // namespace vrt
