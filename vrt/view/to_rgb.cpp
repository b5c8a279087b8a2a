#include "vrt/view/to_rgb.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "vrt/image/yuv_to_rgb.h"

namespace vrt::detail {
namespace {

/// YUV to RGB in 16-bit fixed point, so that eight pixels fit one vector of the least x86-64: samples are shifted up, multiplied,
/// and the upper halves of the products kept, with kBits fractional bits. The result is within a level of the exact one.
struct YuvCoefficients {
  static constexpr int kBits = 4;
  static constexpr int kLumaShift = 7;    ///< 255 << 7 fits 16 bits.
  static constexpr int kChromaShift = 8;  ///< Chroma is signed: -128 << 8 fits.
  std::int16_t luma_offset = 0;
  std::int16_t luma = 0;
  std::int16_t cr_to_red = 0;
  std::int16_t cb_to_green = 0;
  std::int16_t cr_to_green = 0;
  std::int16_t cb_to_blue = 0;
};

YuvCoefficients coefficients_for(ColorSpace color) {
  const auto fixed = [](double value, int sample_shift) {
    return static_cast<std::int16_t>(std::lround(std::ldexp(value, 16 + YuvCoefficients::kBits - sample_shift)));
  };
  const auto of_chroma = [&](double value) { return fixed(value, YuvCoefficients::kChromaShift); };
  const YuvToRgb exact = yuv_to_rgb(color);
  // What green loses is kept as positive numbers.
  return {.luma_offset = static_cast<std::int16_t>(exact.luma_offset),
          .luma = fixed(exact.luma, YuvCoefficients::kLumaShift),
          .cr_to_red = of_chroma(exact.red_cr),
          .cb_to_green = of_chroma(-exact.green_cb),
          .cr_to_green = of_chroma(-exact.green_cr),
          .cb_to_blue = of_chroma(exact.blue_cb)};
}

/// The upper half of the product.
std::int16_t multiply_high(std::int16_t a, std::int16_t b) {
  return static_cast<std::int16_t>((std::int32_t{a} * std::int32_t{b}) >> 16);
}

std::uint8_t to_byte(int fixed) {
  constexpr int kHalf = 1 << (YuvCoefficients::kBits - 1);
  const auto rounded = static_cast<std::int16_t>(static_cast<std::int16_t>(fixed + kHalf) >> YuvCoefficients::kBits);
  return static_cast<std::uint8_t>(std::clamp<std::int16_t>(rounded, 0, 255));
}

/// One row of each component at full width, and the row's colours; all in one scratch block.
struct Row {
  std::uint8_t* y;
  std::uint8_t* cb;
  std::uint8_t* cr;
  std::uint8_t* red;
  std::uint8_t* green;
  std::uint8_t* blue;
};

constexpr std::size_t kRowParts = 6;

Row row_in(std::vector<std::uint8_t>& scratch, std::size_t width) {
  scratch.resize(kRowParts * width);
  std::uint8_t* data = scratch.data();
  return {data, data + width, data + 2 * width, data + 3 * width, data + 4 * width, data + 5 * width};
}

/// Planar in and out, without aliases, so that the loop is vectorised.
[[gnu::always_inline]] inline void convert_each(const YuvCoefficients k, int width,
                                                const std::uint8_t* __restrict__ luma,
                                                const std::uint8_t* __restrict__ blue_difference,
                                                const std::uint8_t* __restrict__ red_difference,
                                                std::uint8_t* __restrict__ red, std::uint8_t* __restrict__ green,
                                                std::uint8_t* __restrict__ blue) {
  for (int x = 0; x < width; ++x) {
    const auto y = static_cast<std::int16_t>((luma[x] - k.luma_offset) << YuvCoefficients::kLumaShift);
    const auto cb = static_cast<std::int16_t>((blue_difference[x] - 128) << YuvCoefficients::kChromaShift);
    const auto cr = static_cast<std::int16_t>((red_difference[x] - 128) << YuvCoefficients::kChromaShift);
    const std::int16_t grey = multiply_high(y, k.luma);
    red[x] = to_byte(grey + multiply_high(cr, k.cr_to_red));
    green[x] = to_byte(grey - multiply_high(cb, k.cb_to_green) - multiply_high(cr, k.cr_to_green));
    blue[x] = to_byte(grey + multiply_high(cb, k.cb_to_blue));
  }
}

/// `luma` is the row's, in the picture or in `row.y`.
using ConvertRow = void (*)(const YuvCoefficients& k, int width, const std::uint8_t* luma, const Row& row);

void convert_row_portable(const YuvCoefficients& k, int width, const std::uint8_t* luma, const Row& row) {
  convert_each(k, width, luma, row.cb, row.cr, row.red, row.green, row.blue);
}

#ifdef __x86_64__
/// The same, with twice as many pixels in a vector.
[[gnu::target("avx2")]] void convert_row_avx2(const YuvCoefficients& k, int width, const std::uint8_t* luma,
                                              const Row& row) {
  convert_each(k, width, luma, row.cb, row.cr, row.red, row.green, row.blue);
}

ConvertRow row_converter() { return __builtin_cpu_supports("avx2") != 0 ? convert_row_avx2 : convert_row_portable; }
#else
ConvertRow row_converter() { return convert_row_portable; }
#endif

void repeat_twice(const std::uint8_t* __restrict__ from, std::uint8_t* __restrict__ to, int count) {
  for (int pair = 0; pair < count / 2; ++pair) to[2 * pair] = to[2 * pair + 1] = from[pair];
  if (count % 2 == 1) to[count - 1] = from[count / 2];
}

const std::uint8_t* row_of(const ImageView& picture, std::size_t plane, int row) {
  const ImagePlane& from = picture.planes[plane];
  return from.data + static_cast<std::size_t>(row) * from.pitch_bytes;
}

/// Fills `out`'s chroma, and returns where the row's luma is.
const std::uint8_t* load_i420(const ImageView& picture, int row, const Row& out) {
  repeat_twice(row_of(picture, 1, row / 2), out.cb, picture.size.width);
  repeat_twice(row_of(picture, 2, row / 2), out.cr, picture.size.width);
  return row_of(picture, 0, row);
}

const std::uint8_t* load_nv12(const ImageView& picture, int row, const Row& out) {
  const std::uint8_t* chroma = row_of(picture, 1, row / 2);
  for (int x = 0; x < picture.size.width; ++x) {
    out.cb[x] = chroma[x / 2 * 2];
    out.cr[x] = chroma[x / 2 * 2 + 1];
  }
  return row_of(picture, 0, row);
}

const std::uint8_t* load_yuyv(const ImageView& picture, int row, const Row& out) {
  const std::uint8_t* line = row_of(picture, 0, row);
  for (int x = 0; x < picture.size.width; ++x) {
    out.y[x] = line[2 * x];
    out.cb[x] = line[x / 2 * 4 + 1];
    out.cr[x] = line[x / 2 * 4 + 3];
  }
  return out.y;
}

template <typename Load>
void convert_yuv(const ImageView& picture, std::uint8_t* rgb, std::vector<std::uint8_t>& scratch, const Load& load) {
  const YuvCoefficients coefficients = coefficients_for(picture.color);
  const ConvertRow convert_row = row_converter();
  const int width = picture.size.width;
  const Row row = row_in(scratch, static_cast<std::size_t>(width));
  const cv::Mat planes[] = {cv::Mat(1, width, CV_8UC1, row.red), cv::Mat(1, width, CV_8UC1, row.green),
                            cv::Mat(1, width, CV_8UC1, row.blue)};
  for (int y = 0; y < picture.size.height; ++y) {
    const std::uint8_t* luma = load(picture, y, row);
    convert_row(coefficients, width, luma, row);
    cv::Mat line(1, width, CV_8UC3, rgb + static_cast<std::size_t>(y) * static_cast<std::size_t>(width) * 3);
    cv::merge(planes, std::size(planes), line);
  }
}

/// The RGB-like formats, through OpenCV. `code` below 0 means a copy.
void convert_packed(const ImageView& picture, std::uint8_t* rgb, int channels, int code) {
  const cv::Mat from(picture.size.height, picture.size.width, CV_8UC(channels),
                     const_cast<std::uint8_t*>(picture.planes[0].data), picture.planes[0].pitch_bytes);  // read only
  cv::Mat to(picture.size.height, picture.size.width, CV_8UC3, rgb);
  if (code < 0) {
    from.copyTo(to);
  } else {
    cv::cvtColor(from, to, code);
  }
}

}  // namespace

void to_rgb(const ImageView& picture, std::uint8_t* rgb, std::vector<std::uint8_t>& scratch) {
  switch (picture.format) {
    case PixelFormat::kRgb8: return convert_packed(picture, rgb, 3, -1);
    case PixelFormat::kBgr8: return convert_packed(picture, rgb, 3, cv::COLOR_BGR2RGB);
    case PixelFormat::kRgba8: return convert_packed(picture, rgb, 4, cv::COLOR_RGBA2RGB);
    case PixelFormat::kGray8: return convert_packed(picture, rgb, 1, cv::COLOR_GRAY2RGB);
    case PixelFormat::kI420: return convert_yuv(picture, rgb, scratch, load_i420);
    case PixelFormat::kNv12: return convert_yuv(picture, rgb, scratch, load_nv12);
    case PixelFormat::kYuyv: return convert_yuv(picture, rgb, scratch, load_yuyv);
  }
}

}  // namespace vrt::detail
