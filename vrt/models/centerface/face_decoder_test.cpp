#include "vrt/models/centerface/face_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "vrt/models/testing/device_data.h"

namespace vrt {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A network's raw output on the host.
struct Maps {
  Size grid;
  std::vector<float> heatmap, scale, offset, landmarks;

  explicit Maps(Size size, float score = 0) : grid(size) {
    const auto cells = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
    heatmap.assign(cells, score);
    scale.assign(2 * cells, 1);
    offset.assign(2 * cells, 0);
    landmarks.assign(10 * cells, 0.5F);
  }
  [[nodiscard]] std::size_t cells() const { return heatmap.size(); }
  [[nodiscard]] Size input() const { return {grid.width * 4, grid.height * 4}; }
};

// Scores in steps of 1 / 64, so that ties are common.
Maps random_maps(Size grid, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto fill = [&](std::vector<float>& values, float low, float high) {
    for (float& value : values) value = std::uniform_real_distribution<float>(low, high)(random);
  };
  Maps maps(grid);
  fill(maps.scale, -0.5F, 2.5F);
  fill(maps.offset, -0.5F, 0.5F);
  fill(maps.landmarks, -0.2F, 1.2F);
  for (float& score : maps.heatmap) score = static_cast<float>(random() % 65) / 64;
  return maps;
}

struct Face {
  std::array<double, 4> box{};
  float score = 0;
  std::array<std::array<double, 2>, 5> landmarks{};
};

struct Faces {
  std::int32_t candidates = 0;
  std::vector<Face> faces;
};

// One face as FaceDecoder's rules describe it, in double; false if it is dropped.
bool face_at(const Maps& maps, const ResizeMapping& mapping, std::size_t cell, Face& face) {
  const std::size_t cells = maps.cells();
  const auto columns = static_cast<std::size_t>(maps.grid.width);
  const double size[2] = {std::exp(double{maps.scale[cells + cell]}) * 4, std::exp(double{maps.scale[cell]}) * 4};
  const double centre[2] = {(static_cast<double>(cell % columns) + maps.offset[cells + cell] + 0.5) * 4,
                            (static_cast<double>(cell / columns) + maps.offset[cell] + 0.5) * 4};
  const double source_per_target[2] = {mapping.scale_x(), mapping.scale_y()};
  const double filled[2] = {double(mapping.filled.x), double(mapping.filled.y)};
  const double used[2] = {double(mapping.used.x), double(mapping.used.y)};
  const double limit[2] = {double(mapping.source.width), double(mapping.source.height)};
  const auto to_source = [&](double value, int axis) {
    return (value - filled[axis]) * source_per_target[axis] + used[axis];
  };
  for (int axis = 0; axis < 2; ++axis) {
    const double low = to_source(centre[axis] - size[axis] / 2, axis);
    const double high = to_source(centre[axis] + size[axis] / 2, axis);
    if (!(std::abs(low) <= double{FLT_MAX}) || !(std::abs(high) <= double{FLT_MAX})) return false;
    face.box[static_cast<std::size_t>(axis)] = std::clamp(low, 0.0, limit[axis]);
    face.box[static_cast<std::size_t>(axis) + 2] = std::clamp(high, 0.0, limit[axis]);
    for (std::size_t p = 0; p < 5; ++p) {
      const std::size_t plane = 2 * p + (axis == 0 ? 1 : 0);
      const double share = maps.landmarks[plane * cells + cell];
      face.landmarks[p][static_cast<std::size_t>(axis)] = to_source(centre[axis] + (share - 0.5) * size[axis], axis);
    }
  }
  face.score = maps.heatmap[cell];
  return static_cast<float>(face.box[2]) > static_cast<float>(face.box[0]) &&
         static_cast<float>(face.box[3]) > static_cast<float>(face.box[1]);
}

double overlap(const Face& a, const Face& b) {
  const double width = std::min(a.box[2], b.box[2]) - std::max(a.box[0], b.box[0]);
  const double height = std::min(a.box[3], b.box[3]) - std::max(a.box[1], b.box[1]);
  if (width <= 0 || height <= 0) return 0;
  const auto area = [](const Face& f) { return (f.box[2] - f.box[0]) * (f.box[3] - f.box[1]); };
  return width * height / (area(a) + area(b) - width * height);
}

Faces decode_by_definition(const Maps& maps, const ResizeMapping& mapping, const CenterFaceOptions& options) {
  std::vector<std::size_t> cells;
  for (std::size_t i = 0; i < maps.cells(); ++i) {
    if (std::isfinite(maps.heatmap[i]) && maps.heatmap[i] > options.score_threshold) cells.push_back(i);
  }
  Faces result{static_cast<std::int32_t>(cells.size()), {}};
  std::stable_sort(cells.begin(), cells.end(), [&](auto a, auto b) { return maps.heatmap[a] > maps.heatmap[b]; });
  cells.resize(std::min<std::size_t>(cells.size(), CenterFace::kMaxCandidates));
  for (const std::size_t cell : cells) {
    Face face;
    if (!face_at(maps, mapping, cell, face)) continue;
    const bool suppressed = std::any_of(result.faces.begin(), result.faces.end(),
                                        [&](const Face& kept) { return overlap(kept, face) > options.nms_threshold; });
    if (!suppressed && result.faces.size() < CenterFace::kMaxFaces) result.faces.push_back(face);
  }
  return result;
}

class FaceDecoderTest : public ::testing::TestWithParam<Device> {
 protected:
  static constexpr std::size_t kFaces = CenterFace::kMaxFaces;

