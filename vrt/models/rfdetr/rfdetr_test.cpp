#include "vrt/models/rfdetr/rfdetr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/models/rfdetr/rfdetr_keypoints.h"
#include "vrt/models/rfdetr/rfdetr_seg.h"
#include "vrt/models/testing/constant_network.h"
#include "vrt/models/testing/device_boxes.h"
#include "vrt/models/testing/payload_test.h"

namespace vrt {
namespace {

using test::error_of;
using testing::ConstantOutput;
using ::testing::HasSubstr;

constexpr std::int64_t kQueries = 6;

// A laptop in query 4, a person in query 1; what there is of other queries is nothing.
ConstantOutput boxes() {
  std::vector<float> values(kQueries * 4, 0.25F);
  for (const auto& [query, box] :
       std::map<std::size_t, std::vector<float>>{{1, {0.5F, 0.5F, 0.25F, 0.5F}}, {4, {0.25F, 0.75F, 0.5F, 0.5F}}})
    std::copy(box.begin(), box.end(), values.begin() + static_cast<std::ptrdiff_t>(query * 4));
  return {"dets", {1, kQueries, 4}, values};
}

ConstantOutput logits(std::int64_t columns, std::size_t laptop) {
  std::vector<float> values(static_cast<std::size_t>(kQueries * columns), -6);
  values[static_cast<std::size_t>(4 * columns) + laptop] = 2;
  values[static_cast<std::size_t>(1 * columns) + 1] = 1;
  return {"labels", {1, kQueries, columns}, values};
}

// Query 4's mask is the left half of the picture.
ConstantOutput masks() {
  std::vector<float> values(kQueries * 8 * 8, -1);
  for (std::size_t i = 0; i < 64; ++i)
    if (i % 8 < 4) values[4 * 64 + i] = 1;
  return {"masks", {1, kQueries, 8, 8}, values};
}

class RfDetrTest : public testing::PayloadTest {
 protected:
  [[nodiscard]] Engine open(const std::vector<ConstantOutput>& outputs,
                            const std::map<std::string, std::string>& metadata = {}) const {
    return PayloadTest::open(testing::constant_network(32, 32, outputs, metadata));
  }
  [[nodiscard]] const ImageView& view() const { return black_.view; }

