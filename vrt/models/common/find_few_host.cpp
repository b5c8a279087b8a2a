// find_few.cu for the CPU: what counts, of that the best, and only those in order.
#include <algorithm>
#include <functional>

#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {
namespace {

uint64_t key_of(float score, int32_t pair) {
  const uint32_t bits = __float_as_uint(score + 0.0F);
  const uint32_t ordered = (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
  return (static_cast<uint64_t>(ordered) << 32) | ~static_cast<uint32_t>(pair);
}

float logit_of(uint64_t key) {
  const auto ordered = static_cast<uint32_t>(key >> 32);
  return __uint_as_float((ordered >> 31) != 0 ? ordered & 0x7FFFFFFFU : ~ordered);
}

// The keys of the pairs that count. Returns how many there are.
int32_t keys_of(const float* logits, const FewPairs& which, uint64_t* keys) {
  int32_t total = 0;
  for (int32_t pair = 0; pair < which.count; ++pair) {
    if (!(logits[pair] > which.above)) continue;
    if (which.background == 0 || pair % which.columns != 0) keys[total++] = key_of(logits[pair], pair);
  }
  return total;
}

float4 corners_of(const float4& box) {
  return make_float4(box.x - box.z * 0.5F, box.y - box.w * 0.5F, box.x + box.z * 0.5F, box.y + box.w * 0.5F);
}

bool is_valid(const float4& box) {
  const float area = (box.z - box.x) * (box.w - box.y);
  return box.z >= box.x && box.w >= box.y && area - area == 0.0F;
}

float clip(float value, float limit) { return value < 0.0F ? 0.0F : (value > limit ? limit : value); }

float4 to_source(const float4& box, const FewToSource& way) {
  return make_float4(clip(box.x * way.scale_x + way.shift_x, way.source_width),
                     clip(box.y * way.scale_y + way.shift_y, way.source_height),
                     clip(box.z * way.scale_x + way.shift_x, way.source_width),
                     clip(box.w * way.scale_y + way.shift_y, way.source_height));
}

}  // namespace

void find_few(const vrt::HostBlocks&, const float* logits, FewPairs which, const float4* boxes, FewToSource way,
              int32_t* counts, float4* found_boxes, float* found_scores, int32_t* found_classes, int32_t* found_indices,
              int32_t* found_count) {
  uint64_t keys[kMaxFewPairs];
  const int32_t total = keys_of(logits, which, keys);
  const int32_t kept = min(total, which.limit);
  if (kept < total) std::nth_element(keys, keys + kept, keys + total, std::greater<>());
  std::sort(keys, keys + kept, std::greater<>());
  int32_t found = 0;
  for (int32_t i = 0; i < kept; ++i) {
    const auto pair = static_cast<int32_t>(~static_cast<uint32_t>(keys[i]));
    const float4 box = corners_of(boxes[pair / which.columns]);
    if (!is_valid(box)) continue;
    found_boxes[found] = to_source(box, way);
    found_scores[found] = 1.0F / (1.0F + expf(-logit_of(keys[i])));
    found_classes[found] = pair % which.columns;
    found_indices[found] = pair / which.columns;
    ++found;
  }
  counts[0] = total;
  counts[1] = kept;
  *found_count = found;
}

}  // namespace VRT_HOST_NAMESPACE
