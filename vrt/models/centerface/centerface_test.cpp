#include "vrt/models/centerface/centerface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/location.h"
#include "vrt/device/allocation_count.h"
#include "vrt/device/graph.h"
#include "vrt/models/testing/device_boxes.h"
#include "vrt/models/testing/payload_test.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::HasSubstr;

TEST(CenterFaceInputSizeTest, KeepsTheAspectBetween320And640) {
  EXPECT_EQ(CenterFace::input_size_for({176, 144}), (Size{320, 288}));  // 320 × 261.8
  EXPECT_EQ(CenterFace::input_size_for({640, 480}), (Size{640, 480}));
  EXPECT_EQ(CenterFace::input_size_for({480, 640}), (Size{480, 640}));
  EXPECT_EQ(CenterFace::input_size_for({1920, 1080}), (Size{640, 384}));  // 640 × 360
  EXPECT_EQ(CenterFace::input_size_for({400, 400}), (Size{416, 416}));
  EXPECT_EQ(CenterFace::input_size_for({320, 320}), (Size{320, 320}));
}

TEST(CenterFaceInputSizeTest, ExtremePicturesGetAValidInput) {
  EXPECT_EQ(CenterFace::input_size_for({1, 1}), (Size{320, 320}));
  EXPECT_EQ(CenterFace::input_size_for({1, 100000}), (Size{32, 640}));
  EXPECT_EQ(CenterFace::input_size_for({65536, 65536}), (Size{640, 640}));
  EXPECT_THROW((void)CenterFace::input_size_for({0, 10}), Error);
  EXPECT_THROW((void)CenterFace::input_size_for({10, -1}), Error);
}

TEST(CenterFaceOpenEngineTest, RefusesInputsThatAreNotMultiplesOf32) {
  const Error error = error_of([&] { (void)CenterFace::open_engine("any.onnx", Device::cpu(), {640, 470}); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("640x470"));
}

// With the real network, on each device that has an engine for it.
class CenterFaceTest : public testing::PayloadTest {
 protected:
  [[nodiscard]] Engine open_model(const EngineOptions& options = {}) const {
    return CenterFace::open_engine(testing::location("VRT_TEST_CENTERFACE", VRT_TEST_CENTERFACE), GetParam(), kInput,
                                   options);
  }

  // Smoothed noise: something for the network to see, whose scores lie close together.
  [[nodiscard]] testing::TestPicture noise(std::uint32_t seed) const {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> pixels(packed_bytes(kPicture, PixelFormat::kRgb8));
    std::uint_fast32_t value = 128;
    for (auto& pixel : pixels) pixel = static_cast<std::uint8_t>(value = (7 * value + random() % 256) / 8);
    return picture(kPicture, pixels);
  }

  static constexpr Size kPicture{176, 144};
  static constexpr Size kInput{192, 160};
};

TEST_P(CenterFaceTest, AFrameCostsOneWaitAndNothingElse) {
  CenterFace detector(open_model(), stream_);
  CenterFaceResult faces = detector.allocate_result();
  const testing::TestPicture pixels = noise(1);
  expect_one_wait_a_frame([&] { detector.submit(pixels.view, faces); }, [&] { (void)faces.detections(); });
}

TEST_P(CenterFaceTest, ResultsAreIndependentAndRepeat) {
  CenterFace detector(open_model(), stream_, {.score_threshold = 0.002F, .nms_threshold = 0.5F});
  const testing::TestPicture one = noise(1);
  const testing::TestPicture two = noise(2);
  CenterFaceResult first = detector.allocate_result();
  CenterFaceResult second = detector.allocate_result();
  CenterFaceResult again = detector.allocate_result();
  detector.submit(one.view, first);
  detector.submit(two.view, second);
  detector.submit(one.view, again);
  stream_.synchronize();
  ASSERT_GT(first.candidate_count(), 0);
  EXPECT_NE(first.candidate_count(), second.candidate_count());
  ASSERT_EQ(first.detections().size(), again.detections().size());
  ASSERT_FALSE(first.detections().empty());
  for (std::size_t i = 0; i < first.detections().size(); ++i) {
    EXPECT_EQ(first.detections()[i].box, again.detections()[i].box);
    EXPECT_EQ(first.detections()[i].score, again.detections()[i].score);
  }
}

TEST_P(CenterFaceTest, PicturesOfABatchGiveWhatTheyGiveAlone) {
  const CenterFaceOptions options{.score_threshold = 0.002F, .nms_threshold = 0.5F};
  CenterFace detector(open_model({.batch = {.largest = 3}}), stream_, options);
  const std::array<testing::TestPicture, 3> pictures = {noise(1), noise(2), noise(3)};
  const std::array<ImageView, 3> images = {pictures[0].view, pictures[1].view, pictures[2].view};
  std::array<CenterFaceResult, 3> alone = {detector.allocate_result(), detector.allocate_result(),
                                           detector.allocate_result()};
  std::array<CenterFaceResult, 3> together = {detector.allocate_result(), detector.allocate_result(),
                                              detector.allocate_result()};
  for (std::size_t i = 0; i < 3; ++i) detector.submit(images[i], alone[i]);
  const std::array<CenterFaceResult*, 3> results = {&together[0], &together[1], &together[2]};
  detector.submit(images, results);
  stream_.synchronize();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto expected = alone[i].detections();
    const auto found = together[i].detections();
    ASSERT_FALSE(found.empty());
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t face = 0; face < found.size(); ++face) {
      EXPECT_EQ(found[face].box, expected[face].box);
      EXPECT_EQ(found[face].score, expected[face].score);
    }
  }
}

