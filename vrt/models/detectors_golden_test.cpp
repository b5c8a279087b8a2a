// What YOLO's and RF-DETR's decoders find in seeded outputs, beside NumPy's and OpenCV's: tools/golden/detectors.py.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vrt/base/testing/location.h"
#include "vrt/models/common/detection_buffers.h"
#include "vrt/models/common/instance_masks.h"
#include "vrt/models/rfdetr/appearance.h"
#include "vrt/models/rfdetr/keypoint_gathering.h"
#include "vrt/models/rfdetr/rfdetr_decoder.h"
#include "vrt/models/testing/device_data.h"
#include "vrt/models/yolo/yolo_decoder.h"
#include "vrt/models/yolo/yolo_input.h"

namespace vrt {
namespace {

constexpr Size kSource{1920, 1080};
constexpr std::uint32_t kCells = 2100;
constexpr std::uint32_t kClasses = 20;
constexpr std::uint32_t kPoints = 5;
constexpr Size kMask{96, 54};
constexpr Size kPrototypes{160, 160};

// As the script has it.
float hashed(std::uint32_t position, std::uint32_t stream) {
  std::uint32_t h = position * 0x9E3779B9U + stream * 0x7F4A7C15U;
  h = (h ^ (h >> 16U)) * 0x85EBCA6BU;
  h = (h ^ (h >> 13U)) * 0xC2B2AE35U;
  h ^= h >> 16U;
  return static_cast<float>(h >> 8U) / 16777216.0F;
}

using Rows = std::vector<std::vector<double>>;

// Of objects: index, class, score, box, and x, y, confidence of each keypoint.
Rows golden(const std::string& section) {
  std::ifstream file(testing::location("VRT_SOURCE_DIR", VRT_SOURCE_DIR) + "/vrt/models/testdata/detectors.golden");
  std::string name;
  std::size_t count = 0;
  std::size_t columns = 0;
  while (file >> name >> count >> columns) {
    Rows rows(count, std::vector<double>(columns));
    for (auto& row : rows)
      for (double& value : row) file >> value;
    if (name == section) return rows;
  }
  return {};
}

std::vector<float> yolo_output() {
  std::vector<float> values((4 + kClasses) * kCells);
  for (std::uint32_t i = 0; i < kCells; ++i) {
    values[i] = 640 * hashed(i, 0);
    values[kCells + i] = 640 * hashed(i, 1);
    values[2 * kCells + i] = 16 + 128 * hashed(i, 2);
    values[3 * kCells + i] = 16 + 128 * hashed(i, 3);
    for (std::uint32_t c = 0; c < kClasses; ++c)
      values[(4 + c) * kCells + i] = std::floor(hashed(i * kClasses + c, 5) * 128) / 128;
  }
  return values;
}

// Rows of cells: box, objectness, classes. YOLOX's boxes are relative to their cells.
std::vector<float> rows_output(YoloLayout layout) {
  const std::vector<float> planes = yolo_output();
  std::vector<float> values;
  for (std::uint32_t i = 0; i < kCells; ++i) {
    for (std::uint32_t value = 0; value < 4; ++value) {
      const float raw = value < 2 ? 3 * hashed(i, value) - 1 : 2 * hashed(i, value);
      values.push_back(layout == YoloLayout::kYolox ? raw : planes[value * kCells + i]);
    }
    values.push_back(std::floor(hashed(i, 4) * 128) / 128);
    for (std::uint32_t c = 0; c < kClasses; ++c) values.push_back(planes[(4 + c) * kCells + i]);
  }
  return values;
}

// Each value from -1 to 1.
std::vector<float> hashed_values(std::uint32_t count, std::uint32_t stream) {
  std::vector<float> values;
  for (std::uint32_t i = 0; i < count; ++i) values.push_back(2 * hashed(i, stream) - 1);
  return values;
}

std::vector<float> end_to_end_output() {
  std::vector<float> values;
  for (std::uint32_t i = 0; i < 300; ++i) {
    const float x = 600 * hashed(i, 10);
    const float y = 600 * hashed(i, 11);
    values.insert(values.end(), {x, y, (x - 16) + 200 * hashed(i, 12), (y - 16) + 200 * hashed(i, 13),
                                 std::floor(hashed(i, 14) * 128) / 128, std::floor(hashed(i, 15) * 80)});
  }
  return values;
}

// The boxes of cells, the scores of their first class, then x, y, confidence of each point.
std::vector<float> pose_output() {
  std::vector<float> values = yolo_output();
  values.resize(5 * kCells);
  for (std::uint32_t value = 0; value < 3 * kPoints; ++value) {
    for (std::uint32_t i = 0; i < kCells; ++i) {
      const float raw = hashed(i * 3 * kPoints + value, 16);
      values.push_back(value % 3 == 2 ? raw : 640 * raw);
    }
  }
  return values;
}

class DetectorsGoldenTest : public ::testing::TestWithParam<Device> {
 protected:
  void expect_golden(DetectionBuffers& objects, const std::string& section) {
    objects.enqueue_read_back(stream_);
    const auto indices = testing::to_host(stream_, objects.found().indices, objects.most());
    stream_.synchronize();
    const auto expected = golden(section);
    ASSERT_FALSE(expected.empty());
    const auto found = objects.detections();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::vector<double>& row = expected[i];
      ASSERT_EQ(indices[i], row[0]) << section << ", object " << i;
      EXPECT_EQ(found[i].class_id, row[1]);
      EXPECT_NEAR(found[i].score, row[2], 1e-5);
      EXPECT_NEAR(found[i].box.x1, row[3], 1e-2);
      EXPECT_NEAR(found[i].box.y1, row[4], 1e-2);
      EXPECT_NEAR(found[i].box.x2, row[5], 1e-2);
      EXPECT_NEAR(found[i].box.y2, row[6], 1e-2);
      expect_points(found[i].keypoints, std::span(row).subspan(7));
    }
  }

