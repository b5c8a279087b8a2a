#include <algorithm>

#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {

void warp_sum(const vrt::HostBlocks& blocks, const int32_t* in, int32_t* sums, int32_t count) {
  const std::uint64_t size = blocks.shape.block.x;
  for (std::uint64_t block = blocks.first; block < blocks.first + blocks.count; ++block) {
    sums[block] = 0;
    const std::uint64_t end = std::min((block + 1) * size, static_cast<std::uint64_t>(count));
    for (std::uint64_t i = block * size; i < end; ++i) sums[block] += in[i];
  }
}

void warp_questions(const vrt::HostBlocks& blocks, const int32_t* in, int32_t* out) {
  const int32_t threads = static_cast<int32_t>(blocks.shape.block.x);
  for (int32_t i = 0; i < threads; ++i) {
    const int32_t warp = i / 32 * 32;
    const int32_t group = i / 8 * 8;
    int32_t* answer = out + i * 8;
    answer[0] = in[group + 3];
    answer[1] = in[i - 2 < group ? i : i - 2];
    answer[2] = in[i + 2 >= group + 8 ? i : i + 2];
    answer[3] = in[i ^ 1];
    unsigned ballot = 0;
    for (int32_t lane = 0; lane < 32; ++lane) ballot |= static_cast<unsigned>(in[warp + lane] % 3 == 0) << lane;
    answer[4] = static_cast<int32_t>(ballot);
    answer[5] = std::any_of(in + warp, in + warp + 32, [](int32_t v) { return v == 40; });
    answer[6] = std::all_of(in + warp, in + warp + 32, [](int32_t v) { return v < 40; });
    answer[7] = 32;
  }
}

void block_votes(const vrt::HostBlocks& blocks, const int32_t* in, int32_t* out) {
  const int32_t threads = static_cast<int32_t>(blocks.shape.block.x);
  const auto threes = std::count_if(in, in + threads, [](int32_t v) { return v % 3 == 0; });
  const auto twos = std::count_if(in, in + threads, [](int32_t v) { return v % 2 == 0; });
  for (int32_t i = 0; i < threads; ++i) {
    out[2 * i] = static_cast<int32_t>(threes);
    out[2 * i + 1] = static_cast<int32_t>(twos);
  }
}

void warp_rotate(const vrt::HostBlocks& blocks, const int32_t* in, int32_t* out) {
  const int32_t threads = static_cast<int32_t>(blocks.shape.block.x);
  for (int32_t first = 0; first < threads; first += 32) {
    const int32_t live = std::min(32, threads - first);
    for (int32_t lane = 0; lane < live; ++lane) out[first + lane] = in[first + (lane + 1) % live];
  }
}

void early_return(const vrt::HostBlocks&, const int32_t* in, int32_t* out, int32_t live) {
  std::reverse_copy(in, in + live, out);
}

}  // namespace VRT_HOST_NAMESPACE
