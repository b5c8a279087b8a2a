#include "vrt/models/yolo/yolo_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "vrt/models/testing/device_data.h"
#include "vrt/models/yolo/yolo_input.h"

namespace vrt {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A network's raw output on the host, as cells whatever the layout.
struct Network {
  YoloFormat format;
  std::vector<std::vector<float>> cells;
  std::vector<float> prototypes;

  [[nodiscard]] std::vector<float> tensor() const {
    std::vector<float> values;
    if (format.layout != YoloLayout::kPlanes) {
      for (const auto& cell : cells) values.insert(values.end(), cell.begin(), cell.end());
      return values;
    }
    for (std::size_t value = 0; value < cells[0].size(); ++value)
      for (const auto& cell : cells) values.push_back(cell[value]);
    return values;
  }
};

YoloFormat format_of(YoloTask task, YoloLayout layout, std::int32_t items, std::int32_t classes) {
  YoloFormat format;
  format.task = task;
  format.layout = layout;
  format.items = items;
  format.classes = classes;
  if (task == YoloTask::kPose) {
    format.keypoints = 5;
    format.keypoint_values = 3;
  }
  if (task == YoloTask::kSegment) {
    format.coefficients = 8;
    format.prototype_size = {40, 24};
  }
  return format;
}

// Boxes crowded enough to overlap, scores in steps so that ties are common.
Network random_network(const YoloFormat& format, Size input, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto between = [&](float low, float high) { return std::uniform_real_distribution<float>(low, high)(random); };
  Network network{format, {}, {}};
  for (std::int32_t i = 0; i < format.items; ++i) {
    const float x = std::floor(between(-10, static_cast<float>(input.width)));
    const float y = std::floor(between(-10, static_cast<float>(input.height)));
    const float width = std::floor(between(4, 60));
    const float height = std::floor(between(4, 60));
    std::vector<float> cell{x, y, width, height};
    if (format.layout == YoloLayout::kEndToEnd) {
      cell = {x, y, x + width, y + height, static_cast<float>(random() % 65) / 64, static_cast<float>(random() % 80)};
    } else {
      // Products of steps are steps.
      if (format.has_objectness()) cell.push_back(static_cast<float>(random() % 65) / 64);
      for (std::int32_t c = 0; c < format.classes; ++c)
        cell.push_back(static_cast<float>(random() % 65) / 64 * (format.has_objectness() ? 1 : between(0, 1.2F)));
    }
    // Relative to a cell, and logarithms.
    if (format.layout == YoloLayout::kYolox) {
      for (std::size_t value = 0; value < 4; ++value) cell[value] = between(-1, value < 2 ? 2.0F : 1.5F);
    }
    for (std::int32_t p = 0; p < format.keypoints; ++p)
      cell.insert(cell.end(), {x + between(-9, 9), y + between(-9, 9), between(0, 1)});
    for (std::int32_t k = 0; k < format.coefficients; ++k) cell.push_back(between(-1, 1));
    network.cells.push_back(std::move(cell));
  }
  network.prototypes.resize(
      static_cast<std::size_t>(format.coefficients * format.prototype_size.width * format.prototype_size.height));
  for (float& value : network.prototypes) value = between(-1, 1);
  return network;
}

struct Object {
  std::array<double, 4> box{};  // In the network's pixels, as the definition has it; in source pixels as it is given.
  float score = 0;
  std::int32_t class_id = 0;
  std::size_t cell = 0;
};

// Centre and size of a cell in the input's pixels. YOLOX's cells are those of three grids, one behind the other.
std::array<double, 4> centre_and_size(const Network& network, std::size_t index, Size input) {
  const std::vector<float>& cell = network.cells[index];
  if (network.format.layout != YoloLayout::kYolox) return {cell[0], cell[1], cell[2], cell[3]};
  std::vector<std::array<int, 3>> places;
  for (const int stride : {8, 16, 32}) {
    for (int y = 0; y < input.height / stride; ++y) {
      for (int x = 0; x < input.width / stride; ++x) places.push_back({x, y, stride});
    }
  }
  EXPECT_EQ(places.size(), network.cells.size());
  const auto [x, y, stride] = places[index];
  return {(cell[0] + double(x)) * stride, (cell[1] + double(y)) * stride, std::exp(double{cell[2]}) * stride,
          std::exp(double{cell[3]}) * stride};
}

double overlap(const Object& a, const Object& b) {
  const double width = std::max(0.0, std::min(a.box[2], b.box[2]) - std::max(a.box[0], b.box[0]));
  const double height = std::max(0.0, std::min(a.box[3], b.box[3]) - std::max(a.box[1], b.box[1]));
  const auto area = [](const Object& o) { return (o.box[2] - o.box[0]) * (o.box[3] - o.box[1]); };
  const double united = area(a) + area(b) - width * height;
  return united > 0 ? width * height / united : 0;
}

// A cell as an object of its best class; false if it is none.
bool object_of(const Network& network, std::size_t index, Size input, float threshold, Object& object) {
  const std::vector<float>& cell = network.cells[index];
  object = {};
  object.cell = index;
  object.score = threshold;
  object.class_id = -1;
  if (network.format.layout == YoloLayout::kEndToEnd) {
    object.box = {cell[0], cell[1], cell[2], cell[3]};
    const bool has_class = cell[5] > -1 && cell[5] < 65536;
    if (cell[4] > threshold && std::isfinite(cell[4]) && has_class)
      object.class_id = static_cast<std::int32_t>(cell[5]);
    object.score = cell[4];
  } else {
    const auto [x, y, width, height] = centre_and_size(network, index, input);
    object.box = {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
    const bool has_objectness = network.format.has_objectness();
    if (has_objectness && !(cell[4] > threshold)) return false;
    for (std::int32_t c = 0; c < network.format.classes; ++c) {
      const float own = cell[(has_objectness ? 5U : 4U) + static_cast<std::size_t>(c)];
      const float score = has_objectness ? cell[4] * own : own;
      if (!(score > object.score) || !std::isfinite(score)) continue;
      object.score = score;
      object.class_id = c;
    }
  }
  return object.class_id >= 0;
}

bool is_box(const Object& object) {
  const auto& box = object.box;
  const bool finite = std::all_of(box.begin(), box.end(), [](double v) { return std::isfinite(v); });
  return finite && box[2] >= box[0] && box[3] >= box[1];
}

// YoloDecoder's rules by their words: class by class, in double.
std::vector<Object> by_definition(const Network& network, const ResizeMapping& mapping, const YoloOptions& options) {
  std::vector<Object> candidates;
  for (std::size_t i = 0; i < network.cells.size(); ++i) {
    Object object;
    if (object_of(network, i, mapping.target, options.score_threshold, object)) candidates.push_back(object);
  }
  const bool whole = network.format.layout == YoloLayout::kEndToEnd;
  if (!whole) {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
  }
  std::vector<Object> kept;
  for (const Object& candidate : candidates) {
    const bool suppressed = !whole && std::any_of(kept.begin(), kept.end(), [&](const Object& better) {
      return (options.class_agnostic || better.class_id == candidate.class_id) &&
             overlap(better, candidate) > double{options.nms_threshold};
    });
    if (is_box(candidate) && !suppressed) kept.push_back(candidate);
  }
  kept.resize(std::min<std::size_t>(kept.size(), static_cast<std::size_t>(options.max_detections)));
  for (Object& object : kept) {
    for (std::size_t side = 0; side < 4; ++side) {
      const bool vertical = side % 2 == 1;
      const double moved = object.box[side] - (vertical ? mapping.filled.y : mapping.filled.x);
      const double source = moved * (vertical ? mapping.scale_y() : mapping.scale_x());
      object.box[side] = std::clamp(source, 0.0, double(vertical ? mapping.source.height : mapping.source.width));
    }
  }
  return kept;
}

// The definition of a mask's value at a pixel: coefficients times prototypes, blended, in double.
double mask_value(const Network& network, std::size_t cell, const ResizeMapping& mapping, Size size, int x, int y) {
  const Size grid = network.format.prototype_size;
  const auto axis = [](int pixel, int pixels, int cells, int input, int filled, int filled_size) {
    const double at = (filled + (pixel + 0.5) / pixels * filled_size) * cells / input - 0.5;
    const double first = std::floor(double(filled) * cells / input);
    const double last = std::ceil(double(filled + filled_size) * cells / input) - 1;
    return std::clamp(at, first, last);
  };
  const double u = axis(x, size.width, grid.width, mapping.target.width, mapping.filled.x, mapping.filled.width);
  const double v = axis(y, size.height, grid.height, mapping.target.height, mapping.filled.y, mapping.filled.height);
  const auto logit = [&](double row, double column) {
    double sum = 0;
    const std::vector<float>& values = network.cells[cell];
    const auto k_count = static_cast<std::size_t>(network.format.coefficients);
    for (std::size_t k = 0; k < k_count; ++k) {
      const auto index = (k * static_cast<std::size_t>(grid.height) + static_cast<std::size_t>(row)) *
                             static_cast<std::size_t>(grid.width) +
                         static_cast<std::size_t>(column);
      sum += double{values[values.size() - k_count + k]} * network.prototypes[index];
    }
    return sum;
  };
  const double x0 = std::floor(u);
  const double y0 = std::floor(v);
  const double x1 = std::min(x0 + 1, double(grid.width - 1));
  const double y1 = std::min(y0 + 1, double(grid.height - 1));
  const double upper = (1 - (u - x0)) * logit(y0, x0) + (u - x0) * logit(y0, x1);
  const double lower = (1 - (u - x0)) * logit(y1, x0) + (u - x0) * logit(y1, x1);
  return (1 - (v - y0)) * upper + (v - y0) * lower;
}

class YoloDecoderTest : public ::testing::TestWithParam<Device> {
 protected:
  void decode(const Network& network, const ResizeMapping& mapping, const YoloOptions& options,
              const MaskOptions& masks = {}) {
    YoloDecoder decoder(stream_, network.format, options);
    objects_ = std::make_unique<DetectionBuffers>(stream_, options.max_detections, network.format.keypoints,
                                                  std::make_shared<const ClassNames>(ClassNames::coco80()));
    masks_ = std::make_unique<InstanceMasks>(stream_, masks);
    const auto values = testing::to_device(stream_, network.tensor());
    const auto prototypes = testing::to_device(stream_, network.prototypes);
    decoder.submit({values.span(), prototypes.span()}, mapping, *objects_, *masks_);
    objects_->enqueue_read_back(stream_);
    masks_->enqueue_read_back(stream_);
    indices_ = testing::to_host(stream_, objects_->found().indices, static_cast<std::size_t>(options.max_detections));
    stream_.synchronize();
  }

  void expect_as_defined(const Network& network, Size source, const YoloOptions& options) {
    const auto mapping = ResizeMapping::make(ResizeMode::kLetterbox, source, kInput,
                                             yolo_preprocessing(kInput, network.format.layout).pad_position);
    decode(network, mapping, options);
    const auto expected = by_definition(network, mapping, options);
    const auto found = objects_->detections();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].score, expected[i].score) << "object " << i;
      EXPECT_EQ(found[i].class_id, expected[i].class_id) << "object " << i;
      EXPECT_EQ(static_cast<std::size_t>(indices_[i]), expected[i].cell) << "object " << i;
      EXPECT_NEAR(found[i].box.x1, expected[i].box[0], 1e-2);
      EXPECT_NEAR(found[i].box.y1, expected[i].box[1], 1e-2);
      EXPECT_NEAR(found[i].box.x2, expected[i].box[2], 1e-2);
      EXPECT_NEAR(found[i].box.y2, expected[i].box[3], 1e-2);
      expect_points(network, mapping, expected[i].cell, found[i]);
    }
  }

  static void expect_points(const Network& network, const ResizeMapping& mapping, std::size_t cell,
                            const Detection& found) {
    const auto points = static_cast<std::size_t>(network.format.keypoints);
    ASSERT_EQ(found.keypoints.size(), points);
    const std::vector<float>& values = network.cells[cell];
    for (std::size_t p = 0; p < points; ++p) {
      const float* at = values.data() + values.size() - 3 * (points - p);
      if (!std::all_of(at, at + 3, [](float value) { return std::isfinite(value); })) {
        EXPECT_EQ(found.keypoints[p], (Keypoint{0, 0, 0})) << "point " << p;
        continue;
      }
      const double x = (double{at[0]} - mapping.filled.x) * mapping.scale_x();
      const double y = (double{at[1]} - mapping.filled.y) * mapping.scale_y();
      EXPECT_NEAR(found.keypoints[p].x, std::clamp(x, 0.0, double(mapping.source.width)), 1e-2);
      EXPECT_NEAR(found.keypoints[p].y, std::clamp(y, 0.0, double(mapping.source.height)), 1e-2);
      EXPECT_EQ(found.keypoints[p].confidence, at[2]);
    }
  }

  // All masks are as defined, but for pixels whose value is within 1e-4 of the threshold.
  void expect_masks(const Network& network, const ResizeMapping& mapping, Size size) {
    const auto found = objects_->detections();
    const std::size_t count = masks_->count_of(found.size());
    ASSERT_GT(count, 0U);
    for (std::size_t i = 0; i < count; ++i) {
      const MaskView mask = masks_->mask(i, found.size());
      const Box& box = found[i].box;
      const double scale_x = double(size.width) / mapping.source.width;
      const double scale_y = double(size.height) / mapping.source.height;
      for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
          const bool inside =
              x >= box.x1 * scale_x && x < box.x2 * scale_x && y >= box.y1 * scale_y && y < box.y2 * scale_y;
          const double value =
              inside ? mask_value(network, static_cast<std::size_t>(indices_[i]), mapping, size, x, y) : -1;
          if (std::abs(value) < 1e-4) continue;
          ASSERT_EQ(is_set(mask, x, y), value > 0) << "mask " << i << " at " << x << ", " << y << ": " << value;
        }
      }
    }
  }

  static constexpr Size kInput{160, 96};
  Stream stream_{GetParam()};
  std::unique_ptr<DetectionBuffers> objects_;
  std::unique_ptr<InstanceMasks> masks_;
  std::vector<std::int32_t> indices_;
};

