#include "vrt/view/annotate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <string_view>
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

constexpr Rgb kColourOfClass0{64, 220, 120};

/// A canvas with a grey picture.
struct GreyCanvas {
  Canvas canvas;

  explicit GreyCanvas(Size size, std::uint8_t value = 0) {
    const auto pixels = filled(size, PixelFormat::kRgb8, value);
    canvas.set(view_of(pixels, size, PixelFormat::kRgb8));
  }
};

Detection whole_picture(Size size, std::int32_t class_id = 0) {
  return {{0, 0, static_cast<float>(size.width), static_cast<float>(size.height)}, 0.5F, class_id, "", {}};
}

/// Random bits, also in the padding of the rows.
std::vector<std::uint32_t> random_words(Size size, unsigned seed, unsigned zeros_of_8) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> words(mask_words(size));
  for (std::uint32_t& word : words)
    for (int bit = 0; bit < 32; ++bit) word = word << 1 | (random() % 8 >= zeros_of_8 ? 1U : 0U);
  return words;
}

/// What a pixel of a mask of class 0 becomes, by the definition of inside and outline.
Rgb painted(const MaskView& mask, int x, int y, const Rgb& before) {
  if (!is_set(mask, x, y)) return before;
  const bool inner =
      is_set(mask, x - 1, y) && is_set(mask, x + 1, y) && is_set(mask, x, y - 1) && is_set(mask, x, y + 1);
  Rgb after = kColourOfClass0;
  for (std::size_t i = 0; inner && i < 3; ++i)
    after[i] = static_cast<int>(std::floor((0.625 * before[i] + 0.375 * kColourOfClass0[i]) + 0.5));
  return after;
}

TEST(CanvasTest, MasksAreTranslucentWithAnOutlineAtEverySize) {
  for (const Size size : {Size{1, 1}, Size{37, 23}, Size{32, 5}, Size{33, 400}, Size{431, 367}}) {
    const auto words = random_words(size, 5, size.width % 2 == 0 ? 4 : 1);
    const MaskView mask{size, words};
    GreyCanvas grey(size, 90);
    Detection detection = whole_picture(size);
    detection.box = {-500, -500, -400, -400};  // Only its label is in the picture, in the upper left corner.
    grey.canvas.draw({&detection, 1}, {&mask, 1});
    const std::int32_t factor = Canvas::enlargement_for(size);
    const ImageView view = grey.canvas.view();
    int wrong = 0;
    for (int y = view.size.height < 40 ? 0 : 40; y < view.size.height; ++y)
      for (int x = 0; x < view.size.width; ++x)
        wrong += pixel(view, x, y) != painted(mask, x / factor, y / factor, {90, 90, 90});
    EXPECT_EQ(wrong, 0) << size.width << "x" << size.height;
  }
}

TEST(CanvasTest, MasksThatDoNotFitAreRefused) {
  const Size size{40, 30};
  const Detection detection = whole_picture(size);
  const std::vector<std::uint32_t> words(mask_words(size));
  const MaskView good{size, words};
  const MaskView other_size{{30, 40}, words};
  const MaskView too_short{size, std::span(words).first(words.size() - 1)};
  GreyCanvas grey(size);
  EXPECT_NO_THROW(grey.canvas.draw({&detection, 1}, {&good, 1}));
  EXPECT_THROW(grey.canvas.draw({&detection, 1}, {&other_size, 1}), Error);
  EXPECT_THROW(grey.canvas.draw({&detection, 1}, {&too_short, 1}), Error);
  EXPECT_THROW(grey.canvas.draw({}, {&good, 1}), Error);
}

/// How many pixels differ from black halfway between the shoulders, at y = 200.
int touched_between_shoulders(std::vector<Keypoint> joints, std::string_view label) {
  GreyCanvas grey({400, 360});
  const Detection detection{{10, 60, 390, 350}, 0.9F, 0, label, joints};
  grey.canvas.draw({&detection, 1});
  return touched(grey.canvas.view(), 190, 195, 210, 205);
}

