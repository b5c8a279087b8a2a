// merge_candidates.cu for the CPU: a heap of tiles, whose top has the greatest key that is left.
#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {
namespace {

// What is left of a tile.
struct Run {
  const uint64_t* next;
  const uint64_t* end;
};

// Restores the heap where only the run at `at` may be out of place.
inline void sift_down(Run* heap, int32_t size, int32_t at) {
  const Run moving = heap[at];
  for (int32_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size && *heap[child + 1].next > *heap[child].next) ++child;
    if (*moving.next >= *heap[child].next) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moving;
}

// CandidateSelection::kMaxTiles.
constexpr int32_t kMaxRuns = 1024;

}  // namespace

void merge_candidates(const vrt::HostBlocks& blocks, const uint64_t* tiles, const int32_t* tile_counts,
                      int32_t tile_size, int32_t tile_count, int32_t limit, uint64_t* ranked, int32_t* counts) {
  if (blocks.first != 0) return;  // One range does it all.
  Run heap[kMaxRuns];
  int32_t size = 0;
  int32_t total = 0;
  for (int32_t tile = 0; tile < tile_count; ++tile) {
    const uint64_t* keys = tiles + static_cast<int64_t>(tile) * tile_size;
    if (tile_counts[tile] > 0) heap[size++] = {keys, keys + tile_counts[tile]};
    total += tile_counts[tile];
  }
  for (int32_t i = size / 2 - 1; i >= 0; --i) sift_down(heap, size, i);
  const int32_t kept = min(total, limit);
  for (int32_t rank = 0; rank < kept; ++rank) {
    ranked[rank] = *heap[0].next;
    if (++heap[0].next == heap[0].end) heap[0] = heap[--size];
    if (size > 1) sift_down(heap, size, 0);
  }
  counts[kCandidateCount] = total;
  counts[kRankedCount] = kept;
}

}  // namespace VRT_HOST_NAMESPACE