// Layouts that need suppression.
constexpr std::array kCells{YoloLayout::kPlanes, YoloLayout::kV5, YoloLayout::kYolox};

TEST_P(YoloDecoderTest, FindsTheObjectsOfTheDefinition) {
  std::uint32_t seed = 0;
  for (const Size source : {Size{160, 96}, Size{1, 1}, Size{7680, 4320}, Size{333, 517}, Size{1920, 1080}}) {
    for (const std::int32_t classes : {1, 3, 80}) {
      for (const YoloLayout layout : kCells) {
        const auto format = format_of(YoloTask::kDetect, layout, 315, classes);
        expect_as_defined(random_network(format, kInput, ++seed), source, {});
        expect_as_defined(
            random_network(format, kInput, ++seed), source,
            {.score_threshold = 0.5F, .nms_threshold = 0.25F, .class_agnostic = true, .max_detections = 40});
      }
    }
  }
}

TEST_P(YoloDecoderTest, FindsOneOfAThousandClasses) {
  for (const YoloLayout layout : kCells)
    expect_as_defined(random_network(format_of(YoloTask::kDetect, layout, 315, 1000), kInput, 71), {640, 480}, {});
}

TEST_P(YoloDecoderTest, OfEqualScoresTheFirstCellsStay) {
  for (const YoloLayout layout : kCells) {
    Network network = random_network(format_of(YoloTask::kDetect, layout, 315, 2), kInput, 81);
    for (auto& cell : network.cells) std::fill(cell.begin() + 4, cell.end(), 0.75F);
    for (const std::int32_t most : {314, 315, 316})  // One too many, exactly as many, room for one more.
      expect_as_defined(network, {640, 480}, {.nms_threshold = 1, .max_detections = most});
  }
}

