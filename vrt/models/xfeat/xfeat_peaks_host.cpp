// xfeat_peaks.cu for the CPU: most of a heatmap is below the threshold, so a run of pixels is looked through for one above first.
#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {
namespace {

constexpr int32_t kReach = 2;
constexpr int32_t kMostInBlock = 1024;

struct Picture {
  const float* heatmap;
  const float* reliability;
  int32_t width, height;
  float threshold;
};

struct Found {
  uint64_t keys[kMostInBlock];
  int32_t count;
};

bool has_any(const float* values, int32_t count, float threshold) {
  int32_t above = 0;
  for (int32_t i = 0; i < count; ++i) above |= values[i] > threshold ? 1 : 0;
  return above != 0;
}

bool is_peak(const Picture& picture, int32_t x, int32_t y, float value) {
  const int32_t bottom = min(y + kReach, picture.height - 1);
  const int32_t left = max(x - kReach, 0);
  const int32_t right = min(x + kReach, picture.width - 1);
  for (int32_t row = max(y - kReach, 0); row <= bottom; ++row) {
    for (int32_t column = left; column <= right; ++column) {
      if (picture.heatmap[row * picture.width + column] > value) return false;
    }
  }
  return true;
}

void collect_run(const Picture& picture, int32_t left, int32_t right, int32_t y, Found& found) {
  const float* row = picture.heatmap + y * picture.width;
  if (!has_any(row + left, right - left, picture.threshold)) return;
  for (int32_t x = left; x < right; ++x) {
    if (!(row[x] > picture.threshold) || !is_peak(picture, x, y, row[x])) continue;
    const int32_t pixel = y * picture.width + x;
    const float score = row[x] * picture.reliability[pixel];
    if (!(score > 0.0f) || !(score <= FLT_MAX)) continue;
    found.keys[found.count++] =
        (static_cast<uint64_t>(__float_as_uint(score) | 0x80000000u) << 32) | ~static_cast<uint32_t>(pixel);
  }
}

}  // namespace

void xfeat_peaks(const vrt::HostBlocks& blocks, const float* heatmap, const float* reliability, int32_t width,
                 int32_t height, float threshold, uint64_t* keys, int32_t* count) {
  const Picture picture = {heatmap, reliability, width, height, threshold};
  const auto block_width = static_cast<int32_t>(blocks.shape.block.x);
  const auto block_height = static_cast<int32_t>(blocks.shape.block.y);
  Found found;
  for (std::uint64_t block = blocks.first; block < blocks.first + blocks.count; ++block) {
    const int32_t left = static_cast<int32_t>(block % blocks.shape.grid.x) * block_width;
    const int32_t top = static_cast<int32_t>(block / blocks.shape.grid.x) * block_height;
    found.count = 0;
    for (int32_t y = top; y < min(top + block_height, height); ++y) {
      collect_run(picture, left, min(left + block_width, width), y, found);
    }
    if (found.count == 0) continue;
    const int32_t first = atomicAdd(count, found.count);
    for (int32_t i = 0; i < found.count; ++i) keys[first + i] = found.keys[i];
  }
}

}  // namespace VRT_HOST_NAMESPACE