TEST(CanvasTest, ThePoseOfAPersonHasLimbs) {
  std::vector<Keypoint> joints(17, Keypoint{200, 300, 0});
  joints[5] = {150, 200, 0.9F};
  joints[6] = {250, 200, 0.25F};
  EXPECT_GE(touched_between_shoulders(joints, "person"), 40);
  EXPECT_GE(touched_between_shoulders(joints, ""), 40);
  EXPECT_EQ(touched_between_shoulders(joints, "dog"), 0);
  std::vector<Keypoint> unsure = joints;
  unsure[6].confidence = 0.2F;
  EXPECT_EQ(touched_between_shoulders(unsure, "person"), 0);
  joints.pop_back();
  EXPECT_EQ(touched_between_shoulders(joints, "person"), 0) << "16 keypoints are another skeleton";
}

TEST(CanvasTest, FeaturesAreDotsWhereTheyAre) {
  GreyCanvas grey({200, 180});
  const float nan = std::nanf("");
  const Keypoint points[] = {{50.5F, 60.5F, 0.1F}, {100, 100, 0}, {-40, 20, 1},
                             {1e30F, 20, 1},       {nan, nan, 1}, {199.9F, 179.9F, 1}};
  grey.canvas.draw_features(points);
  const ImageView view = grey.canvas.view();
  ASSERT_EQ(view.size, (Size{400, 360}));
  EXPECT_EQ(touched(view, 98, 118, 104, 124), 9) << "3x3 at twice 50.5, 60.5";
  EXPECT_EQ(touched(view, 190, 190, 210, 210), 0) << "of confidence 0";
  EXPECT_GE(touched(view, 396, 356, 400, 360), 4) << "at the border";
  EXPECT_LE(touched(view, 0, 0, 400, 360), 9 + 9 + 9);
}

/// The first and the last row with anything but black in columns below 100.
std::pair<int, int> rows_touched(const ImageView& view) {
  std::pair<int, int> rows{view.size.height, -1};
  for (int y = 0; y < view.size.height; ++y) {
    if (touched(view, 0, y, std::min(100, view.size.width), y + 1) == 0) continue;
    rows.first = std::min(rows.first, y);
    rows.second = y;
  }
  return rows;
}

TEST(CanvasTest, LinesOfTextGoBelowEachOtherFromTheCorner) {
  const std::string one[] = {"cat 0.93"};
  const std::string two[] = {"dog 0.50",
                             "a long name that does not fit into the picture at all, however it is turned 0.10"};
  GreyCanvas grey({400, 360});
  grey.canvas.write(one);
  const auto first = rows_touched(grey.canvas.view());
  EXPECT_EQ(first.first, 0);
  EXPECT_GT(first.second, 10);
  grey.canvas.write(two);
  EXPECT_EQ(rows_touched(grey.canvas.view()).second, 3 * (first.second + 1) - 1);
  for (int i = 0; i < 40; ++i) grey.canvas.write(two);  // Beyond the picture's end.
  EXPECT_EQ(rows_touched(grey.canvas.view()).second, 359);
}

bool is_reddish(const Rgb& colour) { return colour[0] > 100 && colour[1] < 60 && colour[2] < 60; }
bool is_bluish(const Rgb& colour) { return colour[2] > colour[0] && colour[2] > colour[1] && colour[0] < 70; }

TEST(CanvasTest, DepthIsAPanelBelowAWidePictureNearRedAndFarBlue) {
  const Size size{400, 360};
  std::vector<float> metres(3 * 4);
  for (std::size_t i = 0; i < metres.size(); ++i) metres[i] = i % 3 == 0 ? 1.5F : i % 3 == 1 ? 9.0F : 0.0F;
  GreyCanvas grey(size, 50);
  grey.canvas.add_depth(DepthMapView{{3, 4}, metres});
  const ImageView view = grey.canvas.view();
  ASSERT_EQ(view.size, (Size{400, 720}));
  EXPECT_EQ(pixel(view, 399, 359), (Rgb{50, 50, 50})) << "the picture is as it was";
  EXPECT_TRUE(is_reddish(pixel(view, 5, 600)));
  EXPECT_TRUE(is_bluish(pixel(view, 200, 600)));
  EXPECT_EQ(pixel(view, 399, 600), (Rgb{0, 0, 0})) << "not known";
  EXPECT_GT(distance(pixel(view, 2, 361), pixel(view, 5, 600)), 100) << "the range is written in the corner";
}