TEST_P(YoloDecoderTest, ObjectnessAndProductHaveToExceedTheThreshold) {
  Network network{format_of(YoloTask::kDetect, YoloLayout::kV5, 5, 2), {}, {}};
  network.cells = {{10, 10, 8, 8, 0.25F, 1, 1},       // Objectness is not above.
                   {30, 10, 8, 8, 0.5F, 0.5F, 0.5F},  // The product is not.
                   {50, 10, 8, 8, 0.5F, 0.75F, 0.75F},
                   {70, 10, 8, 8, 0.25F, 2, 3},
                   {90, 10, 8, 8, 0.75F, 0.25F, 1}};
  expect_as_defined(network, kInput, {});
  ASSERT_EQ(objects_->detections().size(), 2U);
  EXPECT_EQ(objects_->detections()[0].score, 0.75F);
  EXPECT_EQ(objects_->detections()[0].class_id, 1);
  EXPECT_EQ(objects_->detections()[1].score, 0.375F);
  EXPECT_EQ(objects_->detections()[1].class_id, 0);
}

TEST_P(YoloDecoderTest, TakesEndToEndObjectsInTheirOrder) {
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    const auto format = format_of(YoloTask::kDetect, YoloLayout::kEndToEnd, 300, 0);
    Network network = random_network(format, kInput, seed);
    network.cells[7][4] = kNaN;
    network.cells[8][4] = kInfinity;
    network.cells[9][0] = kNaN;
    network.cells[10][2] = network.cells[10][0] - 1;
    network.cells[11][5] =
        kNaN;  // And others that are no class: their conversion would be undefined, or a wrong class.
    network.cells[12][5] = -3;
    network.cells[13][5] = 1e9F;
    network.cells[14][5] = kInfinity;
    expect_as_defined(network, {640, 480}, {.score_threshold = 0.25F * static_cast<float>(seed)});
    expect_as_defined(network, {33, 71}, {.max_detections = 17});
  }
}

