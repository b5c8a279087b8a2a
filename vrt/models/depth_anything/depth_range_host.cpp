// depth_range.cu for the CPU: a block takes its share of the map in one piece.
#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {
namespace {

uint32_t ordered(float value) {
  const uint32_t bits = __float_as_uint(value);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}

}  // namespace

void depth_range(const vrt::HostBlocks& blocks, const float* map, int32_t count, float above, uint32_t* range) {
  const auto total = static_cast<std::uint64_t>(blocks.shape.grid.x);
  const auto first = static_cast<int32_t>(static_cast<std::uint64_t>(count) * blocks.first / total);
  const auto end = static_cast<int32_t>(static_cast<std::uint64_t>(count) * (blocks.first + blocks.count) / total);
  uint32_t least = 0;
  uint32_t greatest = 0;
  for (int32_t i = first; i < end; ++i) {
    const bool known = map[i] > above && map[i] <= FLT_MAX;
    const uint32_t key = ordered(map[i]);
    least = max(least, known ? ~key : 0u);
    greatest = max(greatest, known ? key : 0u);
  }
  atomicMax(range, least);
  atomicMax(range + 1, greatest);
}

}  // namespace VRT_HOST_NAMESPACE