  static constexpr Size kPicture{128, 64};
  testing::TestPicture black_ = picture(kPicture);
};

TEST_P(RfDetrTest, GivesObjectsWithCocosNames) {
  RfDetr detector(open({boxes(), logits(91, 73)}), stream_);
  RfDetrResult objects = detector.allocate_result();
  EXPECT_TRUE(objects.detections().empty());
  detector.submit(view(), objects);
  stream_.synchronize();
  ASSERT_EQ(objects.detections().size(), 2U);
  EXPECT_EQ(objects.detections()[0].label, "laptop");
  EXPECT_EQ(objects.detections()[0].box, (Box{0, 32, 64, 64}));
  EXPECT_EQ(objects.detections()[1].label, "person");
  EXPECT_EQ(objects.detections()[1].box, (Box{48, 16, 80, 48}));
  EXPECT_EQ(objects.candidate_count(), 2);
  testing::expect_boxes_on_device(stream_, objects);
  expect_one_wait_a_frame([&] { detector.submit(view(), objects); }, [&] { (void)objects.detections(); });
}

TEST_P(RfDetrTest, ColumnZeroIsAClassUnlessTheModelSaysItIsBackground) {
  const auto found = [&](const Engine& engine) {
    RfDetr detector(engine, stream_);
    RfDetrResult objects = detector.allocate_result();
    detector.submit(view(), objects);
    stream_.synchronize();
    return objects.detections().size();
  };
  EXPECT_EQ(found(open({boxes(), logits(3, 0)})), 2U);
  EXPECT_EQ(found(open({boxes(), logits(3, 0)}, {{"background", "0"}})), 1U);
}

TEST_P(RfDetrTest, MasksAndAppearanceAreThoseOfTheQuery) {
  const ConstantOutput tokens{"tokens", {1, 2, 2, 2}, {3, 0, 3, 0, 4, 0, 4, 0}};
  RfDetrSeg detector(open({boxes(), logits(91, 73), masks(), tokens}), stream_);
  EXPECT_TRUE(detector.has_appearance());
  RfDetrSegResult objects = detector.allocate_result(
      {.masks = {.size = kPicture, .most = 5, .read_back = true}, .appearance = true, .read_back_appearance = true});
  detector.submit(view(), objects);
  stream_.synchronize();
  ASSERT_EQ(objects.detections().size(), 2U);
  testing::expect_boxes_on_device(stream_, objects);
  EXPECT_EQ(objects.mask_count(), 2U);
  EXPECT_EQ(count_set(objects.mask(0)), 64U * 64U);
  EXPECT_TRUE(is_set(objects.mask(0), 63, 0));
  EXPECT_FALSE(is_set(objects.mask(0), 64, 0));
  EXPECT_EQ(count_set(objects.mask(1)), 0U);
  ASSERT_EQ(objects.appearance_size(), 2U);
  EXPECT_FLOAT_EQ(objects.appearance(0)[0], 0.6F);
  EXPECT_FLOAT_EQ(objects.appearance(0)[1], 0.8F);
  EXPECT_EQ(objects.appearance(1)[0], 0);
  EXPECT_EQ(objects.device_appearance().size(), 2U * 300U);
  expect_one_wait_a_frame([&] { detector.submit(view(), objects); },
                          [&] { (void)objects.mask(0), (void)objects.appearance(0); });
}

TEST_P(RfDetrTest, AFrameWithoutObjectsHasNoMasksAndNoAppearance) {
  const ConstantOutput tokens{"tokens", {1, 2, 2, 2}, {3, 0, 3, 0, 4, 0, 4, 0}};
  RfDetrSeg detector(PayloadTest::open(testing::lit_network(32, 32, {boxes(), logits(91, 73), masks(), tokens})),
                     stream_, {.score_threshold = 0.6F});
  RfDetrSegResult objects = detector.allocate_result(
      {.masks = {.size = kPicture, .most = 2, .read_back = true}, .appearance = true, .read_back_appearance = true});
  const testing::TestPicture bright = picture(kPicture, 250);
  expect_masks_of_each_frame(detector, objects, view(), bright.view, [&](std::size_t found) {
    for (std::size_t i = 0; i < found; ++i) EXPECT_NO_THROW((void)objects.mask(i));
    EXPECT_THROW((void)objects.appearance(found), Error);
  });
}

TEST_P(RfDetrTest, MasksWithoutTokensHaveNoAppearance) {
  RfDetrSeg detector(open({boxes(), logits(91, 73), masks()}), stream_);
  EXPECT_FALSE(detector.has_appearance());
  EXPECT_THAT(error_of([&] { (void)detector.allocate_result({.appearance = true}); }).what(), HasSubstr("token grid"));
  RfDetrSegResult objects = detector.allocate_result();
  detector.submit(view(), objects);
  stream_.synchronize();
  EXPECT_EQ(objects.detections().size(), 2U);
  EXPECT_EQ(objects.mask_count(), 0U);
  EXPECT_THROW((void)objects.mask(0), Error);
  EXPECT_THROW((void)objects.appearance(0), Error);
  EXPECT_THAT(error_of([&] { RfDetrSeg(open({boxes(), logits(91, 73)}), stream_); }).what(), HasSubstr("network.onnx"));
}

TEST_P(RfDetrTest, PeopleHaveKeypoints) {
  ConstantOutput slots{"keypoints", {1, kQueries, 34, 8}, std::vector<float>(kQueries * 34 * 8, 0)};
  for (std::size_t p = 0; p < 17; ++p) {
    float* slot = slots.values.data() + (4 * 34 + 17 + p) * 8;
    slot[0] = static_cast<float>(p) / 32;
    slot[1] = 0.5F;
    slot[4] = slot[6] = 20;  // So precise that visibility alone counts.
  }
  RfDetrKeypoints detector(open({boxes(), logits(2, 1), slots}), stream_);
  RfDetrKeypointsResult people = detector.allocate_result();
  detector.submit(view(), people);
  stream_.synchronize();
  ASSERT_EQ(people.detections().size(), 2U);
  const Detection& person = people.detections()[0];
  EXPECT_EQ(person.label, "person");
  ASSERT_EQ(person.keypoints.size(), 17U);
  EXPECT_EQ(person.keypoints[16].x, 64);
  EXPECT_EQ(person.keypoints[16].y, 32);
  EXPECT_FLOAT_EQ(person.keypoints[16].confidence, 0.5F);
  expect_one_wait_a_frame([&] { detector.submit(view(), people); }, [&] { (void)people.detections(); });
}

TEST_P(RfDetrTest, PeopleOfTheNewerSchemaAreColumnZero) {
  ConstantOutput slots{"keypoints", {1, kQueries, 17, 8}, std::vector<float>(kQueries * 17 * 8, 20)};
  slots.values[static_cast<std::size_t>(4 * 17 + 3) * 8] = 0.25F;
  slots.values[static_cast<std::size_t>(4 * 17 + 3) * 8 + 1] = 0.5F;
  RfDetrKeypoints detector(
      open({boxes(), logits(91, 0), slots}, {{"keypoints_per_class", "[17]"}, {"background", "none"}}), stream_);
  RfDetrKeypointsResult people = detector.allocate_result();
  detector.submit(view(), people);
  stream_.synchronize();
  ASSERT_EQ(people.detections().size(), 2U);
  EXPECT_EQ(people.detections()[0].label, "person");
  ASSERT_EQ(people.detections()[0].keypoints.size(), 17U);
  EXPECT_EQ(people.detections()[0].keypoints[3].x, 32);
  EXPECT_EQ(people.detections()[0].keypoints[3].y, 32);
  EXPECT_EQ(people.detections()[1].class_id, 1);  // A column behind the schema's.
  for (const Keypoint& point : people.detections()[1].keypoints) EXPECT_EQ(point.confidence, 0);
}

// A network for which a picture of mostly black columns is something only where they are blended with the white ones between them.
Engine open_looking(const testing::ScopedFolder& folder, Device device, const std::string& antialias) {
  testing::OnnxGraph graph;
  graph.input("images", {1, 3, 32, 32});
  graph.node("ReduceMax", {"images"}, "greatest", {{"axes", {1, 2, 3}}});
  graph.constant("axes", {3});
  graph.node("Squeeze", {"greatest", "axes"},
             "logit");  // Of black: -2.1, -2.0 and -1.8; of a quarter of white: above -1.
  graph.constant("one", {1, 1, 2}, {1, 1});
  graph.constant("above", {1, 1, 2}, {1, 1});
  graph.node("Mul", {"logit", "one"}, "pair");
  graph.node("Add", {"pair", "above"}, "labels");
  graph.constant("box", {1, 1, 4}, {0.5F, 0.5F, 0.5F, 0.5F});
  graph.constant("nothing", {1, 1, 4}, {0, 0, 0, 0});
  graph.node("Mul", {"logit", "nothing"}, "no box");
  graph.node("Add", {"box", "no box"}, "dets");
  graph.output("dets", {1, 1, 4});
  graph.output("labels", {1, 1, 2});
  if (!antialias.empty()) graph.metadata("antialias", antialias);
  return RfDetr::open_engine(folder.write("looking.onnx", graph.bytes()), device);
}

TEST_P(RfDetrTest, PicturesAreShrunkAsTheFileSays) {
  std::vector<std::uint8_t> pixels(packed_bytes({128, 128}, PixelFormat::kRgb8));
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = i / 3 % 4 == 3 ? 255 : 0;  // Every fourth column is white.
  const testing::TestPicture stripes = picture({128, 128}, pixels);
  const auto finds = [&](const std::string& antialias, const RfDetrOptions& options = {}) {
    RfDetr detector(open_looking(folder_, GetParam(), antialias), stream_, options);
    RfDetrResult objects = detector.allocate_result();
    detector.submit(stripes.view, objects);
    stream_.synchronize();
    return !objects.detections().empty();
  };
  EXPECT_TRUE(finds(""));
  EXPECT_TRUE(finds("True"));
  EXPECT_FALSE(finds("False"));
  EXPECT_TRUE(finds("False", {.interpolation = Interpolation::kBilinearAntialiased}));
  EXPECT_FALSE(finds("", {.interpolation = Interpolation::kBilinear}));
}

TEST_P(RfDetrTest, OptionsOutOfRangeAreRefused) {
  const Engine engine = open({boxes(), logits(91, 73)});
  EXPECT_THROW(RfDetr(engine, stream_, {.score_threshold = -0.5F}), Error);
  EXPECT_THROW(RfDetr(engine, stream_, {.max_detections = 0}), Error);
  EXPECT_THROW(RfDetr(engine, stream_, {.max_detections = RfDetr::kMostDetections + 1}), Error);
}

INSTANTIATE_TEST_SUITE_P(Devices, RfDetrTest, ::testing::ValuesIn(testing::devices_of_engines()), testing::device_name);

}  // namespace
}  // namespace vrt