TEST_P(YoloDecoderTest, GivesKeypoints) {
  for (const YoloLayout layout : {YoloLayout::kPlanes, YoloLayout::kEndToEnd}) {
    for (const Size source : {Size{641, 359}, Size{7680, 4320}, Size{1, 1}})
      expect_as_defined(random_network(format_of(YoloTask::kPose, layout, 315, 1), kInput, 21), source, {});
  }
}

TEST_P(YoloDecoderTest, KeypointsThatAreNotFiniteAreZeros) {
  for (const YoloLayout layout : {YoloLayout::kPlanes, YoloLayout::kEndToEnd}) {
    Network network = random_network(format_of(YoloTask::kPose, layout, 315, 1), kInput, 22);
    const std::array<float, 3> bad{kNaN, kInfinity, -kInfinity};
    for (std::size_t i = 0; i < network.cells.size(); ++i) {
      auto& cell = network.cells[i];
      cell[cell.size() - 1 - i % 6] = bad[i % 3];
    }
    expect_as_defined(network, {641, 359}, {});
    EXPECT_FALSE(objects_->detections().empty());
  }
}

TEST_P(YoloDecoderTest, FindsNothingOrAllOfIt) {
  for (const YoloLayout layout : kCells) {
    Network network = random_network(format_of(YoloTask::kDetect, layout, 315, 80), kInput, 31);
    for (auto& cell : network.cells)
      std::fill(cell.begin() + 4, cell.end(), layout == YoloLayout::kPlanes ? 0.25F : 0.5F);
    expect_as_defined(network, {640, 480}, {});
    EXPECT_EQ(objects_->candidate_count(), 0);
    expect_as_defined(network, {640, 480}, {.score_threshold = 0.2F, .nms_threshold = 1, .max_detections = 300});
    EXPECT_EQ(objects_->detections().size(), 300U);
    EXPECT_EQ(objects_->candidate_count(), 315);
    expect_as_defined(network, {640, 480}, {.score_threshold = 0.2F, .nms_threshold = 1, .max_detections = 315});
  }
}

