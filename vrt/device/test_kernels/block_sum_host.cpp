#include <algorithm>

#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {

void block_sum(const vrt::HostBlocks& blocks, const int32_t* in, int32_t* sums, int32_t count) {
  const std::uint64_t size = blocks.shape.block.x;
  for (std::uint64_t block = blocks.first; block < blocks.first + blocks.count; ++block) {
    const std::uint64_t end = std::min((block + 1) * size, static_cast<std::uint64_t>(count));
    int32_t sum = 0;
    for (std::uint64_t i = block * size; i < end; ++i) sum += in[i];
    sums[block] = sum;
  }
}

}  // namespace VRT_HOST_NAMESPACE
