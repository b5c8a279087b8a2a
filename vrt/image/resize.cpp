#include "vrt/image/resize.h"

#include <algorithm>

#include "vrt/base/fail.h"

namespace vrt {
namespace {

// length * numerator / denominator, rounded half up, kept within [1, limit].
std::int32_t scaled(std::int32_t length, std::int32_t numerator, std::int32_t denominator, std::int32_t limit) {
  const auto product = static_cast<std::int64_t>(length) * numerator;
  const std::int64_t rounded = product / denominator + (2 * (product % denominator) >= denominator ? 1 : 0);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(rounded, 1, limit));
}

// True if the picture, its aspect kept, meets the target's width before its height.
bool width_is_tighter(Size source, Size target) {
  return static_cast<std::int64_t>(target.width) * source.height <=
         static_cast<std::int64_t>(target.height) * source.width;
}

Region letterbox_region(Size source, Size target, PadPosition pad) {
  Region filled{0, 0, target.width, target.height};
  if (width_is_tighter(source, target)) {
    filled.height = scaled(source.height, target.width, source.width, target.height);
  } else {
    filled.width = scaled(source.width, target.height, source.height, target.width);
  }
  if (pad == PadPosition::kCenter) {
    filled.x = (target.width - filled.width) / 2;
    filled.y = (target.height - filled.height) / 2;
  }
  return filled;
}

// The part of the source with the target's aspect: a letterbox of the target inside the source.
Region crop_region(Size source, Size target) { return letterbox_region(target, source, PadPosition::kCenter); }

}  // namespace

ResizeMapping ResizeMapping::make(ResizeMode mode, Size source, Size target, PadPosition pad) {
  require(source.width > 0 && source.height > 0, "a source of {}x{} pixels is empty", source.width, source.height);
  require(target.width > 0 && target.height > 0, "a target of {}x{} pixels is empty", target.width, target.height);
  ResizeMapping mapping{source, target, {0, 0, source.width, source.height}, {0, 0, target.width, target.height}};
  if (mode == ResizeMode::kLetterbox) mapping.filled = letterbox_region(source, target, pad);
  if (mode == ResizeMode::kCrop) mapping.used = crop_region(source, target);
  return mapping;
}

PointF ResizeMapping::to_target(PointF source_point) const noexcept {
  return {static_cast<float>((double{source_point.x} - used.x) / scale_x() + filled.x),
          static_cast<float>((double{source_point.y} - used.y) / scale_y() + filled.y)};
}

PointF ResizeMapping::to_source(PointF target_point) const noexcept {
  return {static_cast<float>((double{target_point.x} - filled.x) * scale_x() + used.x),
          static_cast<float>((double{target_point.y} - filled.y) * scale_y() + used.y)};
}

}  // namespace vrt
