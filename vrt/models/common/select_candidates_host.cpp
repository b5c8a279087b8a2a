// select_candidates.cu for the CPU: class after class over a whole tile, in vectors; then a sort of what counts.
#include <algorithm>

#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {
namespace {

struct ScoreTile {
  float best[kMaxSelectTile];
  int32_t best_class[kMaxSelectTile];
};

// What is left of a tile.
struct KeysLeft {
  const uint64_t* next;
  const uint64_t* end;
};

// `kStride` 1: neighbouring items are neighbours in memory.
template <int32_t kStride>
inline void take_better(ScoreTile& tile, const float* scores, int32_t item_stride, int32_t count, int32_t c,
                        float most) {
  const int32_t stride = kStride == 1 ? 1 : item_stride;
  for (int32_t i = 0; i < count; ++i) {
    const float score = scores[static_cast<int64_t>(i) * stride];
    const bool better = score > tile.best[i] && score <= most;
    tile.best[i] = better ? score : tile.best[i];
    tile.best_class[i] = better ? c : tile.best_class[i];
  }
}

inline uint64_t key_of(float score, int32_t index) {
  const uint32_t bits = __float_as_uint(score + 0.0F);
  const uint32_t ordered = (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
  return (static_cast<uint64_t>(ordered) << 32) | ~static_cast<uint32_t>(index);
}

}  // namespace

void select_candidates(const vrt::HostBlocks& blocks, const float* scores, ScoreLayout layout, uint64_t* tiles,
                       int32_t* tile_counts, int32_t* best_classes) {
  const auto size = static_cast<int32_t>(blocks.shape.block.x);
  ScoreTile tile;
  for (uint64_t block = blocks.first; block < blocks.first + blocks.count; ++block) {
    const int32_t first = static_cast<int32_t>(block) * size;
    const int32_t count = min(size, layout.items - first);
    for (int32_t i = 0; i < count; ++i) {
      tile.best[i] = layout.above;
      tile.best_class[i] = -1;
    }
    for (int32_t c = 0; c < layout.classes; ++c) {
      const float* row =
          scores + static_cast<int64_t>(first) * layout.item_stride + static_cast<int64_t>(c) * layout.class_stride;
      if (layout.item_stride == 1) {
        take_better<1>(tile, row, 1, count, c, layout.most);
      } else {
        take_better<0>(tile, row, layout.item_stride, count, c, layout.most);
      }
    }
    uint64_t* keys = tiles + static_cast<int64_t>(first);
    int32_t found = 0;
    for (int32_t i = 0; i < count; ++i) {
      const int32_t item = first + i;
      if (tile.best_class[i] < 0 || (layout.period != 0 && item % layout.period == 0)) continue;
      keys[found++] = key_of(tile.best[i], item);
      if (best_classes != nullptr) best_classes[item] = tile.best_class[i];
    }
    std::sort(keys, keys + found, [](uint64_t a, uint64_t b) { return a > b; });
    tile_counts[2 * block] = found;
    tile_counts[2 * block + 1] = found;
  }
}

// A heap of tiles, of which the first has the greatest key that is left.
void rank_tiles(const vrt::HostBlocks&, const uint64_t* keys, const int32_t* tile_counts, int32_t tile_size,
                int32_t tile_count, int32_t limit, uint64_t* ranked, int32_t* counts) {
  KeysLeft heap[kMaxRankTiles];
  KeysLeft* end = heap;
  int32_t total = 0;
  for (int32_t tile = 0; tile < tile_count; ++tile) {
    const uint64_t* first = keys + static_cast<int64_t>(tile) * tile_size;
    if (tile_counts[2 * tile] > 0) *end++ = {first, first + tile_counts[2 * tile]};
    total += tile_counts[2 * tile];
  }
  const auto behind = [](const KeysLeft& a, const KeysLeft& b) { return *a.next < *b.next; };
  std::make_heap(heap, end, behind);
  counts[0] = total;
  counts[1] = min(total, limit);
  for (int32_t rank = 0; rank < counts[1]; ++rank) {
    std::pop_heap(heap, end, behind);
    KeysLeft& best = end[-1];
    ranked[rank] = *best.next++;
    if (best.next == best.end) {
      --end;
    } else {
      std::push_heap(heap, end, behind);
    }
  }
}

}  // namespace VRT_HOST_NAMESPACE
