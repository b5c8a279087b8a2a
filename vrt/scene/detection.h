// The vocabulary of results: boxes, detections, landmarks. Host values, source-image pixels.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "vrt/base/export.h"

namespace vrt {

/// Corners in source pixels, floats; (0, 0) is the outer corner of the first pixel. x1 <= x2, y1 <= y2 in every result.
struct Box {
  float x1 = 0;
  float y1 = 0;
  float x2 = 0;
  float y2 = 0;
  friend bool operator==(const Box&, const Box&) = default;
};

/// Width times height; 0 for a degenerate or inverted box.
[[nodiscard]] VRT_API float area(const Box& box) noexcept;
/// Intersection over union; 0 where the union is empty.
[[nodiscard]] VRT_API float intersection_over_union(const Box& a, const Box& b) noexcept;

/// A point of a detected object, in source pixels. `confidence` is in [0, 1]; networks that give none say 1.
struct Keypoint {
  float x = 0;
  float y = 0;
  float confidence = 1;
  friend bool operator==(const Keypoint&, const Keypoint&) = default;
};

/// One detected object. `label` and `keypoints` are views of memory that the result owns.
struct Detection {
  Box box;
  float score = 0;  ///< in [0, 1]
  std::int32_t class_id = 0;
  std::string_view label;  ///< Empty if the model gives no names.
  std::span<const Keypoint> keypoints;
};

}  // namespace vrt