TEST(CanvasTest, RelativeDepthIsNearWhereItIsGreat) {
  const float nearness[] = {-2, 5, std::nanf(""), 5};
  GreyCanvas grey({400, 360});
  grey.canvas.add_depth(RelativeDepthMapView{{4, 1}, nearness});
  const ImageView view = grey.canvas.view();
  EXPECT_TRUE(is_bluish(pixel(view, 3, 361))) << "and nothing is written on it";
  EXPECT_TRUE(is_reddish(pixel(view, 150, 500)));
  EXPECT_LE(distance(pixel(view, 250, 500), {0, 0, 0}), 2) << "not known, at the centre of its cell";
}

TEST(CanvasTest, APanelBesideAHighPictureLeavesThePictureAndWhatIsDrawnLater) {
  const Size size{361, 403};
  const auto picture = testing::random_picture(size, PixelFormat::kRgb8, 9, {}, 0);
  Canvas alone;
  Canvas with_panels;
  alone.set(picture.view);
  with_panels.set(picture.view);
  const std::vector<float> metres(7 * 5, 2.0F);
  with_panels.add_depth(DepthMapView{{7, 5}, metres});
  with_panels.add_depth(RelativeDepthMapView{{7, 5}, metres});
  const Detection detection{{300, 100, 500, 300}, 0.9F, 1, "wider than the picture", {}};
  alone.draw({&detection, 1});
  with_panels.draw({&detection, 1});
  const ImageView view = with_panels.view();
  ASSERT_EQ(view.size, (Size{3 * 361, 403}));
  int wrong = 0;
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) wrong += pixel(view, x, y) != pixel(alone.view(), x, y);
    for (int x = 361; x < 3 * 361 && y > 40; ++x) wrong += pixel(view, x, y) != pixel(view, x < 722 ? 361 : 722, 402);
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(is_reddish(pixel(view, 500, 300))) << "metres that are all the same are near";
  EXPECT_TRUE(is_bluish(pixel(view, 800, 300))) << "nearness that is all the same is far";
}

TEST(CanvasTest, TheSmallestAndUnknownDepthMapsArePanelsToo) {
  const float unknown = 0;
  GreyCanvas grey({1, 1}, 200);
  grey.canvas.add_depth(DepthMapView{{1, 1}, {&unknown, 1}});
  const ImageView view = grey.canvas.view();
  ASSERT_EQ(view.size, (Size{360, 720}));
  EXPECT_EQ(pixel(view, 0, 0), (Rgb{200, 200, 200}));
  EXPECT_EQ(touched(view, 0, 360, 360, 720), 0);
  EXPECT_THROW(grey.canvas.add_depth(DepthMapView{{2, 1}, {&unknown, 1}}), Error);
  EXPECT_THROW(grey.canvas.add_depth(RelativeDepthMapView{}), Error);
}

TEST(CanvasTest, FramesReuseItsMemoryAndLoseThePanelsOfThoseBefore) {
  const Size size{400, 360};
  const auto pixels = filled(size, PixelFormat::kRgb8, 7);
  const std::vector<float> metres(4, 2.0F);
  Canvas canvas;
  const std::uint8_t* memory = nullptr;
  for (int frame = 0; frame < 3; ++frame) {
    canvas.set(view_of(pixels, size, PixelFormat::kRgb8));
    EXPECT_EQ(canvas.view().size, size);
    canvas.add_depth(DepthMapView{{2, 2}, metres});
    EXPECT_EQ(canvas.view().size, (Size{400, 720}));
    EXPECT_TRUE(frame == 0 || canvas.view().planes[0].data == memory);
    memory = canvas.view().planes[0].data;
  }
}

TEST(CanvasTest, NothingIsDrawnWithoutAPicture) {
  Canvas canvas;
  EXPECT_THROW(canvas.draw_features({}), Error);
  EXPECT_THROW(canvas.write({}), Error);
  EXPECT_THROW(canvas.add_depth(DepthMapView{}), Error);
}

}  // namespace
}  // namespace vrt
