// depth_colors.cu for the CPU: a run of pixels at a time, channel by channel, so that it is worked out in vectors.
#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {
namespace {

constexpr int32_t kRun = 64;

float from_ordered(uint32_t ordered) {
  return __uint_as_float((ordered >> 31) != 0 ? ordered ^ 0x80000000u : ~ordered);
}

struct Coefficients {
  float a, b, c, d, e, f;
};

constexpr Coefficients kRed = {0.13572138f, 4.61539260f, -42.66032258f, 132.13108234f, -152.94239396f, 59.28637943f};
constexpr Coefficients kGreen = {0.09140261f, 2.19418839f, 4.84296658f, -14.18503333f, 4.27729857f, 2.82956604f};
constexpr Coefficients kBlue = {0.10667330f, 12.64194608f, -60.58204836f, 110.36276771f, -89.90310912f, 27.34824973f};

// Bytes as integers: narrower ones would be worked on one by one. What is not known is NaN in `x` and becomes 0.
void channel_of(const float* x, const Coefficients& k, int32_t* bytes) {
  for (int32_t i = 0; i < kRun; ++i) {
    const float share = ((((k.f * x[i] + k.e) * x[i] + k.d) * x[i] + k.c) * x[i] + k.b) * x[i] + k.a;
    const float positive = share > 0.0f ? share : 0.0f;
    const float clamped = positive < 1.0f ? positive : 1.0f;
    bytes[i] = static_cast<int32_t>(clamped * 255.0f + (x[i] == x[i] ? 0.5f : 0.0f));
  }
}

// How the values of a map become places on the scale of colours.
struct Scale {
  float least, span, above;
  bool near_is_small;
};

void places_of(const float* map, int32_t count, const Scale& scale, float* x) {
  for (int32_t i = 0; i < kRun; ++i) {
    const float value = i < count ? map[i] : 0.0f;
    const bool known = value > scale.above && value <= FLT_MAX;
    const float share = scale.span > 0.0f ? (value * 0.5f - scale.least * 0.5f) / scale.span : 0.0f;
    const float place = scale.near_is_small ? 1.0f - share : share;
    x[i] = known ? place : NAN;
  }
}

void paint_run(const float* map, int32_t count, const Scale& scale, uint8_t* rgb) {
  float x[kRun];
  int32_t red[kRun];
  int32_t green[kRun];
  int32_t blue[kRun];
  places_of(map, count, scale, x);
  channel_of(x, kRed, red);
  channel_of(x, kGreen, green);
  channel_of(x, kBlue, blue);
  for (int32_t i = 0; i < count; ++i) {
    rgb[3 * i] = static_cast<uint8_t>(red[i]);
    rgb[3 * i + 1] = static_cast<uint8_t>(green[i]);
    rgb[3 * i + 2] = static_cast<uint8_t>(blue[i]);
  }
}

}  // namespace

void depth_colors(const vrt::HostBlocks& blocks, const float* map, int32_t count, float above, const uint32_t* range,
                  int32_t near_is_small, uint8_t* rgb) {
  const float least = from_ordered(~range[0]);
  const float greatest = from_ordered(range[1]);
  const Scale scale = {least, greatest * 0.5f - least * 0.5f, above, near_is_small != 0};
  const auto size = static_cast<std::uint64_t>(blocks.shape.block.x);
  const auto end = static_cast<int32_t>(min((blocks.first + blocks.count) * size, static_cast<std::uint64_t>(count)));
  for (auto i = static_cast<int32_t>(blocks.first * size); i < end; i += kRun) {
    paint_run(map + i, min(kRun, end - i), scale, rgb + int64_t{3} * i);
  }
}

}  // namespace VRT_HOST_NAMESPACE
