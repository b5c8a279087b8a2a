#include "vrt/models/rfdetr/rfdetr_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "vrt/models/common/instance_masks.h"
#include "vrt/models/rfdetr/appearance.h"
#include "vrt/models/rfdetr/keypoint_gathering.h"
#include "vrt/models/rfdetr/rfdetr_network.h"
#include "vrt/models/testing/device_data.h"

namespace vrt {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A network's raw output on the host.
struct Network {
  std::int32_t queries = 0;
  std::int32_t columns = 0;
  std::vector<float> boxes, logits;
  bool background = false;

  [[nodiscard]] RfDetrFormat format() const {
    RfDetrFormat format;
    format.queries = queries;
    format.columns = columns;
    format.background_column = background;
    return format;
  }
};

// Logits in steps, so that ties are common.
Network random_network(std::int32_t queries, std::int32_t columns, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto between = [&](float low, float high) { return std::uniform_real_distribution<float>(low, high)(random); };
  Network network{queries, columns, {}, {}, false};
  for (std::int32_t q = 0; q < queries; ++q)
    network.boxes.insert(network.boxes.end(),
                         {between(-0.1F, 1.1F), between(-0.1F, 1.1F), between(0, 0.5F), between(0, 0.5F)});
  for (std::int32_t i = 0; i < queries * columns; ++i)
    network.logits.push_back(static_cast<float>(std::uniform_int_distribution<int>(-300, 100)(random)) / 32);
  return network;
}

struct Object {
  std::size_t query = 0;
  std::int32_t column = 0;
  double score = 0;
  std::array<double, 4> box{};
};

// The reference: the sigmoid of everything, the best of all pairs by a stable sort, in double.
std::vector<Object> by_definition(const Network& network, Size source, const RfDetrOptions& options) {
  std::vector<std::size_t> pairs;
  for (std::size_t i = 0; i < network.logits.size(); ++i) {
    const float score = 1 / (1 + std::exp(-network.logits[i]));
    const bool skipped = network.background && i % static_cast<std::size_t>(network.columns) == 0;
    if (score > options.score_threshold && !skipped) pairs.push_back(i);
  }
  std::stable_sort(pairs.begin(), pairs.end(), [&](auto a, auto b) { return network.logits[a] > network.logits[b]; });
  pairs.resize(std::min<std::size_t>(pairs.size(), static_cast<std::size_t>(options.max_detections)));
  std::vector<Object> objects;
  for (const std::size_t pair : pairs) {
    const auto columns = static_cast<std::size_t>(network.columns);
    Object object{pair / columns,
                  static_cast<std::int32_t>(pair % columns),
                  1 / (1 + std::exp(-double{network.logits[pair]})),
                  {}};
    const float* box = network.boxes.data() + 4 * object.query;
    const double limit[2] = {double(source.width), double(source.height)};
    bool valid = true;
    for (std::size_t side = 0; side < 4; ++side) {
      const double value = (box[side % 2] + (side < 2 ? -0.5 : 0.5) * box[2 + side % 2]) * limit[side % 2];
      valid = valid && std::isfinite(value) && box[2 + side % 2] >= 0;
      object.box[side] = std::clamp(value, 0.0, limit[side % 2]);
    }
    if (valid) objects.push_back(object);
  }
  return objects;
}

class RfDetrDecoderTest : public ::testing::TestWithParam<Device> {
 protected:
  std::span<const Detection> decode(const Network& network, Size source, const RfDetrOptions& options) {
    RfDetrDecoder decoder(stream_, network.format(), options);
    objects_ = std::make_unique<DetectionBuffers>(stream_, options.max_detections, 0,
                                                  std::make_shared<const ClassNames>(ClassNames::coco91()));
    const auto boxes = testing::to_device(stream_, network.boxes);
    const auto logits = testing::to_device(stream_, network.logits);
    decoder.submit(boxes.span(), logits.span(), ResizeMapping::make(ResizeMode::kStretch, source, {512, 512}),
                   *objects_);
    objects_->enqueue_read_back(stream_);
    queries_ = testing::to_host(stream_, objects_->found().indices, static_cast<std::size_t>(options.max_detections));
    stream_.synchronize();
    return objects_->detections();
  }

