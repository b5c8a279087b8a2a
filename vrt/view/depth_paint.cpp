#include "vrt/view/depth_paint.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace vrt::detail {
namespace {

constexpr float kGreatest = std::numeric_limits<float>::max();

/// The colours of shares of the range, in RGB.
using Palette = std::array<std::array<std::uint8_t, 3>, 256>;

Palette turbo() {
  cv::Mat shares(1, 256, CV_8UC1);
  for (int i = 0; i < 256; ++i) shares.at<std::uint8_t>(i) = static_cast<std::uint8_t>(i);
  cv::Mat colours;
  cv::applyColorMap(shares, colours, cv::COLORMAP_TURBO);
  Palette palette;
  for (int i = 0; i < 256; ++i) {
    const auto& bgr = colours.at<cv::Vec3b>(i);
    palette[static_cast<std::size_t>(i)] = {bgr[2], bgr[1], bgr[0]};
  }
  return palette;
}

float least_unknown(DepthScale scale) {
  return scale == DepthScale::kMetres ? 0 : -std::numeric_limits<float>::infinity();
}

std::optional<DepthRange> range_of(std::span<const float> values, float above) {
  DepthRange range{kGreatest, -kGreatest};
  bool any = false;
  for (const float value : values) {
    const bool known = value > above && value <= kGreatest;
    range.least = known ? std::min(range.least, value) : range.least;
    range.greatest = known ? std::max(range.greatest, value) : range.greatest;
    any |= known;
  }
  return any ? std::optional(range) : std::nullopt;
}

}  // namespace

std::optional<DepthRange> paint_depth(std::span<const float> values, DepthScale scale, std::uint8_t* rgb) {
  static const Palette palette = turbo();
  const float above = least_unknown(scale);
  const auto range = range_of(values, above);
  if (!range) {
    std::fill_n(rgb, 3 * values.size(), std::uint8_t{0});
    return range;
  }
  // Halves, so that the difference is finite whatever the values are.
  const float span = range->greatest * 0.5F - range->least * 0.5F;
  const float factor = span > 0 ? 255 / span : 0;
  for (const float value : values) {
    const bool known = value > above && value <= kGreatest;
    const float share = known ? std::min((value * 0.5F - range->least * 0.5F) * factor, 255.0F) : 0;
    const auto index = static_cast<std::size_t>(scale == DepthScale::kMetres ? 255.5F - share : share + 0.5F);
    for (const std::uint8_t channel : palette[index]) *rgb++ = known ? channel : std::uint8_t{0};
  }
  return range;
}

}  // namespace vrt::detail
