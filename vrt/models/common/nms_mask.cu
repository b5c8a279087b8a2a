// Which of ranked boxes suppress which: the first half of non-maximum suppression. No barriers.

// Bit b of word w in row i says that box i, if it is kept, suppresses the weaker box 32 * w + b: their intersection
// over union is above the threshold and, unless `classes` is null, they are of one class. A row's own bit says that the
// box itself is to be dropped: it is empty or not finite. Rows have 32 words; only words from the row's own one on are
// written, and only those that hold boxes below `count`. One thread a word: rows along x and blockIdx.y, the word is
// blockIdx.x.
extern "C" __global__ void nms_mask(const float4* __restrict__ boxes, const int32_t* __restrict__ classes,
                                    const int32_t* __restrict__ count, float threshold, uint32_t* __restrict__ mask) {
  const int32_t total = __ldg(count);
  const int32_t word = static_cast<int32_t>(blockIdx.x);
  const int32_t row = static_cast<int32_t>(blockIdx.y * blockDim.x + threadIdx.x);
  if (row >= total || word < row / 32 || word * 32 >= total) return;
  const float4 a = __ldg(boxes + row);
  const float area_a = (a.z - a.x) * (a.w - a.y);
  const int32_t last = min(word * 32 + 32, total);
  uint32_t bits = 0;
  for (int32_t column = max(word * 32, row); column < last; ++column) {
    const float4 b = __ldg(boxes + column);
    const float width = fminf(a.z, b.z) - fmaxf(a.x, b.x);
    const float height = fminf(a.w, b.w) - fmaxf(a.y, b.y);
    const float shared = width > 0.0f && height > 0.0f ? width * height : 0.0f;
    const float united = area_a + (b.z - b.x) * (b.w - b.y) - shared;
    const bool same_class = classes == nullptr || __ldg(classes + row) == __ldg(classes + column);
    // Not written as "is empty", so that NaN counts as invalid; an infinite area fails too.
    const bool valid = a.z > a.x && a.w > a.y && area_a - area_a == 0.0f;
    const bool set = column == row ? !valid : same_class && shared > threshold * united;
    bits |= static_cast<uint32_t>(set) << (column - word * 32);
  }
  mask[row * 32 + word] = bits;
}
