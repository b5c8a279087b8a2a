// What YOLO's and RF-DETR's decoders find in seeded outputs, beside NumPy's post-processing: tools/golden/detectors.py.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "vrt/base/testing/location.h"
#include "vrt/models/common/detection_buffers.h"
#include "vrt/models/common/instance_masks.h"
#include "vrt/models/rfdetr/rfdetr_decoder.h"
#include "vrt/models/testing/device_data.h"
#include "vrt/models/yolo/yolo_decoder.h"
#include "vrt/models/yolo/yolo_input.h"

namespace vrt {
namespace {

constexpr Size kSource{1920, 1080};
constexpr std::uint32_t kCells = 2100;
constexpr std::uint32_t kClasses = 20;

// As the script has it.
float hashed(std::uint32_t position, std::uint32_t stream) {
  std::uint32_t h = position * 0x9E3779B9U + stream * 0x7F4A7C15U;
  h = (h ^ (h >> 16U)) * 0x85EBCA6BU;
  h = (h ^ (h >> 13U)) * 0xC2B2AE35U;
  h ^= h >> 16U;
  return static_cast<float>(h >> 8U) / 16777216.0F;
}

struct Object {
  std::int32_t index = 0;
  std::int32_t class_id = 0;
  double score = 0;
  double box[4] = {};
};

std::vector<Object> golden(const std::string& section) {
  std::ifstream file(testing::location("VRT_SOURCE_DIR", VRT_SOURCE_DIR) + "/vrt/models/testdata/detectors.golden");
  std::string name;
  std::size_t count = 0;
  while (file >> name >> count) {
    std::vector<Object> objects(count);
    for (Object& o : objects) file >> o.index >> o.class_id >> o.score >> o.box[0] >> o.box[1] >> o.box[2] >> o.box[3];
    if (name == section) return objects;
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
      ASSERT_EQ(indices[i], expected[i].index) << section << ", object " << i;
      EXPECT_EQ(found[i].class_id, expected[i].class_id);
      EXPECT_NEAR(found[i].score, expected[i].score, 1e-5);
      EXPECT_NEAR(found[i].box.x1, expected[i].box[0], 1e-2);
      EXPECT_NEAR(found[i].box.y1, expected[i].box[1], 1e-2);
      EXPECT_NEAR(found[i].box.x2, expected[i].box[2], 1e-2);
      EXPECT_NEAR(found[i].box.y2, expected[i].box[3], 1e-2);
    }
  }

  void expect_yolo(YoloLayout layout, const YoloOptions& options, const std::string& section) {
    YoloFormat format;
    format.layout = layout;
    format.items = kCells;
    format.classes = kClasses;
    const Size input = layout == YoloLayout::kYolox ? Size{320, 320} : Size{640, 640};
    const auto values =
        testing::to_device(stream_, layout == YoloLayout::kPlanes ? yolo_output() : rows_output(layout));
    DetectionBuffers objects(stream_, options.max_detections, 0, std::make_shared<const ClassNames>());
    InstanceMasks none(stream_, {});
    YoloDecoder decoder(stream_, format, options);
    const PadPosition pad = yolo_preprocessing(input, layout).pad_position;
    decoder.submit({values.span(), {}}, ResizeMapping::make(ResizeMode::kLetterbox, kSource, input, pad), objects,
                   none);
    expect_golden(objects, section);
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

INSTANTIATE_TEST_SUITE_P(Devices, DetectorsGoldenTest, ::testing::ValuesIn(Device::all()), testing::device_name);

}  // namespace
}  // namespace vrt