  static void expect_points(std::span<const Keypoint> found, std::span<const double> expected) {
    ASSERT_EQ(3 * found.size(), expected.size());
    for (std::size_t p = 0; p < found.size(); ++p) {
      EXPECT_NEAR(found[p].x, expected[3 * p], 1e-2) << "point " << p;
      EXPECT_NEAR(found[p].y, expected[3 * p + 1], 1e-2) << "point " << p;
      EXPECT_NEAR(found[p].confidence, expected[3 * p + 2], 1e-5) << "point " << p;
    }
  }

  // Every pixel, by the words that the script wrote.
  void expect_mask(InstanceMasks& masks, const std::string& section) {
    masks.enqueue_read_back(stream_);
    stream_.synchronize();
    const Rows expected = golden(section);
    ASSERT_EQ(expected.size(), static_cast<std::size_t>(kMask.height));
    for (std::size_t i = 0; i < masks.mask(0, 1).words.size(); ++i)
      ASSERT_EQ(masks.mask(0, 1).words[i], static_cast<std::uint32_t>(expected[i / 3][i % 3])) << section << ' ' << i;
  }

  void expect_yolo(YoloLayout layout, const YoloOptions& options, const std::string& section) {
    YoloFormat format;
    format.layout = layout;
    format.items = kCells;
    format.classes = kClasses;
    decode(format, layout == YoloLayout::kPlanes ? yolo_output() : rows_output(layout), options);
    expect_golden(*objects_, section);
  }