  Faces decode(const Maps& maps, const ResizeMapping& mapping, const CenterFaceOptions& options) {
    FaceDecoder decoder(stream_, maps.grid, options);
    const auto heatmap = testing::to_device(stream_, maps.heatmap);
    const auto scale = testing::to_device(stream_, maps.scale);
    const auto offset = testing::to_device(stream_, maps.offset);
    const auto landmarks = testing::to_device(stream_, maps.landmarks);
    auto counts = testing::to_device(stream_, std::vector<std::int32_t>(FaceDecoder::kCounts, -1));
    auto boxes = DeviceBuffer<kernels::float4>::zeros(stream_, kFaces);
    auto scores = DeviceBuffer<float>::zeros(stream_, kFaces);
    auto points = DeviceBuffer<kernels::float2>::zeros(stream_, 5 * kFaces);
    decoder.submit({maps.grid, heatmap.span(), scale.span(), offset.span(), landmarks.span()}, mapping,
                   {counts.span(), boxes.span(), scores.span(), points.span()});
    const auto count = testing::to_host(stream_, counts.span(), FaceDecoder::kCounts);
    const auto box = testing::to_host(stream_, boxes.span(), kFaces);
    const auto score = testing::to_host(stream_, scores.span(), kFaces);
    const auto point = testing::to_host(stream_, points.span(), 5 * kFaces);
    Faces faces{count[FaceDecoder::kCandidates], {}};
    for (std::size_t i = 0; i < static_cast<std::size_t>(count[FaceDecoder::kFaces]); ++i) {
      Face face{{box[i].x, box[i].y, box[i].z, box[i].w}, score[i], {}};
      for (std::size_t p = 0; p < 5; ++p) face.landmarks[p] = {point[5 * i + p].x, point[5 * i + p].y};
      faces.faces.push_back(face);
    }
    return faces;
  }