TEST_P(YoloDecoderTest, NonFiniteScoresAndBoxesAreNoObjects) {
  for (const YoloLayout layout : kCells) {
    Network network = random_network(format_of(YoloTask::kDetect, layout, 315, 4), kInput, 41);
    const std::array<float, 4> bad{kNaN, kInfinity, -kInfinity, -5};
    for (std::size_t i = 0; i < network.cells.size(); i += 3) network.cells[i][4 + i % 4] = bad[i % 4];
    for (std::size_t i = 1; i < network.cells.size(); i += 3) network.cells[i][i % 4] = bad[(i / 3) % 4];
    expect_as_defined(network, {640, 480}, {});
  }
}

TEST_P(YoloDecoderTest, ABoxThatReachesIntoThePaddingIsClipped) {
  // 1920×1080 in 640×640: 140 rows of padding above and below.
  Network network{format_of(YoloTask::kDetect, YoloLayout::kPlanes, 2, 1), {}, {}};
  network.cells = {{386.15F, 438.35F, 155.5F, 124.1F, 0.954F}, {320, 20, 100, 40, 0.9F}};
  decode(network, ResizeMapping::make(ResizeMode::kLetterbox, {1920, 1080}, {640, 640}), {});
  const auto found = objects_->detections();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0].box.x1, 925.2, 0.01);
  EXPECT_NEAR(found[0].box.y1, 708.9, 0.01);
  EXPECT_NEAR(found[0].box.x2, 1391.7, 0.01);
  EXPECT_EQ(found[0].box.y2, 1080);
  EXPECT_EQ(found[0].label, "person");
  EXPECT_EQ(found[1].box.y1, 0);  // All of it is padding: an empty box at the picture's edge.
  EXPECT_EQ(found[1].box.y2, 0);
}