  void decode(const YoloFormat& format, const std::vector<float>& output, const YoloOptions& options,
              const std::vector<float>& prototypes = {}) {
    const Size input = format.layout == YoloLayout::kYolox ? Size{320, 320} : Size{640, 640};
    const auto values = testing::to_device(stream_, output);
    const auto device_prototypes = testing::to_device(stream_, prototypes);
    objects_ = std::make_unique<DetectionBuffers>(stream_, options.max_detections, format.keypoints,
                                                  std::make_shared<const ClassNames>());
    const MaskOptions wanted{.size = prototypes.empty() ? Size() : kMask, .most = 1, .read_back = true};
    masks_ = std::make_unique<InstanceMasks>(stream_, wanted);
    YoloDecoder decoder(stream_, format, options);
    const PadPosition pad = yolo_preprocessing(input, format.layout).pad_position;
    decoder.submit({values.span(), device_prototypes.span()},
                   ResizeMapping::make(ResizeMode::kLetterbox, kSource, input, pad), *objects_, *masks_);
    stream_.synchronize();
  }

  void expect_rfdetr(const RfDetrOptions& options, const std::string& section) {
    RfDetrFormat format;
    format.queries = 300;
    format.columns = 91;
    std::vector<float> logits(300 * 91);
    std::vector<float> boxes(300 * 4);
    for (std::uint32_t i = 0; i < logits.size(); ++i) logits[i] = std::floor(-512 + 640 * hashed(i, 7)) / 64;
    for (std::uint32_t i = 0; i < boxes.size(); ++i) boxes[i] = 0.1F + 0.8F * hashed(i, 8);
    const auto device_logits = testing::to_device(stream_, logits);
    const auto device_boxes = testing::to_device(stream_, boxes);
    DetectionBuffers objects(stream_, options.max_detections, 0, std::make_shared<const ClassNames>());
    RfDetrDecoder(stream_, format, options)
        .submit(device_boxes.span(), device_logits.span(),
                ResizeMapping::make(ResizeMode::kStretch, kSource, {512, 512}), objects);
    expect_golden(objects, section);
  }

