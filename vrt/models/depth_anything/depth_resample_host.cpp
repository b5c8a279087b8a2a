// depth_resample.cu for the CPU: the same values, but where columns and rows lie is worked out once for a block.
#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {
namespace {

constexpr int32_t kMostColumns = 1024;

struct Taps {
  int32_t first, second;
  float weight;
};

Taps taps_of(int32_t pixel, int32_t pixels, int32_t cells) {
  const int32_t place = (2 * pixel + 1) * cells - pixels;
  if (place <= 0) return {0, 0, 0.0f};
  const int32_t unit = 2 * pixels;
  const int32_t first = place / unit;
  if (first >= cells - 1) return {cells - 1, cells - 1, 0.0f};
  return {first, first + 1, static_cast<float>(place - first * unit) / static_cast<float>(unit)};
}

// The four cells around a pixel.
struct Cells {
  float value[4];
  float weight[4];
};

bool is_known(float value, const DepthResample& params) { return value > params.above && value <= FLT_MAX; }

float blended_known(const Cells& cells, bool right, bool lower, const DepthResample& params) {
  bool known[4];
  for (int32_t i = 0; i < 4; ++i) known[i] = is_known(cells.value[i], params);
  if (!known[(lower ? 2 : 0) + (right ? 1 : 0)]) return params.unknown;
  float sum = 0.0f;
  float weights = 0.0f;
  for (int32_t i = 0; i < 4; ++i) {
    const float weight = known[i] ? cells.weight[i] : 0.0f;
    const float product = (known[i] ? cells.value[i] : 0.0f) * weight;
    sum = i == 0 ? product : sum + product;
    weights = i == 0 ? weight : weights + weight;
  }
  return sum / weights;
}

float blended(const float* upper, const float* lower, const Taps& x, const Taps& y, const DepthResample& params) {
  const float a = upper[x.first];
  const float b = upper[x.second];
  const float c = lower[x.first];
  const float d = lower[x.second];
  const float left = 1.0f - x.weight;
  const float top = 1.0f - y.weight;
  if (is_known(a, params) && is_known(b, params) && is_known(c, params) && is_known(d, params)) {
    return (a * left + b * x.weight) * top + (c * left + d * x.weight) * y.weight;
  }
  const Cells cells = {{a, b, c, d}, {left * top, x.weight * top, left * y.weight, x.weight * y.weight}};
  return blended_known(cells, x.weight >= 0.5f, y.weight >= 0.5f, params);
}

}  // namespace

void depth_resample(const vrt::HostBlocks& blocks, const float* grid, float* map, DepthResample params) {
  const auto block_width = static_cast<int32_t>(blocks.shape.block.x);
  const auto block_height = static_cast<int32_t>(blocks.shape.block.y);
  Taps columns[kMostColumns];
  for (std::uint64_t block = blocks.first; block < blocks.first + blocks.count; ++block) {
    const int32_t left = static_cast<int32_t>(block % blocks.shape.grid.x) * block_width;
    const int32_t top = static_cast<int32_t>(block / blocks.shape.grid.x) * block_height;
    const int32_t right = min(left + block_width, params.width);
    for (int32_t x = left; x < right; ++x) columns[x - left] = taps_of(x, params.width, params.grid_width);
    for (int32_t y = top; y < min(top + block_height, params.height); ++y) {
      const Taps row = taps_of(y, params.height, params.grid_height);
      const float* upper = grid + row.first * params.grid_width;
      const float* lower = grid + row.second * params.grid_width;
      float* out = map + y * params.width;
      for (int32_t x = left; x < right; ++x) out[x] = blended(upper, lower, columns[x - left], row, params);
    }
  }
}

}  // namespace VRT_HOST_NAMESPACE
