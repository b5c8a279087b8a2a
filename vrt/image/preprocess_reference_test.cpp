// The kernels against three independent references: a naive one in double, OpenCV, and Pillow (golden files).
#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "vrt/base/testing/location.h"
#include "vrt/image/preprocessor.h"
#include "vrt/image/test_pictures.h"

namespace vrt {
namespace {

using testing::empty_picture;
using testing::random_picture;
using testing::TestPicture;

// --- Naive reference: whole weight matrices in double, colours from the standards' formulas -------------------------

struct Rgb {
  double value[3];
};

double byte_of(double value) { return std::floor(std::clamp(value, 0.0, 255.0) + 0.5); }

// Y, Cb and Cr as they are stored for a pixel.
Rgb stored_yuv(const ImageView& v, std::int32_t x, std::int32_t y) {
  const auto at = [&](std::size_t plane, std::int32_t row, std::int32_t column) -> double {
    return v.planes[plane]
        .data[static_cast<std::size_t>(row) * v.planes[plane].pitch_bytes + static_cast<std::size_t>(column)];
  };
  if (v.format == PixelFormat::kNv12) return {{at(0, y, x), at(1, y / 2, x / 2 * 2), at(1, y / 2, x / 2 * 2 + 1)}};
  if (v.format == PixelFormat::kI420) return {{at(0, y, x), at(1, y / 2, x / 2), at(2, y / 2, x / 2)}};
  return {{at(0, y, 2 * x), at(0, y, x / 2 * 4 + 1), at(0, y, x / 2 * 4 + 3)}};
}

Rgb decoded_yuv(const ImageView& view, std::int32_t x, std::int32_t y) {
  const Rgb stored = stored_yuv(view, x, y);
  const bool is_limited = view.color.range == YuvRange::kLimited;
  const double luma = is_limited ? (stored.value[0] - 16) / 219 : stored.value[0] / 255;
  const double cb = (stored.value[1] - 128) / (is_limited ? 224 : 255);
  const double cr = (stored.value[2] - 128) / (is_limited ? 224 : 255);
  const bool is_601 = view.color.matrix == YuvMatrix::kBt601;
  const double kr = is_601 ? 0.299 : 0.2126;
  const double kb = is_601 ? 0.114 : 0.0722;
  const double red = luma + (2 - 2 * kr) * cr;
  const double blue = luma + (2 - 2 * kb) * cb;
  const double green = (luma - kr * red - kb * blue) / (1 - kr - kb);
  return {{byte_of(255 * red), byte_of(255 * green), byte_of(255 * blue)}};
}

Rgb decoded(const ImageView& view, std::int32_t x, std::int32_t y) {
  const std::uint8_t* row = view.planes[0].data + static_cast<std::size_t>(y) * view.planes[0].pitch_bytes;
  switch (view.format) {
    case PixelFormat::kRgb8: return {{double(row[3 * x]), double(row[3 * x + 1]), double(row[3 * x + 2])}};
    case PixelFormat::kBgr8: return {{double(row[3 * x + 2]), double(row[3 * x + 1]), double(row[3 * x])}};
    case PixelFormat::kRgba8: return {{double(row[4 * x]), double(row[4 * x + 1]), double(row[4 * x + 2])}};
    case PixelFormat::kGray8: return {{double(row[x]), double(row[x]), double(row[x])}};
    default: return decoded_yuv(view, x, y);
  }
}

using Matrix = std::vector<std::vector<double>>;  // [target][source]

Matrix weights(Interpolation interpolation, double used_begin, double used, std::int32_t filled, std::int32_t source) {
  Matrix matrix(static_cast<std::size_t>(filled), std::vector<double>(static_cast<std::size_t>(source)));
  const double scale = used / filled;
  for (std::int32_t target = 0; target < filled; ++target) {
    std::vector<double>& row = matrix[static_cast<std::size_t>(target)];
    const double centre = used_begin + (target + 0.5) * scale;
    const bool widen = interpolation == Interpolation::kBilinearAntialiased;
    const double reach = widen ? std::max(scale, 1.0) : 1.0;
    // Without antialiasing, what lies outside counts as the border pixel; with it, it does not count.
    const std::int32_t margin = widen ? 0 : 2;
    double sum = 0;
    for (std::int32_t pixel = -margin; pixel < source + margin; ++pixel) {
      const double weight = std::max(0.0, 1 - std::abs(pixel + 0.5 - centre) / reach);
      row[static_cast<std::size_t>(std::clamp(pixel, 0, source - 1))] += weight;
      sum += weight;
    }
    for (double& weight : row) weight /= sum;
  }
  return matrix;
}

std::size_t output_index(const PreprocessOptions& o, std::int32_t x, std::int32_t y, std::size_t channel) {
  if (o.order == ChannelOrder::kBgr) channel = 2 - channel;
  const auto width = static_cast<std::size_t>(o.target.width);
  const auto height = static_cast<std::size_t>(o.target.height);
  const std::size_t pixel = static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x);
  return o.layout == TensorLayout::kPlanar ? channel * width * height + pixel : pixel * 3 + channel;
}

Rgb weighted(const ImageView& view, const std::vector<double>& columns, const std::vector<double>& rows) {
  Rgb sum{};
  for (std::int32_t y = 0; y < view.size.height; ++y) {
    for (std::int32_t x = 0; x < view.size.width; ++x) {
      const double weight = columns[static_cast<std::size_t>(x)] * rows[static_cast<std::size_t>(y)];
      if (weight == 0) continue;
      const Rgb pixel = decoded(view, x, y);
      for (int channel = 0; channel < 3; ++channel) sum.value[channel] += weight * pixel.value[channel];
    }
  }
  return sum;
}

std::vector<double> naive(const ImageView& view, const PreprocessOptions& o) {
  const ResizeMapping m = ResizeMapping::make(o.mode, view.size, o.target, o.pad_position);
  const Matrix columns = weights(o.interpolation, m.used.x, m.used.width, m.filled.width, view.size.width);
  const Matrix rows = weights(o.interpolation, m.used.y, m.used.height, m.filled.height, view.size.height);
  std::vector<double> result(3 * static_cast<std::size_t>(o.target.width) * static_cast<std::size_t>(o.target.height));
  for (std::int32_t y = 0; y < o.target.height; ++y) {
    for (std::int32_t x = 0; x < o.target.width; ++x) {
      const std::int32_t inside_x = x - m.filled.x;
      const std::int32_t inside_y = y - m.filled.y;
      Rgb color{{o.pad_value, o.pad_value, o.pad_value}};
      if (inside_x >= 0 && inside_x < m.filled.width && inside_y >= 0 && inside_y < m.filled.height) {
        color = weighted(view, columns[static_cast<std::size_t>(inside_x)], rows[static_cast<std::size_t>(inside_y)]);
      }
      for (std::size_t channel = 0; channel < 3; ++channel) {
        result[output_index(o, x, y, channel)] =
            (color.value[channel] * o.scale - o.mean[channel]) / o.standard_deviation[channel];
      }
    }
  }
  return result;
}

double mean_difference(const std::vector<float>& found, const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i) sum += std::abs(found[i] - expected[i]);
  return sum / static_cast<double>(found.size());
}

