// suppress_ranked.cu for the CPU: box after box, each against all that are kept, in vectors.
#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {
namespace {

constexpr int32_t kChunk = 64;  // Kept boxes that are tested before a look whether one overlapped.

// What is kept, a plane for each number.
struct KeptBoxes {
  float x1[kMaxKeptBoxes], y1[kMaxKeptBoxes], x2[kMaxKeptBoxes], y2[kMaxKeptBoxes], area[kMaxKeptBoxes];
  int32_t object_class[kMaxKeptBoxes];
  int32_t count;
};

inline float area_of(const float4& box) { return (box.z - box.x) * (box.w - box.y); }

inline float4 box_of(const float* boxes, const BoxLayout& layout, int32_t index) {
  const float* at = boxes + static_cast<int64_t>(index) * layout.box_stride;
  const float a = at[0];
  const float b = at[layout.value_stride];
  const float c = at[2 * layout.value_stride];
  const float d = at[3 * layout.value_stride];
  if (layout.corners != 0) return {a, b, c, d};
  return {a - c * 0.5F, b - d * 0.5F, a + c * 0.5F, b + d * 0.5F};
}

inline bool is_valid(const float4& box) {
  const float area = area_of(box);
  return box.z >= box.x && box.w >= box.y && area - area == 0.0F;
}

// Boxes are finite here, so that plain comparisons do for fminf and fmaxf.
inline bool overlaps_any(const KeptBoxes& kept, int32_t first, int32_t last, const float4& box, int32_t object_class,
                         const SuppressionRule& rule) {
  const float area = area_of(box);
  int32_t hits = 0;
  for (int32_t k = first; k < last; ++k) {
    const float width = (kept.x2[k] < box.z ? kept.x2[k] : box.z) - (kept.x1[k] > box.x ? kept.x1[k] : box.x);
    const float height = (kept.y2[k] < box.w ? kept.y2[k] : box.w) - (kept.y1[k] > box.y ? kept.y1[k] : box.y);
    const float shared = (width > 0.0F) & (height > 0.0F) ? width * height : 0.0F;
    const float united = kept.area[k] + area - shared;
    const int32_t same_class = (rule.class_aware == 0) | (kept.object_class[k] == object_class);
    hits |= static_cast<int32_t>(shared > rule.threshold * united) & same_class;
  }
  return hits != 0;
}

inline bool is_suppressed(const KeptBoxes& kept, const float4& box, int32_t object_class, const SuppressionRule& rule) {
  const int32_t rivals = rule.threshold < 1.0F ? kept.count : 0;
  for (int32_t first = 0; first < rivals; first += kChunk) {
    if (overlaps_any(kept, first, min(first + kChunk, rivals), box, object_class, rule)) return true;
  }
  return false;
}

inline void keep(KeptBoxes& kept, const float4& box, int32_t object_class) {
  const int32_t at = kept.count++;
  kept.x1[at] = box.x;
  kept.y1[at] = box.y;
  kept.x2[at] = box.z;
  kept.y2[at] = box.w;
  kept.area[at] = area_of(box);
  kept.object_class[at] = object_class;
}

inline float clip(float value, float limit) { return value < 0.0F ? 0.0F : (value > limit ? limit : value); }

inline float4 to_source(const float4& box, const BoxLayout& layout) {
  return {clip(box.x * layout.scale_x + layout.shift_x, layout.source_width),
          clip(box.y * layout.scale_y + layout.shift_y, layout.source_height),
          clip(box.z * layout.scale_x + layout.shift_x, layout.source_width),
          clip(box.w * layout.scale_y + layout.shift_y, layout.source_height)};
}

inline float score_of(uint64_t key) {
  const auto ordered = static_cast<uint32_t>(key >> 32);
  return __uint_as_float((ordered >> 31) != 0 ? ordered & 0x7FFFFFFFU : ~ordered);
}

}  // namespace

void suppress_ranked(const vrt::HostBlocks&, const uint64_t* ranked, const int32_t* counts, const float* boxes,
                     const int32_t* classes, BoxLayout layout, SuppressionRule rule, float4* found_boxes,
                     float* found_scores, int32_t* found_classes, int32_t* found_indices, int32_t* found_count) {
  KeptBoxes kept;
  kept.count = 0;
  for (int32_t rank = 0; rank < counts[1] && kept.count < rule.max_kept; ++rank) {
    const auto item = static_cast<int32_t>(~static_cast<uint32_t>(ranked[rank]));
    const float4 box = box_of(boxes, layout, item / layout.pairs);
    const int32_t object_class = classes == nullptr ? item % layout.pairs : classes[item];
    if (!is_valid(box) || is_suppressed(kept, box, object_class, rule)) continue;
    const int32_t at = kept.count;
    keep(kept, box, object_class);
    found_boxes[at] = to_source(box, layout);
    const float score = score_of(ranked[rank]);
    found_scores[at] = rule.logits != 0 ? 1.0F / (1.0F + expf(-score)) : score;
    found_classes[at] = object_class;
    found_indices[at] = item / layout.pairs;
  }
  *found_count = kept.count;
}

}  // namespace VRT_HOST_NAMESPACE