  static void expect_same(const Faces& found, const Faces& expected) {
    EXPECT_EQ(found.candidates, expected.candidates);
    ASSERT_EQ(found.faces.size(), expected.faces.size());
    for (std::size_t i = 0; i < found.faces.size(); ++i) {
      EXPECT_EQ(found.faces[i].score, expected.faces[i].score) << "face " << i;
      for (std::size_t side = 0; side < 4; ++side)
        EXPECT_NEAR(found.faces[i].box[side], expected.faces[i].box[side], 1e-2);
      for (std::size_t p = 0; p < 5; ++p) {
        EXPECT_NEAR(found.faces[i].landmarks[p][0], expected.faces[i].landmarks[p][0], 1e-2) << "face " << i;
        EXPECT_NEAR(found.faces[i].landmarks[p][1], expected.faces[i].landmarks[p][1], 1e-2) << "face " << i;
      }
    }
  }

  void expect_as_defined(const Maps& maps, Size source, const CenterFaceOptions& options = {}) {
    const auto mapping = ResizeMapping::make(ResizeMode::kLetterbox, source, maps.input());
    expect_same(decode(maps, mapping, options), decode_by_definition(maps, mapping, options));
  }

  Stream stream_{GetParam()};
};

TEST_P(FaceDecoderTest, FindsTheFacesOfTheDefinitionInRandomMaps) {
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    const Size grid{static_cast<std::int32_t>(16 + 8 * seed), static_cast<std::int32_t>(64 - 8 * (seed % 4))};
    expect_as_defined(random_maps(grid, seed), {640, 360});
    expect_as_defined(random_maps(grid, 100 + seed), {101, 333}, {.score_threshold = 0.8F, .nms_threshold = 0.1F});
  }
}

TEST_P(FaceDecoderTest, FindsNothingWhereNoScoreIsAboveTheThreshold) {
  for (const float score : {0.0F, 0.5F, -1.0F, kNaN, kInfinity, -kInfinity}) {
    const Maps maps({20, 16}, score);
    const Faces faces = decode(maps, ResizeMapping::make(ResizeMode::kLetterbox, {80, 64}, maps.input()), {});
    EXPECT_EQ(faces.candidates, 0) << score;
    EXPECT_TRUE(faces.faces.empty()) << score;
  }
}

TEST_P(FaceDecoderTest, AFaceIsWhereTheFactsPutIt) {
  // Cell (row 5, column 7) of a network twice as large as the picture: centre ((7 + 0.25 + 0.5) * 4, (5 - 0.125 + 0.5)
  // * 4) = (31, 21.5), size exp(1) * 4 wide and exp(0.5) * 4 high; half of that in the picture.
  Maps maps({20, 16});
  const std::size_t cell = 5 * 20 + 7;
  maps.heatmap[cell] = 0.875F;
  maps.scale[cell] = 0.5F;
  maps.offset[cell] = -0.125F;
  maps.offset[maps.cells() + cell] = 0.25F;
  maps.landmarks[2 * maps.cells() + cell] = 1.0F;  // The second point's y: the lower edge.
  maps.landmarks[3 * maps.cells() + cell] = 0.0F;  // Its x: the left edge.
  const Faces found = decode(maps, ResizeMapping::make(ResizeMode::kStretch, {40, 32}, maps.input()), {});
  ASSERT_EQ(found.faces.size(), 1U);
  const Face& face = found.faces[0];
  EXPECT_EQ(face.score, 0.875F);
  const double left = 15.5 - std::exp(1.0);
  const double bottom = 10.75 + std::exp(0.5);
  EXPECT_NEAR(face.box[0], left, 1e-5);
  EXPECT_NEAR(face.box[2], 15.5 + std::exp(1.0), 1e-5);
  EXPECT_NEAR(face.box[1], 10.75 - std::exp(0.5), 1e-5);
  EXPECT_NEAR(face.box[3], bottom, 1e-5);
  EXPECT_NEAR(face.landmarks[0][0], 15.5, 1e-5);
  EXPECT_NEAR(face.landmarks[1][0], left, 1e-5);
  EXPECT_NEAR(face.landmarks[1][1], bottom, 1e-5);
}

