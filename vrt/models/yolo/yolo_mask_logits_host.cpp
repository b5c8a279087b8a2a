// yolo_mask_logits.cu for the CPU: prototype after prototype over the rows that a box needs, in vectors.
#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {
namespace {

struct CellRange {
  int32_t begin, end;
};

// The cells that yolo_mask_logits.cu's test lets through, on one axis.
inline CellRange needed_cells(float low, float high, float scale, float shift, int32_t limit) {
  constexpr float kMargin = 2.0F;
  const float first = low * scale + shift - kMargin;
  const float last = high * scale + shift + kMargin;
  return {min(max(__float2int_ru(first), 0), limit), min(max(__float2int_rd(last), -1) + 1, limit)};
}

inline void add_row(float* sums, const float* prototype, float coefficient, int32_t count) {
  for (int32_t i = 0; i < count; ++i) sums[i] += coefficient * prototype[i];
}

}  // namespace

// A launch's blocks become shares of the grid's rows, for each group of masks.
void yolo_mask_logits(const vrt::HostBlocks& blocks, const float* objects, const float* prototypes,
                      const int32_t* indices, const int32_t* count, const float4* boxes, YoloMaskLayout layout,
                      int32_t most, float* logits) {
  const auto columns = static_cast<int64_t>(blocks.shape.grid.x);
  const int32_t total = min(*count, most);
  const int64_t cells = static_cast<int64_t>(layout.width) * layout.height;
  for (uint64_t block = blocks.first; block < blocks.first + blocks.count; ++block) {
    const auto share = static_cast<int64_t>(block) % columns;
    const auto group = static_cast<int32_t>(static_cast<int64_t>(block) / columns) * kMasksOfThread;
    const auto top = static_cast<int32_t>(layout.height * share / columns);
    const auto bottom = static_cast<int32_t>(layout.height * (share + 1) / columns);
    for (int32_t mask = group; mask < min(group + kMasksOfThread, total); ++mask) {
      const float4 box = boxes[mask];
      const CellRange x = needed_cells(box.x, box.z, layout.scale_x, layout.shift_x, layout.width);
      const CellRange y = needed_cells(box.y, box.w, layout.scale_y, layout.shift_y, layout.height);
      const float* coefficients = objects + static_cast<int64_t>(indices[mask]) * layout.item_stride +
                                  static_cast<int64_t>(layout.first) * layout.value_stride;
      for (int32_t row = max(y.begin, top); row < min(y.end, bottom); ++row) {
        const int64_t first = static_cast<int64_t>(row) * layout.width + x.begin;
        float* const sums = logits + mask * cells + first;
        for (int32_t i = 0; i < x.end - x.begin; ++i) sums[i] = 0.0F;
        for (int32_t k = 0; k < layout.coefficients; ++k) {
          add_row(sums, prototypes + k * cells + first, coefficients[static_cast<int64_t>(k) * layout.value_stride],
                  x.end - x.begin);
        }
      }
    }
  }
}

}  // namespace VRT_HOST_NAMESPACE