TEST_P(YoloDecoderTest, MasksAreCombinedBlendedCutAndThresholded) {
  for (const YoloLayout layout : {YoloLayout::kPlanes, YoloLayout::kEndToEnd, YoloLayout::kV5}) {
    const Network network = random_network(format_of(YoloTask::kSegment, layout, 200, 3), kInput, 51);
    for (const Size source : {Size{160, 96}, Size{320, 100}, Size{61, 87}}) {
      const auto mapping = ResizeMapping::make(ResizeMode::kLetterbox, source, kInput);
      for (const Size size : {source, Size{35, 17}}) {
        decode(network, mapping, {.score_threshold = 0.6F}, {.size = size, .most = 10, .read_back = true});
        expect_masks(network, mapping, size);
      }
    }
  }
}

TEST_P(YoloDecoderTest, MasksOfOneSignAreWholeBoxes) {
  Network network = random_network(format_of(YoloTask::kSegment, YoloLayout::kPlanes, 30, 1), kInput, 61);
  std::fill(network.prototypes.begin(), network.prototypes.end(), 0.5F);
  for (std::size_t i = 0; i < network.cells.size(); ++i)
    std::fill(network.cells[i].begin() + 5, network.cells[i].end(), i % 2 == 0 ? 1.0F : -1.0F);
  const auto mapping = ResizeMapping::make(ResizeMode::kLetterbox, {320, 192}, kInput);
  decode(network, mapping, {.nms_threshold = 1}, {.size = {320, 192}, .most = 30, .read_back = true});
  expect_masks(network, mapping, {320, 192});
}

// An object of the whole input, another of its left half, with masks that are foreground everywhere.
Network two_whole_masks(float fill) {
  Network network{format_of(YoloTask::kSegment, YoloLayout::kPlanes, 2, 1), {}, {}};
  network.cells = {{80, 48, 160, 96, 0.875F}, {40, 48, 80, 96, 0.75F}};
  for (auto& cell : network.cells) cell.insert(cell.end(), 8, 1.0F);
  network.prototypes.assign(std::size_t{8} * 40 * 24, fill);
  return network;
}

TEST_P(YoloDecoderTest, AMaskIsNotSetWhereANaNTakesPart) {
  Network network = two_whole_masks(0.5F);
  network.prototypes[3 * 40 * 24 + 10 * 40 + 20] = kNaN;  // In column 20 of row 10, ...
  network.cells[1].back() = kNaN;                         // ... and all over the second mask.
  const auto mapping = ResizeMapping::make(ResizeMode::kLetterbox, kInput, kInput);
  for (const Size size : {kInput, Size{35, 17}}) {
    decode(network, mapping, {.nms_threshold = 1}, {.size = size, .most = 2, .read_back = true});
    ASSERT_EQ(masks_->count_of(objects_->detections().size()), 2U);
    expect_masks(network, mapping, size);
    EXPECT_EQ(count_set(masks_->mask(1, 2)), 0U);
  }
  decode(network, mapping, {.nms_threshold = 1}, {.size = kInput, .most = 2, .read_back = true});
  EXPECT_EQ(count_set(masks_->mask(0, 2)), 160U * 96 - 8 * 8) << "four pixels a cell, blended of two cells";
}

