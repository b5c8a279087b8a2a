// One frame's results as one line of JSON (docs/json-lines.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "vrt/base/export.h"
#include "vrt/image/image.h"
#include "vrt/pipeline/findings.h"

namespace vrt {

/// What a line says of a frame. Views: nothing is owned.
struct FrameRecord {
  std::string_view source;
  std::int64_t frame = 0;
  double time = 0;  ///< Seconds.
  Size size;
  std::span<const ModelFindings> models;  ///< In the order in which the run has them.
};

/// Appends the line, line break included. Numbers are the shortest text that reads back as the same float or double (time). Bytes
/// that are not UTF-8 become U+FFFD. Throws kInvalidArgument for a number that JSON cannot hold (not finite), naming the
/// field, and where two networks embed the same boxes; `out` is then unchanged.
VRT_API void append_json_line(std::string& out, const FrameRecord& record);

}  // namespace vrt
