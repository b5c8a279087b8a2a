// nms_reduce.cu for the CPU: one box after the other.
namespace VRT_HOST_NAMESPACE {

void nms_reduce(const vrt::HostBlocks&, const uint32_t* mask, const int32_t* count, int32_t max_kept, int32_t* kept,
                int32_t* kept_count) {
  const int32_t total = min(*count, 1024);
  const int32_t words = (total + 31) / 32;
  uint32_t dropped[32] = {};
  int32_t written = 0;
  for (int32_t row = 0; row < total && written < max_kept; ++row) {
    const uint32_t* row_mask = mask + row * 32;
    const int32_t own = row / 32;
    if ((((dropped[own] | row_mask[own]) >> (row % 32)) & 1U) != 0) continue;  // A row's own bit: the box is invalid.
    kept[written++] = row;
    for (int32_t word = own; word < words; ++word) dropped[word] |= row_mask[word];
  }
  *kept_count = written;
}

}  // namespace VRT_HOST_NAMESPACE
