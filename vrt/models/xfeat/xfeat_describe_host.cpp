// xfeat_describe.cu for the CPU: the same sums in the same order.
#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {
namespace {

constexpr int32_t kChannels = 64;

struct Taps {
  int32_t first, second;
  float weight;
};

Taps taps_of(int32_t pixel, int32_t cells) {
  const float centre = (static_cast<float>(pixel) + 0.5f) * 0.125f - 0.5f;
  const float place = fminf(fmaxf(centre, 0.0f), static_cast<float>(cells - 1));
  const auto first = static_cast<int32_t>(place);
  return {first, min(first + 1, cells - 1), place - static_cast<float>(first)};
}

void sample(const float* maps, Taps x, Taps y, const XFeatGeometry& geometry, float* values) {
  const int32_t cells = geometry.map_width * geometry.map_height;
  const float* upper = maps + y.first * geometry.map_width;
  const float* lower = maps + y.second * geometry.map_width;
  for (int32_t i = 0; i < kChannels; ++i, upper += cells, lower += cells) {
    const float top = upper[x.first] * (1.0f - x.weight) + upper[x.second] * x.weight;
    const float bottom = lower[x.first] * (1.0f - x.weight) + lower[x.second] * x.weight;
    values[i] = top * (1.0f - y.weight) + bottom * y.weight;
  }
}

// As a warp adds: lane i has channels i and i + 32, then lanes 16, 8, 4, 2 and 1 apart meet.
float length_of(const float* values) {
  float sums[32];
  for (int32_t i = 0; i < 32; ++i) sums[i] = values[i] * values[i] + values[i + 32] * values[i + 32];
  for (int32_t reach = 16; reach > 0; reach /= 2) {
    for (int32_t i = 0; i < reach; ++i) sums[i] += sums[i + reach];
  }
  return fmaxf(__fsqrt_rn(sums[0]), 1e-12f);
}

}  // namespace

void xfeat_describe(const vrt::HostBlocks& blocks, const uint64_t* keys, const int32_t* count, const float* maps,
                    XFeatGeometry geometry, float* keypoints, float* descriptors) {
  const auto in_block = static_cast<std::uint64_t>(blocks.shape.block.x / 32);
  const std::uint64_t end = min((blocks.first + blocks.count) * in_block, static_cast<std::uint64_t>(max(*count, 0)));
  for (std::uint64_t own = blocks.first * in_block; own < end; ++own) {
    const auto pixel = static_cast<int32_t>(~static_cast<uint32_t>(keys[own]));
    const int32_t x = pixel % geometry.width;
    const int32_t y = pixel / geometry.width;
    float values[kChannels];
    sample(maps, taps_of(x, geometry.map_width), taps_of(y, geometry.map_height), geometry, values);
    const float length = length_of(values);
    for (int32_t i = 0; i < kChannels; ++i) descriptors[own * kChannels + i] = __fdiv_rn(values[i], length);
    keypoints[own * 3] = (static_cast<float>(x) + 0.5f) * geometry.scale_x;
    keypoints[own * 3 + 1] = (static_cast<float>(y) + 0.5f) * geometry.scale_y;
    keypoints[own * 3 + 2] = __uint_as_float(static_cast<uint32_t>(keys[own] >> 32) & 0x7FFFFFFFu);
  }
}

}  // namespace VRT_HOST_NAMESPACE