  void expect_as_defined(const Network& network, Size source, const RfDetrOptions& options) {
    const auto found = decode(network, source, options);
    const auto expected = by_definition(network, source, options);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(static_cast<std::size_t>(queries_[i]), expected[i].query) << "object " << i;
      EXPECT_EQ(found[i].class_id, expected[i].column) << "object " << i;
      EXPECT_NEAR(found[i].score, expected[i].score, 1e-6) << "object " << i;
      const double tolerance = source.width > 2000 ? 5e-3 : 1e-3;
      EXPECT_NEAR(found[i].box.x1, expected[i].box[0], tolerance);
      EXPECT_NEAR(found[i].box.y1, expected[i].box[1], tolerance);
      EXPECT_NEAR(found[i].box.x2, expected[i].box[2], tolerance);
      EXPECT_NEAR(found[i].box.y2, expected[i].box[3], tolerance);
    }
  }

  Stream stream_{GetParam()};
  std::unique_ptr<DetectionBuffers> objects_;
  std::vector<std::int32_t> queries_;
};

TEST_P(RfDetrDecoderTest, TakesTheBestOfAllPairs) {
  std::uint32_t seed = 0;
  for (const Size source : {Size{640, 480}, Size{1, 1}, Size{7680, 4320}, Size{333, 517}}) {
    for (const std::int32_t columns : {1, 2, 91}) {
      Network network = random_network(300, columns, ++seed);
      expect_as_defined(network, source, {});
      expect_as_defined(network, source, {.score_threshold = 0});
      expect_as_defined(network, source, {.score_threshold = 0.9F, .max_detections = 50});
      network.background = columns > 1;
      expect_as_defined(network, source, {.score_threshold = 0.1F});
    }
  }
  expect_as_defined(random_network(300, 1000, 90), {640, 480}, {});
}

TEST_P(RfDetrDecoderTest, OneQueryMayGiveTwoClasses) {
  Network network = random_network(10, 5, 1);
  std::fill(network.logits.begin(), network.logits.end(), -5.0F);
  network.logits[3 * 5 + 2] = 2;
  network.logits[3 * 5 + 4] = 1;
  const auto found = decode(network, {100, 100}, {});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].class_id, 2);
  EXPECT_EQ(found[1].class_id, 4);
  EXPECT_EQ(found[0].box, found[1].box);
  EXPECT_EQ(found[0].label, "bicycle");
}

TEST_P(RfDetrDecoderTest, AClassInColumnZeroIsFoundUnlessItIsBackground) {
  Network network = random_network(10, 3, 2);
  std::fill(network.logits.begin(), network.logits.end(), -5.0F);
  network.logits[0] = 4;
  network.logits[3] = 3;
  EXPECT_EQ(decode(network, {100, 100}, {}).size(), 2U);
  network.background = true;
  EXPECT_TRUE(decode(network, {100, 100}, {}).empty());
}

TEST_P(RfDetrDecoderTest, OfEqualLogitsTheFirstPairsAreTaken) {
  for (const std::int32_t passing : {299, 300, 301}) {
    Network network = random_network(300, 4, 3);
    for (std::size_t i = 0; i < network.logits.size(); ++i)
      network.logits[i] = static_cast<std::int32_t>(i) < passing ? 1.0F : -9.0F;
    expect_as_defined(network, {640, 480}, {});
    EXPECT_EQ(objects_->candidate_count(), passing);
  }
  Network all = random_network(300, 91, 4);
  std::fill(all.logits.begin(), all.logits.end(), 0.5F);
  expect_as_defined(all, {640, 480}, {});
}