/// One frame as a graph, with the wait.
void replay(Graph& graph, CenterFace& detector, GraphNode input, const ImageView& picture, const Stream& stream) {
  detector.update(graph, input, picture);
  graph.launch(stream);
  stream.synchronize();
}

TEST_P(CenterFaceTest, ACapturedFrameTakesOtherPicturesAndGivesTheSameBits) {
  CenterFace detector(open_model(), stream_, {.score_threshold = 0.002F, .nms_threshold = 0.5F});
  const std::array<testing::TestPicture, 3> pictures = {noise(1), noise(2), noise(3)};
  CenterFaceResult direct = detector.allocate_result();
  CenterFaceResult replayed = detector.allocate_result();
  EXPECT_THAT(error_of([&] { (void)detector.input_node(); }).what(), HasSubstr("captured"));
  Graph graph = Graph::capture(stream_, [&] { detector.submit(pictures[0].view, replayed); });
  const GraphNode input = detector.input_node();
  for (const testing::TestPicture& each : pictures) {
    detector.submit(each.view, direct);
    stream_.synchronize();
    replay(graph, detector, input, each.view, stream_);
    ASSERT_FALSE(direct.detections().empty());
    ASSERT_EQ(direct.detections().size(), replayed.detections().size());
    for (std::size_t i = 0; i < direct.detections().size(); ++i) {
      EXPECT_EQ(direct.detections()[i].box, replayed.detections()[i].box);
      EXPECT_EQ(direct.detections()[i].score, replayed.detections()[i].score);
    }
  }
  if (GetParam().is_cpu()) return;  // There an update copies the graph while the worker still holds the last run's.
  const std::uint64_t allocations = test::allocation_count();
  for (const testing::TestPicture& each : pictures) replay(graph, detector, input, each.view, stream_);
  EXPECT_EQ(test::allocation_count() - allocations, 0U);
}

TEST_P(CenterFaceTest, ACapturedBatchKeepsItsPictures) {
  CenterFace detector(open_model({.batch = {.largest = 2}}), stream_, {.score_threshold = 0.002F});
  const testing::TestPicture one = noise(1);
  const testing::TestPicture two = noise(2);
  CenterFaceResult alone = detector.allocate_result();
  std::array<CenterFaceResult, 2> together = {detector.allocate_result(), detector.allocate_result()};
  const std::array<ImageView, 2> images = {one.view, two.view};
  const std::array<CenterFaceResult*, 2> results = {&together[0], &together[1]};
  detector.submit(two.view, alone);  // First: some backends take no other number of pictures behind a capture.
  stream_.synchronize();
  const Graph graph = Graph::capture(stream_, [&] { detector.submit(images, results); });
  EXPECT_THAT(error_of([&] { (void)detector.input_node(); }).what(), HasSubstr("one picture"));
  graph.launch(stream_);
  stream_.synchronize();
  ASSERT_GT(alone.candidate_count(), 0);
  EXPECT_EQ(together[1].candidate_count(), alone.candidate_count());
  EXPECT_NE(together[0].candidate_count(), alone.candidate_count());
}

TEST_P(CenterFaceTest, DetectionsCarryLabelsAndLandmarksBestFirst) {
  CenterFace detector(open_model(), stream_, {.score_threshold = 0.002F, .nms_threshold = 0.5F});
  CenterFaceResult faces = detector.allocate_result();
  const testing::TestPicture pixels = noise(3);
  detector.submit(pixels.view, faces);
  stream_.synchronize();
  ASSERT_GT(faces.detections().size(), 1U);
  testing::expect_boxes_on_device(stream_, faces);
  float last = 1;
  for (const Detection& face : faces.detections()) {
    EXPECT_EQ(face.label, "face");
    EXPECT_EQ(face.class_id, 0);
    EXPECT_EQ(face.keypoints.size(), 5U);
    EXPECT_LE(face.score, last);
    EXPECT_GT(face.score, 0.002F);
    last = face.score;
  }
}

TEST_P(CenterFaceTest, AResultThatWasNeverSubmittedIsEmpty) {
  CenterFace detector(open_model(), stream_);
  const CenterFaceResult faces = detector.allocate_result();
  EXPECT_TRUE(faces.detections().empty());
  EXPECT_EQ(faces.candidate_count(), 0);
  EXPECT_FALSE(faces.candidates_overflowed());
}

TEST_P(CenterFaceTest, OptionsOutOfRangeAreRefused) {
  const Engine engine = open_model();
  EXPECT_THROW(CenterFace(engine, stream_, {.score_threshold = 1.5F}), Error);
  EXPECT_THROW(CenterFace(engine, stream_, {.nms_threshold = -0.1F}), Error);
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(CenterFace(engine, stream_, {.score_threshold = kNan}), Error);
  EXPECT_THROW(CenterFace(engine, stream_, {.nms_threshold = kNan}), Error);
}

INSTANTIATE_TEST_SUITE_P(Devices, CenterFaceTest, ::testing::ValuesIn(testing::devices_of_engines()),
                         testing::device_name);

}  // namespace
}  // namespace vrt