  Stream stream_{GetParam()};
  std::unique_ptr<DetectionBuffers> objects_;
  std::unique_ptr<InstanceMasks> masks_;
};

TEST_P(DetectorsGoldenTest, YoloFindsWhatNumPyFinds) {
  expect_yolo(YoloLayout::kPlanes, {.score_threshold = 0.25F, .nms_threshold = 0.45F}, "yolo");
  expect_yolo(YoloLayout::kPlanes, {.score_threshold = 0.985F, .nms_threshold = 0.7F}, "yolo_few");
}

TEST_P(DetectorsGoldenTest, YoloWithObjectnessFindsWhatNumPyFinds) {
  expect_yolo(YoloLayout::kV5, {.score_threshold = 0.25F, .nms_threshold = 0.45F}, "yolov5");
  expect_yolo(YoloLayout::kYolox, {.score_threshold = 0.25F, .nms_threshold = 0.65F}, "yolox");
}

TEST_P(DetectorsGoldenTest, RfDetrFindsWhatNumPyFinds) {
  expect_rfdetr({.score_threshold = 0.5F}, "rfdetr");
  expect_rfdetr({.score_threshold = 0}, "rfdetr_all");
}

TEST_P(DetectorsGoldenTest, EndToEndObjectsAreWhatNumPyFinds) {
  YoloFormat format;
  format.layout = YoloLayout::kEndToEnd;
  format.items = 300;
  decode(format, end_to_end_output(), {.score_threshold = 0.25F});
  expect_golden(*objects_, "end_to_end");
}

TEST_P(DetectorsGoldenTest, PeopleAndTheirPointsAreWhatNumPyFinds) {
  YoloFormat format;
  format.task = YoloTask::kPose;
  format.items = kCells;
  format.classes = 1;
  format.keypoints = kPoints;
  format.keypoint_values = 3;
  decode(format, pose_output(), {.score_threshold = 0.9F, .nms_threshold = 0.7F});
  expect_golden(*objects_, "pose");
}

TEST_P(DetectorsGoldenTest, YolosMaskIsWhatOpenCvBlends) {
  YoloFormat format;
  format.task = YoloTask::kSegment;
  format.layout = YoloLayout::kEndToEnd;
  format.items = 1;
  format.coefficients = 8;
  format.prototype_size = kPrototypes;
  std::vector<float> object{100.5F, 200, 540, 420.25F, 0.9F, 0};
  for (const float coefficient : hashed_values(8, 17)) object.push_back(coefficient);
  decode(format, object, {}, hashed_values(8 * 160 * 160, 18));
  ASSERT_EQ(testing::to_host(stream_, objects_->device_count(), 1)[0], 1);
  expect_mask(*masks_, "yolo_mask");
}

TEST_P(DetectorsGoldenTest, RfDetrsMaskIsWhatOpenCvBlends) {
  const auto planes = testing::to_device(stream_, hashed_values(27 * 20, 19));
  const auto count = testing::to_device<std::int32_t>(stream_, {1});
  InstanceMasks masks(stream_, {.size = kMask, .most = 1, .read_back = true});
  MaskUpsampler(stream_).submit({planes.span(), {27, 20}, {}, {}},
                                ResizeMapping::make(ResizeMode::kStretch, kSource, {432, 432}), count.span(), masks);
  expect_mask(masks, "rfdetr_mask");
}

TEST_P(DetectorsGoldenTest, RfDetrsPointsAreWhatNumPyFinds) {
  std::vector<float> slots;
  for (std::uint32_t i = 0; i < 17 * 8; ++i) slots.push_back(4 * hashed(i, 20) - 1);
  const auto device_slots = testing::to_device(stream_, slots);
  DetectionBuffers objects(stream_, 1, 17, std::make_shared<const ClassNames>());
  upload_blocking<std::int32_t>(stream_, std::vector<std::int32_t>{0}, objects.found().indices);
  upload_blocking<std::int32_t>(stream_, std::vector<std::int32_t>{0}, objects.found().classes);
  upload_blocking<std::int32_t>(stream_, std::vector<std::int32_t>{1}, objects.found().count);
  KeypointGathering(stream_, {17}).submit(device_slots.span(), kSource, objects);
  objects.enqueue_read_back(stream_);
  stream_.synchronize();
  std::vector<double> expected;
  for (const auto& row : golden("rfdetr_keypoints")) expected.insert(expected.end(), row.begin(), row.end());
  ASSERT_EQ(objects.detections().size(), 1U);
  expect_points(objects.detections()[0].keypoints, expected);
}

TEST_P(DetectorsGoldenTest, AppearanceIsWhatNumPyPools) {
  std::vector<float> mask;
  for (std::uint32_t i = 0; i < 144; ++i) mask.push_back(hashed(i, 21) - 0.5F);
  const auto masks = testing::to_device(stream_, mask);
  const auto tokens = testing::to_device(stream_, hashed_values(7 * 25, 22));
  DetectionBuffers objects(stream_, 1, 0, std::make_shared<const ClassNames>());
  upload_blocking<std::int32_t>(stream_, std::vector<std::int32_t>{0}, objects.found().indices);
  upload_blocking<std::int32_t>(stream_, std::vector<std::int32_t>{1}, objects.found().count);
  AppearanceBuffers appearance(stream_, 1, 7, true);
  TokenPooling(stream_, {12, 12, 5, 5, 7}, 1).submit(masks.span(), tokens.span(), objects.found(), appearance);
  appearance.enqueue_read_back(stream_);
  stream_.synchronize();
  const Rows expected = golden("appearance");
  ASSERT_EQ(expected.size(), 1U);
  for (std::size_t c = 0; c < 7; ++c) EXPECT_NEAR(appearance.host_vector(0, 1)[c], expected[0][c], 1e-5) << c;
}

INSTANTIATE_TEST_SUITE_P(Devices, DetectorsGoldenTest, ::testing::ValuesIn(Device::all()), testing::device_name);

}  // namespace
}  // namespace vrt