TEST_P(RfDetrDecoderTest, NaNIsNothingAndInfinityIsCertain) {
  Network network = random_network(20, 3, 5);
  std::fill(network.logits.begin(), network.logits.end(), kNaN);
  EXPECT_TRUE(decode(network, {100, 100}, {.score_threshold = 0}).empty());
  network.logits[7] = kInfinity;
  network.logits[8] = -kInfinity;
  network.logits[9] = 3;
  const auto found = decode(network, {100, 100}, {.score_threshold = 0});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].score, 1);
}

TEST_P(RfDetrDecoderTest, InvertedAndNonFiniteBoxesAreDropped) {
  Network network = random_network(40, 2, 6);
  const std::array<float, 4> bad{kNaN, kInfinity, -kInfinity, kNaN};
  for (std::size_t q = 0; q < 40; q += 2) network.boxes[4 * q + (q / 2) % 4] = bad[(q / 2) % 4];
  network.boxes[4 * 1 + 2] = -0.1F;
  network.boxes[4 * 3 + 2] = 0;  // An empty box is one.
  expect_as_defined(network, {640, 480}, {.score_threshold = 0});
}

TEST_P(RfDetrDecoderTest, AScoreIsAboveTheThresholdAsItIsGiven) {
  // The sigmoids of the first ones round to a half, of the last ones to more.
  Network network = random_network(5, 1, 4);
  network.logits = {0, 1e-9F, 5e-8F, 1e-6F, 0.5F};
  const auto found = decode(network, {640, 480}, {.score_threshold = 0.5F});
  ASSERT_EQ(found.size(), 2U);
  for (const Detection& object : found) EXPECT_GT(object.score, 0.5F);
  network.logits = {-kInfinity, -200, -20, 20, kInfinity};
  EXPECT_EQ(decode(network, {640, 480}, {.score_threshold = 0}).size(), 3U);
  EXPECT_EQ(decode(network, {640, 480}, {.score_threshold = 1}).size(), 0U);
}

TEST_P(RfDetrDecoderTest, KeypointsFollowTheFormula) {
  Network network = random_network(30, 2, 7);
  network.background = true;
  std::mt19937 random(8);
  std::vector<float> slots(30 * 34 * 8);
  for (float& value : slots) value = std::uniform_real_distribution<float>(-1, 4)(random);
  slots[(5 * 34 + 17) * 8 + 4] = kNaN;
  slots[(6 * 34 + 18) * 8 + 2] = kInfinity;
  slots[(7 * 34 + 19) * 8 + 6] = -200;
  slots[(8 * 34 + 20) * 8] = kNaN;
  slots[(9 * 34 + 21) * 8 + 1] = -kInfinity;
  const RfDetrOptions options{.score_threshold = 0, .max_detections = 30};
  const Size source{640, 360};
  RfDetrDecoder decoder(stream_, network.format(), options);
  DetectionBuffers objects(stream_, 30, 17, std::make_shared<const ClassNames>());
  const auto boxes = testing::to_device(stream_, network.boxes);
  const auto logits = testing::to_device(stream_, network.logits);
  const auto device_slots = testing::to_device(stream_, slots);
  decoder.submit(boxes.span(), logits.span(), ResizeMapping::make(ResizeMode::kStretch, source, {576, 576}), objects);
  KeypointGathering(stream_, {17, 17}).submit(device_slots.span(), source, objects);
  objects.enqueue_read_back(stream_);
  const auto queries = testing::to_host(stream_, objects.found().indices, 30);
  stream_.synchronize();
  ASSERT_EQ(objects.detections().size(), 30U);
  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t p = 0; p < 17; ++p) {
      const float* slot = slots.data() + (static_cast<std::size_t>(queries[i]) * 34 + 17 + p) * 8;
      const double a = std::exp(double{slot[4]});
      const double b = std::exp(double{slot[6]});
      const double c = slot[5];
      const double spread = std::sqrt((a * a + b * b + c * c) / (a * b * a * b) / 2);
      double confidence = 1 / (1 + std::exp(-double{slot[2]})) / (1 + (spread / 0.06) * (spread / 0.06));
      confidence = std::isfinite(confidence) ? std::clamp(confidence, 0.0, 1.0) : 0;
      const Keypoint& found = objects.detections()[i].keypoints[p];
      if (!std::isfinite(slot[0]) || !std::isfinite(slot[1])) {
        EXPECT_EQ(found, (Keypoint{0, 0, 0})) << "object " << i << ", point " << p;
        continue;
      }
      EXPECT_NEAR(found.x, double{slot[0]} * 640, 1e-3);
      EXPECT_NEAR(found.y, double{slot[1]} * 360, 1e-3);
      EXPECT_NEAR(found.confidence, confidence, 1e-5) << "object " << i << ", point " << p;
    }
  }
}

