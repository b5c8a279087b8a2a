// osnet_embed.cu for the CPU: the same sums in the same order.
#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {
namespace {

constexpr int32_t kLanes = 32;

// As a warp adds: each lane its channels, then lanes 16, 8, 4, 2 and 1 apart meet.
float squares_of(const float* values, int32_t channels) {
  float sums[kLanes] = {};
  const int32_t whole = channels / kLanes * kLanes;
  for (int32_t i = 0; i < whole; i += kLanes) {
    for (int32_t lane = 0; lane < kLanes; ++lane) sums[lane] += values[i + lane] * values[i + lane];
  }
  for (int32_t i = whole; i < channels; ++i) sums[i - whole] += values[i] * values[i];
  for (int32_t reach = kLanes / 2; reach > 0; reach /= 2) {
    for (int32_t lane = 0; lane < reach; ++lane) sums[lane] += sums[lane + reach];
  }
  return sums[0];
}

}  // namespace

void osnet_embed(const vrt::HostBlocks& blocks, const float* features, const int32_t* count, int32_t channels,
                 float* embeddings) {
  const auto in_block = static_cast<std::uint64_t>(blocks.shape.block.x / kLanes);
  const std::uint64_t end = min((blocks.first + blocks.count) * in_block, static_cast<std::uint64_t>(max(*count, 0)));
  for (std::uint64_t row = blocks.first * in_block; row < end; ++row) {
    const float* own = features + row * channels;
    const float squares = squares_of(own, channels);
    const bool finite = squares <= FLT_MAX;
    const float length = fmaxf(__fsqrt_rn(squares), 1e-12f);
    for (int32_t i = 0; i < channels; ++i) embeddings[row * channels + i] = finite ? __fdiv_rn(own[i], length) : 0.0F;
  }
}

}  // namespace VRT_HOST_NAMESPACE