double worst_difference(const std::vector<float>& found, const std::vector<double>& expected) {
  EXPECT_EQ(found.size(), expected.size());
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) worst = std::max(worst, std::abs(found[i] - expected[i]));
  return worst;
}

struct NaiveCase {
  Size source;
  Size target;
};

class PreprocessNaiveTest : public ::testing::TestWithParam<NaiveCase> {};

TEST_P(PreprocessNaiveTest, EveryFormatModeAndFilterMatchesDoubleArithmetic) {
  std::uint32_t seed = 1;
  for (const PixelFormat format : testing::all_formats()) {
    ++seed;
    const TestPicture picture =
        random_picture(GetParam().source, format, seed, {YuvMatrix(seed % 2), YuvRange(seed / 2 % 2)}, seed % 5);
    for (const ResizeMode mode : {ResizeMode::kStretch, ResizeMode::kLetterbox, ResizeMode::kCrop}) {
      for (const Interpolation filter : {Interpolation::kBilinear, Interpolation::kBilinearAntialiased}) {
        const PreprocessOptions options{.target = GetParam().target,
                                        .mode = mode,
                                        .pad_position = PadPosition(seed % 2),
                                        .interpolation = filter,
                                        .order = ChannelOrder(seed / 2 % 2),
                                        .layout = TensorLayout(seed / 3 % 2),
                                        .pad_value = 114};
        const std::vector<float> found = testing::preprocess(picture.view, options);
        const std::vector<double> expected = naive(picture.view, options);
        const auto trace = std::string(to_string(format)) + " mode " + std::to_string(int(mode)) + " filter " +
                           std::to_string(int(filter));
        // Where a decoded colour lies between two bytes, fixed point may round it the other way: rare, one grey level.
        EXPECT_LE(worst_difference(found, expected),
                  plane_count(format) > 1 || format == PixelFormat::kYuyv ? 1.01 / 255 : 1e-4)
            << trace;
        EXPECT_LT(mean_difference(found, expected), 1e-5) << trace;
        ++seed;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PreprocessNaiveTest,
                         ::testing::Values(NaiveCase{{40, 30}, {17, 13}}, NaiveCase{{7, 5}, {24, 20}},
                                           NaiveCase{{33, 21}, {33, 21}}, NaiveCase{{1, 1}, {5, 3}},
                                           NaiveCase{{61, 9}, {8, 16}}, NaiveCase{{2, 3}, {2, 2}},
                                           NaiveCase{{700, 3}, {20, 9}}, NaiveCase{{20000, 10}, {7, 5}}),
                         [](const auto& test) {
                           const NaiveCase& c = test.param;
                           return std::to_string(c.source.width) + "x" + std::to_string(c.source.height) + "_to_" +
                                  std::to_string(c.target.width) + "x" + std::to_string(c.target.height);
                         });

TEST(PreprocessReferenceTest, NormalisationIsPerChannelInTheOrderRgb) {
  const TestPicture picture = random_picture({20, 14}, PixelFormat::kBgr8, 3);
  const PreprocessOptions options{.target = {20, 20},
                                  .mode = ResizeMode::kLetterbox,
                                  .order = ChannelOrder::kBgr,
                                  .pad_value = 200,
                                  .mean = {0.485F, 0.456F, 0.406F},
                                  .standard_deviation = {0.229F, 0.224F, 0.225F}};
  EXPECT_LT(worst_difference(testing::preprocess(picture.view, options), naive(picture.view, options)), 1e-4);
}

// The difference that a wrong choice of filter makes is far above what the other tests allow.
TEST(PreprocessReferenceTest, TheTwoFiltersDifferVisiblyWhenShrinking) {
  const TestPicture picture = random_picture({64, 64}, PixelFormat::kRgb8, 5);
  PreprocessOptions options{.target = {16, 16}, .standard_deviation = {0.229F, 0.224F, 0.225F}};
  const std::vector<float> plain = testing::preprocess(picture.view, options);
  options.interpolation = Interpolation::kBilinearAntialiased;
  const std::vector<float> smooth = testing::preprocess(picture.view, options);
  EXPECT_GT(worst_difference(plain, {smooth.begin(), smooth.end()}), 0.5);
}

// --- Colour ---------------------------------------------------------------------------------------------------------

struct Bar {
  const char* name;
  std::uint8_t y, cb, cr;
  int red, green, blue;
};

// 75 % bars (white at 100 %), BT.601, limited range.
constexpr Bar kBars601[] = {
    {"yellow", 0xA2, 0x2C, 0x8E, 191, 191, 0}, {"cyan", 0x83, 0x9C, 0x2C, 0, 191, 191},
    {"green", 0x70, 0x48, 0x3A, 0, 191, 0},    {"magenta", 0x54, 0xB8, 0xC6, 191, 0, 191},
    {"red", 0x41, 0x64, 0xD4, 191, 0, 0},      {"blue", 0x23, 0xD4, 0x72, 0, 0, 191},
    {"black", 0x10, 0x80, 0x80, 0, 0, 0},      {"white", 0xEB, 0x80, 0x80, 255, 255, 255},
};

// A picture of one colour in any YUV format.
TestPicture uniform_picture(PixelFormat format, ColorSpace color, const std::uint8_t (&yuv)[3]) {
  TestPicture picture = empty_picture({4, 4}, format, color);
  for (std::size_t plane = 0; plane < picture.planes.size(); ++plane) {
    for (std::size_t i = 0; i < picture.planes[plane].size(); ++i) {
      std::size_t channel = plane;
      if (format == PixelFormat::kNv12 && plane == 1) channel = 1 + i % 2;
      if (format == PixelFormat::kYuyv) channel = i % 2 == 0 ? 0 : i % 4 == 1 ? 1 : 2;
      picture.planes[plane][i] = yuv[channel];
    }
  }
  return picture;
}

void expect_color(const TestPicture& picture, const char* name, int red, int green, int blue) {
  const PreprocessOptions options{.target = {2, 2}, .layout = TensorLayout::kInterleaved, .scale = 1};
  const std::vector<float> found = testing::preprocess(picture.view, options);
  EXPECT_NEAR(found[0], red, 1.01) << name << " in " << to_string(picture.view.format);
  EXPECT_NEAR(found[1], green, 1.01) << name << " in " << to_string(picture.view.format);
  EXPECT_NEAR(found[2], blue, 1.01) << name << " in " << to_string(picture.view.format);
}

TEST(PreprocessReferenceTest, ColourBarsOfBt601AreDecodedRight) {
  for (const PixelFormat format : {PixelFormat::kNv12, PixelFormat::kI420, PixelFormat::kYuyv}) {
    for (const Bar& bar : kBars601) {
      const TestPicture picture =
          uniform_picture(format, {YuvMatrix::kBt601, YuvRange::kLimited}, {bar.y, bar.cb, bar.cr});
      expect_color(picture, bar.name, bar.red, bar.green, bar.blue);
    }
  }
}

// Encodes by the standards' definition: luma from the colour's weights, chroma from the differences to it.
TEST(PreprocessReferenceTest, ColoursOfEveryMatrixAndRangeSurviveEncodingAndDecoding) {
  for (const YuvMatrix matrix : {YuvMatrix::kBt601, YuvMatrix::kBt709}) {
    for (const YuvRange range : {YuvRange::kLimited, YuvRange::kFull}) {
      const double kr = matrix == YuvMatrix::kBt601 ? 0.299 : 0.2126;
      const double kb = matrix == YuvMatrix::kBt601 ? 0.114 : 0.0722;
      for (int index = 0; index < 64; ++index) {
        const int color[3] = {index % 4 * 85, index / 4 % 4 * 85, index / 16 * 85};
        const double luma = (kr * color[0] + (1 - kr - kb) * color[1] + kb * color[2]) / 255;
        const double cb = (color[2] / 255.0 - luma) / (2 - 2 * kb);
        const double cr = (color[0] / 255.0 - luma) / (2 - 2 * kr);
        const bool is_limited = range == YuvRange::kLimited;
        const double chroma = is_limited ? 224 : 255;
        const std::uint8_t yuv[3] = {static_cast<std::uint8_t>(std::lround(is_limited ? 16 + 219 * luma : 255 * luma)),
                                     static_cast<std::uint8_t>(std::min(255L, std::lround(128 + chroma * cb))),
                                     static_cast<std::uint8_t>(std::min(255L, std::lround(128 + chroma * cr)))};
        expect_color(uniform_picture(PixelFormat::kNv12, {matrix, range}, yuv), "colour", color[0], color[1], color[2]);
      }
    }
  }
}

TEST(PreprocessReferenceTest, GrayStandsForThreeEqualChannelsAndAlphaIsIgnored) {
  const TestPicture gray = random_picture({31, 17}, PixelFormat::kGray8, 1);
  TestPicture rgb = empty_picture({31, 17}, PixelFormat::kRgb8);
  TestPicture rgba = random_picture({31, 17}, PixelFormat::kRgba8, 2);
  for (std::size_t i = 0; i < gray.planes[0].size(); ++i) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      rgb.planes[0][3 * i + channel] = gray.planes[0][i];
      rgba.planes[0][4 * i + channel] = gray.planes[0][i];
    }
  }
  for (const Interpolation filter : {Interpolation::kBilinear, Interpolation::kBilinearAntialiased}) {
    const PreprocessOptions options{.target = {12, 20}, .interpolation = filter};
    const std::vector<float> expected = testing::preprocess(rgb.view, options);
    EXPECT_EQ(testing::preprocess(gray.view, options), expected);
    EXPECT_EQ(testing::preprocess(rgba.view, options), expected);
  }
}

// --- OpenCV ---------------------------------------------------------------------------------------------------------

cv::Mat as_mat(const ImageView& view, int type) {
  return {view.size.height, view.size.width, type, const_cast<std::uint8_t*>(view.planes[0].data),
          view.planes[0].pitch_bytes};
}

double worst_difference(const std::vector<float>& interleaved, const cv::Mat& expected) {
  cv::Mat as_float;
  expected.convertTo(as_float, CV_32F);
  const cv::Mat found(expected.rows, expected.cols, CV_32FC3, const_cast<float*>(interleaved.data()));
  return cv::norm(found, as_float, cv::NORM_INF);
}

constexpr Size kOpenCvTargets[] = {{640, 480}, {300, 225}, {1000, 700}, {416, 416}};

TEST(PreprocessOpenCvTest, BilinearIsWithinOneGrayLevelOfResizeOnBytes) {
  const TestPicture picture = random_picture({1280, 720}, PixelFormat::kRgb8, 9);
  for (const Size target : kOpenCvTargets) {
    cv::Mat expected;
    cv::resize(as_mat(picture.view, CV_8UC3), expected, {target.width, target.height}, 0, 0, cv::INTER_LINEAR);
    const PreprocessOptions options{.target = target, .layout = TensorLayout::kInterleaved, .scale = 1};
    EXPECT_LE(worst_difference(testing::preprocess(picture.view, options), expected), 1.0);
  }
}

TEST(PreprocessOpenCvTest, BilinearIsWithinARoundingErrorOfResizeOnFloats) {
  const TestPicture picture = random_picture({1280, 720}, PixelFormat::kRgb8, 9);
  cv::Mat source;
  as_mat(picture.view, CV_8UC3).convertTo(source, CV_32F, 1 / 255.0);
  for (const Size target : kOpenCvTargets) {
    cv::Mat expected;
    cv::resize(source, expected, {target.width, target.height}, 0, 0, cv::INTER_LINEAR);
    const PreprocessOptions options{.target = target, .layout = TensorLayout::kInterleaved};
    EXPECT_LE(worst_difference(testing::preprocess(picture.view, options), expected), 1e-4);
  }
}

// A pitch of 2048 for rows of 1920 bytes, and 3840 bytes of pixels in rows of 4096.
TEST(PreprocessOpenCvTest, PitchesThatAreNotWidthTimesChannelsAreFollowed) {
  for (const Size size : {Size{640, 480}, Size{1280, 960}}) {
    const TestPicture picture = random_picture(size, PixelFormat::kBgr8, 4, {}, size.width == 640 ? 128 : 256);
    ASSERT_EQ(picture.view.planes[0].pitch_bytes % 2048, 0U);
    cv::Mat expected;
    cv::resize(as_mat(picture.view, CV_8UC3), expected, {300, 225}, 0, 0, cv::INTER_LINEAR);
    const PreprocessOptions options{
        .target = {300, 225}, .order = ChannelOrder::kBgr, .layout = TensorLayout::kInterleaved, .scale = 1};
    EXPECT_LE(worst_difference(testing::preprocess(picture.view, options), expected), 1.0);
  }
}

// OpenCV decodes with BT.601, limited range, and takes a pixel's chroma from its block, as vrt does. It cuts off luma below
// 16, which vrt (as the standard) lets chroma make up for.
TEST(PreprocessOpenCvTest, I420IsWithinTwoRoundingsOfCvtColorAndResize) {
  TestPicture picture = random_picture({320, 240}, PixelFormat::kI420, 8, {YuvMatrix::kBt601, YuvRange::kLimited});
  for (std::uint8_t& luma : picture.planes[0]) luma = std::max<std::uint8_t>(luma, 16);
  std::vector<std::uint8_t> packed;
  for (const auto& plane : picture.planes) packed.insert(packed.end(), plane.begin(), plane.end());
  cv::Mat rgb;
  cv::cvtColor(cv::Mat(360, 320, CV_8UC1, packed.data()), rgb, cv::COLOR_YUV2RGB_I420);
  cv::Mat expected;
  cv::resize(rgb, expected, {200, 200}, 0, 0, cv::INTER_LINEAR);
  const PreprocessOptions options{.target = {200, 200}, .layout = TensorLayout::kInterleaved, .scale = 1};
  EXPECT_LE(worst_difference(testing::preprocess(picture.view, options), expected), 2.0);
}

// --- Pillow ---------------------------------------------------------------------------------------------------------

struct Golden {
  std::int32_t header[5];  // Width, height, target width, target height, whether there is a box.
  CropBox box;
  std::vector<std::uint8_t> source;
  std::vector<double> target;
};

Golden read_golden(const std::string& name) {
  const std::string path =
      testing::location("VRT_SOURCE_DIR", VRT_SOURCE_DIR) + "/vrt/image/testdata/" + name + ".golden";
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  Golden golden{};
  const std::size_t head = sizeof(golden.header) + sizeof(golden.box);
  if (bytes.size() < head) throw std::runtime_error(path + ": missing or cut short");
  std::memcpy(golden.header, bytes.data(), sizeof(golden.header));
  std::memcpy(&golden.box, bytes.data() + sizeof(golden.header), sizeof(golden.box));
  const auto pixels = 3 * static_cast<std::size_t>(golden.header[0]) * static_cast<std::size_t>(golden.header[1]);
  const auto floats = 3 * static_cast<std::size_t>(golden.header[2]) * static_cast<std::size_t>(golden.header[3]);
  if (bytes.size() != head + pixels + floats * sizeof(float)) throw std::runtime_error(path + ": of another size");
  golden.source.assign(bytes.begin() + std::ptrdiff_t(head), bytes.begin() + std::ptrdiff_t(head + pixels));
  std::vector<float> target(floats);
  std::memcpy(target.data(), bytes.data() + head + pixels, floats * sizeof(float));
  golden.target.assign(target.begin(), target.end());
  return golden;
}

class PreprocessPillowTest : public ::testing::TestWithParam<const char*> {};

TEST_P(PreprocessPillowTest, AntialiasedMatchesPillow) {
  const Golden golden = read_golden(GetParam());
  const ImageView view =
      ImageView::packed(Device::cpu(), golden.source.data(), {golden.header[0], golden.header[1]}, PixelFormat::kRgb8);
  const PreprocessOptions options{
      .target = {golden.header[2], golden.header[3]}, .interpolation = Interpolation::kBilinearAntialiased, .scale = 1};
  // In grey levels: 1e-4 of the range.
  const double bound = 255 * 1e-4;
  EXPECT_LT(worst_difference(testing::preprocess_crops(view, options, {golden.box}), golden.target), bound);
  if (golden.header[4] == 0) {
    EXPECT_LT(worst_difference(testing::preprocess(view, options), golden.target), bound);
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, PreprocessPillowTest,
                         ::testing::Values("shrink", "shrink_far", "enlarge", "mixed", "one_pixel_wide", "box",
                                           "box_enlarged"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace vrt