TEST_P(YoloDecoderTest, AnInfiniteCoefficientCountsByItsSign) {
  Network network = two_whole_masks(0.5F);
  network.cells[0].back() = kInfinity;
  network.cells[1].back() = -kInfinity;
  const auto mapping = ResizeMapping::make(ResizeMode::kLetterbox, kInput, kInput);
  decode(network, mapping, {.nms_threshold = 1}, {.size = {35, 17}, .most = 2, .read_back = true});
  ASSERT_EQ(masks_->count_of(objects_->detections().size()), 2U);
  EXPECT_EQ(count_set(masks_->mask(0, 2)), 35U * 17);
  EXPECT_EQ(count_set(masks_->mask(1, 2)), 0U);
}

TEST_P(YoloDecoderTest, AMaskOfEightThousandPixelsIsExactAtItsEnds) {
  constexpr Size kVast{7680, 4320};
  Network network = random_network(format_of(YoloTask::kSegment, YoloLayout::kPlanes, 1, 1), kInput, 91);
  std::ranges::copy(std::array{80.0F, 48.0F, 160.0F, 96.0F, 0.875F}, network.cells[0].begin());
  const auto mapping = ResizeMapping::make(ResizeMode::kLetterbox, kVast, kInput);
  decode(network, mapping, {}, {.size = kVast, .most = 1, .read_back = true});
  ASSERT_EQ(objects_->detections().size(), 1U);
  EXPECT_EQ(objects_->detections()[0].box, (Box{0, 0, 7680, 4320}));
  const MaskView mask = masks_->mask(0, 1);
  const auto expect_pixel = [&](int x, int y) {
    const double value = mask_value(network, 0, mapping, kVast, x, y);
    if (std::abs(value) < 1e-3) return;
    ASSERT_EQ(is_set(mask, x, y), value > 0) << x << ", " << y << ": " << value;
  };
  for (int x = 0; x < kVast.width; ++x) {
    expect_pixel(x, 0);
    expect_pixel(x, kVast.height - 1);
  }
  for (int y = 0; y < kVast.height; ++y) {
    expect_pixel(0, y);
    expect_pixel(kVast.width - 1, y);
    expect_pixel(y * 16 / 9, y);
  }
}

TEST(YoloPreprocessingTest, IsALetterboxOnGreyAndNothingElse) {
  const PreprocessOptions options = yolo_preprocessing({640, 480}, YoloLayout::kV5);
  EXPECT_EQ(options.target, (Size{640, 480}));
  EXPECT_EQ(options.mode, ResizeMode::kLetterbox);
  EXPECT_EQ(options.pad_position, PadPosition::kCenter);
  EXPECT_EQ(options.order, ChannelOrder::kRgb);
  EXPECT_EQ(options.pad_value, 114);
  EXPECT_EQ(options.scale, 1.0F / 255.0F);
}

TEST(YoloPreprocessingTest, OfYoloxIsAtTheUpperLeftAndNotNormalised) {
  const PreprocessOptions options = yolo_preprocessing({640, 480}, YoloLayout::kYolox);
  EXPECT_EQ(options.mode, ResizeMode::kLetterbox);
  EXPECT_EQ(options.pad_position, PadPosition::kBottomRight);
  EXPECT_EQ(options.order, ChannelOrder::kBgr);
  EXPECT_EQ(options.pad_value, 114);
  EXPECT_EQ(options.scale, 1);
}

INSTANTIATE_TEST_SUITE_P(Devices, YoloDecoderTest, ::testing::ValuesIn(Device::all()), testing::device_name);

}  // namespace
}  // namespace vrt
