// rank_candidates.cu for the CPU: a heap of the greatest keys, then sorted in place.
namespace VRT_HOST_NAMESPACE {
namespace {

// Restores a heap whose top is the least key, where only the element at `at` may be out of place.
void sift_down(uint64_t* heap, int32_t size, int32_t at) {
  const uint64_t moving = heap[at];
  for (int32_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size && heap[child + 1] < heap[child]) ++child;
    if (moving <= heap[child]) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moving;
}

}  // namespace

void rank_candidates(const vrt::HostBlocks&, const uint64_t* keys, const int32_t* key_count, int32_t capacity,
                     int32_t keep, uint64_t* ranked, int32_t* ranked_count) {
  const int32_t count = min(*key_count, capacity);
  const int32_t kept = min(count, keep);
  for (int32_t i = 0; i < kept; ++i) ranked[i] = keys[i];
  for (int32_t i = kept / 2 - 1; i >= 0; --i) sift_down(ranked, kept, i);
  for (int32_t i = kept; i < count; ++i) {
    if (keys[i] <= ranked[0]) continue;
    ranked[0] = keys[i];
    sift_down(ranked, kept, 0);
  }
  for (int32_t size = kept - 1; size > 0; --size) {  // The least goes to the end.
    const uint64_t least = ranked[0];
    ranked[0] = ranked[size];
    ranked[size] = least;
    sift_down(ranked, size, 0);
  }
  *ranked_count = kept;
}

}  // namespace VRT_HOST_NAMESPACE