TEST_P(RfDetrDecoderTest, PointsThatAClassDoesNotHaveAreZeros) {
  // Three classes of 5, 0 and 2 points, and a fourth column without any: found objects of each.
  const std::vector<std::int32_t> class_points{5, 0, 2};
  constexpr std::size_t kSlots = 15;
  std::vector<float> slots(4 * kSlots * 8, 0);
  for (std::size_t slot = 0; slot < 4 * kSlots; ++slot) {
    slots[8 * slot] = static_cast<float>(slot + 1) / 64;
    slots[8 * slot + 1] = 0.5F;
    slots[8 * slot + 4] = slots[8 * slot + 6] = 20;
  }
  DetectionBuffers objects(stream_, 4, 5, std::make_shared<const ClassNames>());
  const FoundSpans found = objects.found();
  upload_blocking<std::int32_t>(stream_, std::vector<std::int32_t>{3, 1, 2, 0}, found.indices);
  upload_blocking<std::int32_t>(stream_, std::vector<std::int32_t>{0, 1, 2, 3}, found.classes);
  upload_blocking<std::int32_t>(stream_, std::vector<std::int32_t>{4}, found.count);
  const auto device_slots = testing::to_device(stream_, slots);
  KeypointGathering(stream_, class_points).submit(device_slots.span(), {64, 64}, objects);
  objects.enqueue_read_back(stream_);
  stream_.synchronize();
  ASSERT_EQ(objects.detections().size(), 4U);
  const std::array<std::size_t, 4> first_slot{3 * kSlots, 0, 2 * kSlots + 10, 0};
  const std::array<std::size_t, 4> present{5, 0, 2, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t p = 0; p < 5; ++p) {
      const Keypoint& point = objects.detections()[i].keypoints[p];
      EXPECT_EQ(point.x, p < present[i] ? static_cast<float>(first_slot[i] + p + 1) : 0) << i << ", " << p;
      EXPECT_EQ(point.y, p < present[i] ? 32 : 0);
      EXPECT_EQ(point.confidence, p < present[i] ? 0.5F : 0);
    }
  }
}

TEST_P(RfDetrDecoderTest, KeypointsReachTheEndsOfAPictureOfEightThousandPixels) {
  constexpr std::array<std::array<float, 2>, 4> kPlaces{
      {{0, 0}, {1, 1}, {0.5F, 0.25F}, {7679.0F / 7680, 4319.0F / 4320}}};
  std::vector<float> slots;
  for (const auto& [x, y] : kPlaces) slots.insert(slots.end(), {x, y, 0, 0, 20, 0, 20, 0});
  DetectionBuffers objects(stream_, 1, 4, std::make_shared<const ClassNames>());
  const FoundSpans found = objects.found();
  upload_blocking<std::int32_t>(stream_, std::vector<std::int32_t>{0}, found.indices.subspan(0, 1));
  upload_blocking<std::int32_t>(stream_, std::vector<std::int32_t>{0}, found.classes.subspan(0, 1));
  upload_blocking<std::int32_t>(stream_, std::vector<std::int32_t>{1}, found.count);
  const auto device_slots = testing::to_device(stream_, slots);
  KeypointGathering(stream_, {4}).submit(device_slots.span(), {7680, 4320}, objects);
  objects.enqueue_read_back(stream_);
  stream_.synchronize();
  ASSERT_EQ(objects.detections().size(), 1U);
  for (std::size_t p = 0; p < kPlaces.size(); ++p) {
    const Keypoint& point = objects.detections()[0].keypoints[p];
    EXPECT_NEAR(point.x, kPlaces[p][0] * 7680.0, 1e-3) << "point " << p;
    EXPECT_NEAR(point.y, kPlaces[p][1] * 4320.0, 1e-3);
    EXPECT_EQ(point.confidence, 0.5F);
  }
}

