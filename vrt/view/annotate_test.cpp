#include "vrt/view/annotate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/image/test_pictures.h"

namespace vrt {
namespace {

using Rgb = std::array<int, 3>;

Rgb pixel(const ImageView& view, int x, int y) {
  const std::uint8_t* at =
      view.planes[0].data + static_cast<std::size_t>(y) * view.planes[0].pitch_bytes + static_cast<std::size_t>(x) * 3;
  return {at[0], at[1], at[2]};
}

int distance(const Rgb& a, const Rgb& b) {
  int worst = 0;
  for (std::size_t i = 0; i < 3; ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

std::vector<std::uint8_t> filled(Size size, PixelFormat format, std::uint8_t value) {
  return std::vector<std::uint8_t>(packed_bytes(size, format), value);
}

ImageView view_of(const std::vector<std::uint8_t>& pixels, Size size, PixelFormat format, ColorSpace color = {}) {
  return ImageView::packed(Device::cpu(), pixels.data(), size, format, color);
}

/// A picture of one YUV colour in each of the three YUV formats, with padded rows.
struct Uniform {
  std::vector<std::uint8_t> memory;
  ImageView view;

  Uniform(PixelFormat format, Size size, ColorSpace color, std::array<int, 3> yuv) {
    constexpr std::size_t kPadding = 5;
    view.size = size;
    view.format = format;
    view.color = color;
    std::array<std::size_t, 3> offsets{};
    std::size_t bytes = 0;
    for (int plane = 0; plane < plane_count(format); ++plane) {
      const auto index = static_cast<std::size_t>(plane);
      offsets[index] = bytes;
      view.planes[index].pitch_bytes = row_bytes(format, size.width, plane) + kPadding;
      bytes += view.planes[index].pitch_bytes * static_cast<std::size_t>(row_count(format, size.height, plane));
    }
    memory.assign(bytes, 0xCD);
    for (int plane = 0; plane < plane_count(format); ++plane)
      fill(plane, offsets[static_cast<std::size_t>(plane)], yuv);
  }

 private:
  void fill(int plane, std::size_t offset, const std::array<int, 3>& yuv) {
    ImagePlane& to = view.planes[static_cast<std::size_t>(plane)];
    to.data = memory.data() + offset;
    const std::size_t width = row_bytes(view.format, view.size.width, plane);
    for (int y = 0; y < row_count(view.format, view.size.height, plane); ++y) {
      std::uint8_t* row = memory.data() + offset + static_cast<std::size_t>(y) * to.pitch_bytes;
      for (std::size_t x = 0; x < width; ++x) row[x] = static_cast<std::uint8_t>(yuv[component(plane, x)]);
    }
  }
  [[nodiscard]] std::size_t component(int plane, std::size_t x) const {
    if (view.format == PixelFormat::kI420) return static_cast<std::size_t>(plane);
    if (view.format == PixelFormat::kNv12) return plane == 0 ? 0 : 1 + x % 2;
    return x % 2 == 0 ? 0 : 1 + x / 2 % 2;
  }
};

/// The forward transform as the recommendations define it (the code under test implements the inverse).
std::array<int, 3> yuv_of(const Rgb& rgb, ColorSpace color) {
  const bool is_709 = color.matrix == YuvMatrix::kBt709;
  const double kr = is_709 ? 0.2126 : 0.299;
  const double kb = is_709 ? 0.0722 : 0.114;
  const double r = rgb[0] / 255.0;
  const double g = rgb[1] / 255.0;
  const double b = rgb[2] / 255.0;
  const double y = kr * r + (1 - kr - kb) * g + kb * b;
  const double cb = (b - y) / (2 * (1 - kb));
  const double cr = (r - y) / (2 * (1 - kr));
  const bool limited = color.range == YuvRange::kLimited;
  const auto level = [](double value) { return std::clamp(static_cast<int>(std::lround(value)), 0, 255); };
  return {level(limited ? 16 + 219 * y : 255 * y), level(128 + (limited ? 224 : 255) * cb),
          level(128 + (limited ? 224 : 255) * cr)};
}

constexpr std::array kYuvFormats = {PixelFormat::kI420, PixelFormat::kNv12, PixelFormat::kYuyv};

TEST(CanvasTest, ColourBarsOfBt601ComeOutAsTheyWereMade) {
  struct Bar {
    std::array<int, 3> yuv;
    Rgb rgb;
  };
  const Bar bars[] = {{{0xA2, 0x2C, 0x8E}, {191, 191, 0}}, {{0x83, 0x9C, 0x2C}, {0, 191, 191}},
                      {{0x70, 0x48, 0x3A}, {0, 191, 0}},   {{0x54, 0xB8, 0xC6}, {191, 0, 191}},
                      {{0x41, 0x64, 0xD4}, {191, 0, 0}},   {{0x23, 0xD4, 0x72}, {0, 0, 191}},
                      {{0x10, 0x80, 0x80}, {0, 0, 0}},     {{0xEB, 0x80, 0x80}, {255, 255, 255}}};
  for (const PixelFormat format : kYuvFormats) {
    for (const Bar& bar : bars) {
      const Uniform picture(format, {401, 367}, {YuvMatrix::kBt601, YuvRange::kLimited}, bar.yuv);
      Canvas canvas;
      canvas.set(picture.view);
      EXPECT_LE(distance(pixel(canvas.view(), 400, 366), bar.rgb), 2) << to_string(format) << " red " << bar.rgb[0];
    }
  }
}

TEST(CanvasTest, EveryMatrixAndRangeIsInverted) {
  for (const YuvMatrix matrix : {YuvMatrix::kBt601, YuvMatrix::kBt709}) {
    for (const YuvRange range : {YuvRange::kLimited, YuvRange::kFull}) {
      for (const Rgb& rgb : {Rgb{255, 0, 0}, Rgb{0, 255, 0}, Rgb{0, 0, 255}, Rgb{200, 130, 90}, Rgb{12, 40, 33}}) {
        const ColorSpace color{matrix, range};
        const Uniform picture(PixelFormat::kNv12, {400, 360}, color, yuv_of(rgb, color));
        Canvas canvas;
        canvas.set(picture.view);
        EXPECT_LE(distance(pixel(canvas.view(), 17, 5), rgb), 2) << int(matrix) << int(range) << " red " << rgb[0];
      }
    }
  }
}

TEST(CanvasTest, EveryPixelIsWhatPreprocessingMakesOfIt) {
  const Size size{401, 367};
  for (const PixelFormat format : kYuvFormats) {
    for (const YuvRange range : {YuvRange::kLimited, YuvRange::kFull}) {
      const auto picture = testing::random_picture(size, format, 7, {YuvMatrix::kBt709, range}, 3);
      const std::vector<float> planar = testing::preprocess(picture.view, {.target = size, .scale = 1});
      Canvas canvas;
      canvas.set(picture.view);
      int worst = 0;
      for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
          const auto at = static_cast<std::size_t>(y * size.width + x);
          const std::size_t plane = planar.size() / 3;
          const Rgb expected{static_cast<int>(std::lround(planar[at])),
                             static_cast<int>(std::lround(planar[at + plane])),
                             static_cast<int>(std::lround(planar[at + 2 * plane]))};
          worst = std::max(worst, distance(pixel(canvas.view(), x, y), expected));
        }
      }
      EXPECT_LE(worst, 1) << to_string(format) << (range == YuvRange::kLimited ? " limited" : " full");
    }
  }
}

TEST(CanvasTest, RgbFormatsKeepTheirColours) {
  const Size size{400, 360};
  const std::pair<PixelFormat, std::vector<std::uint8_t>> cases[] = {
      {PixelFormat::kRgb8, {10, 20, 30}}, {PixelFormat::kBgr8, {30, 20, 10}}, {PixelFormat::kRgba8, {10, 20, 30, 7}}};
  for (const auto& [format, value] : cases) {
    std::vector<std::uint8_t> pixels;
    for (int i = 0; i < size.width * size.height; ++i) pixels.insert(pixels.end(), value.begin(), value.end());
    Canvas canvas;
    canvas.set(view_of(pixels, size, format));
    EXPECT_EQ(pixel(canvas.view(), 399, 359), (Rgb{10, 20, 30})) << to_string(format);
  }
  const auto grey = filled(size, PixelFormat::kGray8, 77);
  Canvas canvas;
  canvas.set(view_of(grey, size, PixelFormat::kGray8));
  EXPECT_EQ(pixel(canvas.view(), 0, 0), (Rgb{77, 77, 77}));
}

TEST(CanvasTest, SmallPicturesAreEnlargedByAWholeFactor) {
  EXPECT_EQ(Canvas::enlargement_for({176, 144}), 3);
  EXPECT_EQ(Canvas::enlargement_for({640, 360}), 1);
  EXPECT_EQ(Canvas::enlargement_for({640, 359}), 2);
  EXPECT_EQ(Canvas::enlargement_for({2000, 100}), 1) << "a wide strip is not blown up";
  EXPECT_EQ(Canvas::enlargement_for({1, 1}), 360);
  const auto pixels = filled({176, 144}, PixelFormat::kRgb8, 9);
  Canvas canvas;
  canvas.set(view_of(pixels, {176, 144}, PixelFormat::kRgb8));
  EXPECT_EQ(canvas.view().size, (Size{528, 432}));
}

/// How many pixels of a region differ from the uniform background of value 0.
int touched(const ImageView& view, int x1, int y1, int x2, int y2) {
  int count = 0;
  for (int y = y1; y < y2; ++y) {
    for (int x = x1; x < x2; ++x) count += pixel(view, x, y) != Rgb{0, 0, 0};
  }
  return count;
}

TEST(CanvasTest, BoxesAndKeypointsAreDrawnWhereTheyAreInTheSource) {
  const auto pixels = filled({200, 180}, PixelFormat::kRgb8, 0);
  Canvas canvas;
  canvas.set(view_of(pixels, {200, 180}, PixelFormat::kRgb8));
  const Keypoint keypoints[] = {{100, 90, 1}, {120, 100, 0}};
  canvas.draw({{Detection{{50, 60, 150, 140}, 0.9F, 0, "face", keypoints}}});
  const ImageView view = canvas.view();
  ASSERT_EQ(view.size, (Size{400, 360}));
  EXPECT_GT(touched(view, 98, 190, 103, 195), 9) << "left edge, at twice 50";
  EXPECT_GT(touched(view, 297, 190, 302, 195), 9) << "right edge, at twice 150";
  EXPECT_GT(touched(view, 200, 277, 205, 282), 9) << "lower edge, at twice 140";
  EXPECT_GT(touched(view, 196, 176, 204, 184), 40) << "the keypoint";
  EXPECT_EQ(touched(view, 230, 190, 250, 210), 0) << "the keypoint of confidence 0";
  EXPECT_EQ(touched(view, 110, 130, 190, 270), 0) << "inside the box";
}

TEST(CanvasTest, LabelsStayInsideThePicture) {
  const auto pixels = filled({400, 360}, PixelFormat::kRgb8, 0);
  for (const Box& box : {Box{0, 0, 80, 60}, Box{390, 0, 400, 20}, Box{-50, -50, 500, 500}, Box{395, 355, 400, 360}}) {
    Canvas canvas;
    canvas.set(view_of(pixels, {400, 360}, PixelFormat::kRgb8));
    canvas.draw({{Detection{box, 0.5F, 0, "face", {}}}});
    // The filled background of the text is over a thousand pixels of the box's colour; all of it must be in the picture.
    EXPECT_GT(touched(canvas.view(), 0, 0, 400, 360), 1000) << box.x1 << " " << box.y1;
  }
}

TEST(CanvasTest, BoxesFarOutsideAreHarmless) {
  const auto pixels = filled({400, 360}, PixelFormat::kRgb8, 0);
  Canvas canvas;
  canvas.set(view_of(pixels, {400, 360}, PixelFormat::kRgb8));
  canvas.draw({{Detection{{-1e30F, -1e30F, 1e30F, 1e30F}, 0.5F, -7, "", {}}}});
  EXPECT_EQ(touched(canvas.view(), 100, 100, 300, 300), 0);
}

TEST(CanvasTest, TheNextPictureReplacesTheOneBefore) {
  const auto dark = filled({400, 360}, PixelFormat::kRgb8, 0);
  const auto tiny = filled({90, 90}, PixelFormat::kRgb8, 50);
  Canvas canvas;
  canvas.set(view_of(dark, {400, 360}, PixelFormat::kRgb8));
  canvas.draw({{Detection{{50, 60, 150, 140}, 0.9F, 0, "face", {}}}});
  canvas.set(view_of(tiny, {90, 90}, PixelFormat::kRgb8));
  EXPECT_EQ(canvas.view().size, (Size{360, 360}));
  EXPECT_EQ(pixel(canvas.view(), 100, 120), (Rgb{50, 50, 50}));
}

TEST(CanvasTest, PicturesOfADeviceAndDrawingOnNothingAreRefused) {
  const auto pixels = filled({4, 4}, PixelFormat::kRgb8, 0);
  ImageView view = view_of(pixels, {4, 4}, PixelFormat::kRgb8);
  view.device = Device::cuda(0);
  Canvas canvas;
  EXPECT_THROW(canvas.draw({}), Error);
  EXPECT_THROW(canvas.set(view), Error);
}

}  // namespace
}  // namespace vrt
