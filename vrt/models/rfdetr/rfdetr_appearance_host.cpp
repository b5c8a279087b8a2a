// rfdetr_normalise of rfdetr_appearance.cu for the CPU: the length once for each instance.
#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {

void rfdetr_normalise(const vrt::HostBlocks& blocks, const float* sums, const int32_t* count, int32_t channels,
                      float* vectors) {
  const auto per_instance = static_cast<uint64_t>(blocks.shape.grid.x);
  for (uint64_t block = blocks.first; block < blocks.first + blocks.count; ++block) {
    const auto instance = static_cast<int32_t>(block / per_instance);
    if (block % per_instance != 0 || instance >= *count) continue;  // The first of an instance's blocks does it all.
    const float* const values = sums + static_cast<int64_t>(instance) * channels;
    float squares = 0.0F;
    for (int32_t i = 0; i < channels; ++i) squares += values[i] * values[i];
    const float length = sqrtf(squares);
    const bool has_length = length > 0.0F && length - length == 0.0F;
    float* const vector = vectors + static_cast<int64_t>(instance) * channels;
    for (int32_t i = 0; i < channels; ++i) vector[i] = has_length ? values[i] / length : 0.0F;
  }
}

}  // namespace VRT_HOST_NAMESPACE