TEST_P(RfDetrDecoderTest, MasksAreBlendedAndThresholded) {
  constexpr Size kGrid{27, 20};
  std::mt19937 random(9);
  std::vector<float> planes(4 * 27 * 20);
  for (float& value : planes) value = std::uniform_real_distribution<float>(-1, 1)(random);
  std::fill(planes.begin(), planes.begin() + 27 * 20, 0.5F);
  for (std::size_t cell = 0; cell < 200; ++cell) planes[27 * 20 + cell] = 1;
  planes[27 * 20 + 100] = kNaN;  // Amid cells that are foreground.
  const auto device_planes = testing::to_device(stream_, planes);
  const auto queries = testing::to_device<std::int32_t>(stream_, {3, 1, 0});
  const auto count = testing::to_device<std::int32_t>(stream_, {3});
  int not_a_number = 0;
  const MaskUpsampler upsampler(stream_);
  for (const Size size : {Size{27, 20}, Size{1, 1}, Size{130, 77}, Size{640, 361}, Size{9, 5}}) {
    InstanceMasks masks(stream_, {.size = size, .most = 2, .read_back = true});
    const auto mapping = ResizeMapping::make(ResizeMode::kStretch, {640, 361}, {432, 432});
    upsampler.submit({device_planes.span(), kGrid, queries.span(), {}}, mapping, count.span(), masks);
    masks.enqueue_read_back(stream_);
    stream_.synchronize();
    ASSERT_EQ(masks.count_of(3), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      const float* plane = planes.data() + (i == 0 ? 3 : 1) * 27 * 20;
      for (int y = 0; y < size.height; ++y) {
        const double v = std::clamp((y + 0.5) * 20 / size.height - 0.5, 0.0, 19.0);
        for (int x = 0; x < size.width; ++x) {
          const double u = std::clamp((x + 0.5) * 27 / size.width - 0.5, 0.0, 26.0);
          const auto at = [&](double row, double column) {
            return double{plane[static_cast<int>(std::min(row, 19.0)) * 27 + static_cast<int>(std::min(column, 26.0))]};
          };
          const double fx = u - std::floor(u);
          const double fy = v - std::floor(v);
          const double value = (1 - fy) * ((1 - fx) * at(v, u) + fx * at(v, u + 1)) +
                               fy * ((1 - fx) * at(v + 1, u) + fx * at(v + 1, u + 1));
          if (std::isnan(value)) ++not_a_number;  // Such a pixel is not foreground.
          if (std::abs(value) < 1e-4) continue;
          ASSERT_EQ(is_set(masks.mask(i, 3), x, y), value > 0) << x << ", " << y;
        }
      }
    }
  }
  EXPECT_GT(not_a_number, 1000);
}

