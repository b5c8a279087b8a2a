#include "vrt/scene/detection.h"

#include <algorithm>

namespace vrt {

float area(const Box& box) noexcept {
  // Written so that a NaN anywhere gives 0.
  return box.x2 > box.x1 && box.y2 > box.y1 ? (box.x2 - box.x1) * (box.y2 - box.y1) : 0.0F;
}

float intersection_over_union(const Box& a, const Box& b) noexcept {
  const Box common{std::max(a.x1, b.x1), std::max(a.y1, b.y1), std::min(a.x2, b.x2), std::min(a.y2, b.y2)};
  const float shared = area(common);
  const float united = area(a) + area(b) - shared;
  return united > 0 ? shared / united : 0.0F;
}

}  // namespace vrt
