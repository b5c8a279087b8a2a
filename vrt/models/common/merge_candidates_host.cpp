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
constexpr int32_t kMaxRuns = 4096;

// The greatest keys of the runs [begin, end), at most `limit`, to `merged`; how many there were to counts[kCandidateCount].
inline void merge_group(const uint64_t* runs, const int32_t* run_counts, const MergeRound& round, int32_t begin,
                        int32_t end, uint64_t* merged, int32_t* counts) {
  Run heap[kMaxRuns];
  int32_t size = 0;
  int32_t total = 0;
  for (int32_t run = begin; run < end; ++run) {
    const uint64_t* keys = runs + static_cast<int64_t>(run) * round.run_size;
    const int32_t count = run_counts[2 * run + kRankedCount];
    if (count > 0) heap[size++] = {keys, keys + count};
    total += run_counts[2 * run + kCandidateCount];
  }
  for (int32_t i = size / 2 - 1; i >= 0; --i) sift_down(heap, size, i);
  const int32_t kept = min(total, round.limit);
  for (int32_t rank = 0; rank < kept; ++rank) {
    merged[rank] = *heap[0].next;
    if (++heap[0].next == heap[0].end) heap[0] = heap[--size];
    if (size > 1) sift_down(heap, size, 0);
  }
  counts[kCandidateCount] = total;
  counts[kRankedCount] = kept;
}

}  // namespace

void merge_candidates(const vrt::HostBlocks& blocks, const uint64_t* runs, const int32_t* run_counts, MergeRound round,
                      uint64_t* merged, int32_t* merged_counts) {
  if (blocks.first != 0) return;  // One range does it all.
  for (int32_t begin = 0; begin < round.runs; begin += round.ways) {
    merge_group(runs, run_counts, round, begin, min(begin + round.ways, round.runs),
                merged + static_cast<int64_t>(begin) * round.run_size, merged_counts + begin / round.ways * 2);
  }
}

}  // namespace VRT_HOST_NAMESPACE