TEST_P(RfDetrDecoderTest, AppearanceIsTheMeanOfTheTokensUnderTheMask) {
  constexpr int kMask = 12;
  constexpr int kTokens = 5;
  constexpr int kChannels = 7;
  std::mt19937 random(10);
  std::vector<float> masks(3 * kMask * kMask);
  std::vector<float> tokens(kChannels * kTokens * kTokens);
  for (float& value : masks) value = std::uniform_real_distribution<float>(-1, 1)(random);
  for (float& value : tokens) value = std::uniform_real_distribution<float>(-1, 1)(random);
  std::fill(masks.begin() + kMask * kMask, masks.begin() + 2 * kMask * kMask, -1.0F);
  const auto device_masks = testing::to_device(stream_, masks);
  const auto device_tokens = testing::to_device(stream_, tokens);
  const auto queries = testing::to_device<std::int32_t>(stream_, {2, 1, 0});
  auto count = testing::to_device<std::int32_t>(stream_, {3});
  TokenPooling pooling(stream_, {kMask, kMask, kTokens, kTokens, kChannels}, 4);
  AppearanceBuffers appearance(stream_, 4, kChannels, true);
  FoundSpans found;
  found.indices = DeviceSpan<std::int32_t>::from_raw(const_cast<std::int32_t*>(queries.span().data()), 3);
  found.count = count.span();
  pooling.submit(device_masks.span(), device_tokens.span(), found, appearance);
  appearance.enqueue_read_back(stream_);
  stream_.synchronize();
  for (std::size_t i = 0; i < 3; ++i) {
    std::array<double, kChannels> sum{};
    for (int y = 0; y < kMask; ++y) {
      for (int x = 0; x < kMask; ++x) {
        if (!(masks[static_cast<std::size_t>(static_cast<int>(2 - i) * kMask * kMask + y * kMask + x)] > 0)) continue;
        const int token =
            static_cast<int>((y + 0.5) * kTokens / kMask) * kTokens + static_cast<int>((x + 0.5) * kTokens / kMask);
        for (int c = 0; c < kChannels; ++c)
          sum[static_cast<std::size_t>(c)] += double{tokens[static_cast<std::size_t>(c * kTokens * kTokens + token)]};
      }
    }
    double squares = 0;
    for (const double value : sum) squares += value * value;
    const auto vector = appearance.host_vector(i, 3);
    for (std::size_t c = 0; c < kChannels; ++c)
      EXPECT_NEAR(vector[c], squares > 0 ? sum[c] / std::sqrt(squares) : 0, 1e-5) << "instance " << i;
  }
}

TEST_P(RfDetrDecoderTest, AppearanceOfTokensThatAreNotFiniteIsZeros) {
  const auto masks = testing::to_device(stream_, std::vector<float>(3 * 4, 1));
  const auto queries = testing::to_device<std::int32_t>(stream_, {0, 1, 2});
  const auto count = testing::to_device<std::int32_t>(stream_, {3});
  TokenPooling pooling(stream_, {2, 2, 2, 2, 3}, 3);
  AppearanceBuffers appearance(stream_, 3, 3, true);
  FoundSpans found;
  found.indices = DeviceSpan<std::int32_t>::from_raw(const_cast<std::int32_t*>(queries.span().data()), 3);
  found.count = DeviceSpan<std::int32_t>::from_raw(const_cast<std::int32_t*>(count.span().data()), 1);
  for (const float bad : {kNaN, kInfinity, 3e38F}) {
    std::vector<float> tokens(3 * 4, 1);
    tokens[5] = bad;
    const auto device_tokens = testing::to_device(stream_, tokens);
    pooling.submit(masks.span(), device_tokens.span(), found, appearance);
    appearance.enqueue_read_back(stream_);
    stream_.synchronize();
    for (std::size_t i = 0; i < 3; ++i) {
      for (const float value : appearance.host_vector(i, 3)) EXPECT_EQ(value, 0) << bad;
    }
  }
}

TEST(RfDetrPreprocessingTest, IsTheReferences) {
  const PreprocessOptions options = rfdetr_preprocessing({560, 560}, RfDetrFormat().interpolation);
  EXPECT_EQ(options.mode, ResizeMode::kStretch);
  EXPECT_EQ(options.interpolation, Interpolation::kBilinearAntialiased);
  EXPECT_EQ(options.mean, (std::array<float, 3>{0.485F, 0.456F, 0.406F}));
  EXPECT_EQ(options.standard_deviation, (std::array<float, 3>{0.229F, 0.224F, 0.225F}));
}

INSTANTIATE_TEST_SUITE_P(Devices, RfDetrDecoderTest, ::testing::ValuesIn(Device::all()), testing::device_name);

}  // namespace
}  // namespace vrt