TEST_P(FaceDecoderTest, AtMostTheStrongestCandidatesAreDecoded) {
  for (const std::size_t passing : {1023, 1024, 1025, 2048}) {
    Maps maps = random_maps({64, 32}, 4);
    for (std::size_t i = 0; i < maps.cells(); ++i) {
      maps.heatmap[i] = i < passing ? 0.5F + static_cast<float>(1 + i % 97) / 200 : 0.25F;
    }
    std::shuffle(maps.heatmap.begin(), maps.heatmap.end(), std::mt19937(1));
    expect_as_defined(maps, {256, 128}, {.nms_threshold = 0.9F});
  }
}

TEST_P(FaceDecoderTest, EqualScoresEverywhereRankByCell) { expect_as_defined(Maps({64, 40}, 0.75F), {256, 160}); }

TEST_P(FaceDecoderTest, NonFiniteScoresAreNeverSelected) {
  Maps maps = random_maps({40, 24}, 12);
  for (std::size_t i = 0; i < maps.cells(); i += 3) maps.heatmap[i] = i % 2 == 0 ? kNaN : kInfinity;
  expect_as_defined(maps, {300, 200});
}

TEST_P(FaceDecoderTest, NonFiniteAndEmptyBoxesAreDropped) {
  Maps maps = random_maps({40, 24}, 13);
  const std::array<float, 5> bad{kNaN, kInfinity, 100, -200, -kInfinity};
  for (std::size_t i = 0; i < maps.cells(); i += 2) maps.scale[(i % 4 == 0 ? 0 : maps.cells()) + i] = bad[(i / 2) % 5];
  for (std::size_t i = 1; i < maps.cells(); i += 6) maps.offset[i] = i % 4 == 1 ? kNaN : -kInfinity;
  expect_as_defined(maps, {160, 96});
}

TEST_P(FaceDecoderTest, BoxesThatOverflowInThePictureAreDropped) {
  // Finite in the network (2.4e38 pixels), not in a picture eight times as large: not a box of the whole picture.
  Maps maps({20, 16});
  maps.heatmap[100] = 0.9F;
  maps.scale[100] = maps.scale[maps.cells() + 100] = 87;
  expect_as_defined(maps, {640, 512});
}

TEST_P(FaceDecoderTest, BoxesAreClippedToThePictureAndThoseInThePaddingDropped) {
  // A wide picture in a square network: rows of cells above and below the picture hold nothing but padding.
  Maps maps = random_maps({32, 32}, 14);
  const auto mapping = ResizeMapping::make(ResizeMode::kLetterbox, {400, 100}, maps.input());
  const Faces found = decode(maps, mapping, {});
  expect_same(found, decode_by_definition(maps, mapping, {}));
  ASSERT_FALSE(found.faces.empty());
  for (const Face& face : found.faces) {
    EXPECT_GE(face.box[0], 0);
    EXPECT_GE(face.box[1], 0);
    EXPECT_LE(face.box[2], 400);
    EXPECT_LE(face.box[3], 100);
    EXPECT_LT(face.box[0], face.box[2]);
    EXPECT_LT(face.box[1], face.box[3]);
  }
}

TEST_P(FaceDecoderTest, RepeatsItself) {
  const Maps maps = random_maps({64, 64}, 15);
  const auto mapping = ResizeMapping::make(ResizeMode::kLetterbox, {256, 256}, maps.input());
  const Faces first = decode(maps, mapping, {});
  for (int i = 0; i < 5; ++i) {
    const Faces again = decode(maps, mapping, {});
    ASSERT_EQ(again.faces.size(), first.faces.size());
    for (std::size_t f = 0; f < first.faces.size(); ++f) {
      EXPECT_EQ(again.faces[f].box, first.faces[f].box);
      EXPECT_EQ(again.faces[f].landmarks, first.faces[f].landmarks);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, FaceDecoderTest, ::testing::ValuesIn(Device::all()), testing::device_name);

}  // namespace
}  // namespace vrt
