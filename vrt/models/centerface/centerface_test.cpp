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
#include "vrt/device/counters.h"
#include "vrt/device/graph.h"
#include "vrt/models/testing/device_boxes.h"
#include "vrt/models/testing/device_data.h"

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
class CenterFaceTest : public ::testing::TestWithParam<Device> {
 protected:
  [[nodiscard]] Engine open() const {
    return CenterFace::open_engine(testing::location("VRT_TEST_CENTERFACE", VRT_TEST_CENTERFACE), GetParam(), kInput);
  }

  // Smoothed noise: something for the network to see, whose scores lie close together.
  [[nodiscard]] DeviceBuffer<std::uint8_t> picture(std::uint32_t seed) const {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> pixels(packed_bytes(kPicture, PixelFormat::kRgb8));
    std::uint_fast32_t value = 128;
    for (auto& pixel : pixels) pixel = static_cast<std::uint8_t>(value = (7 * value + random() % 256) / 8);
    return testing::to_device(stream_, pixels);
  }
  [[nodiscard]] ImageView view(const DeviceBuffer<std::uint8_t>& pixels) const {
    return ImageView::packed(GetParam(), pixels.span().data(), kPicture, PixelFormat::kRgb8);
  }

  static constexpr Size kPicture{176, 144};
  static constexpr Size kInput{192, 160};
  Stream stream_{GetParam()};
};

TEST_P(CenterFaceTest, AFrameCostsOneWaitAndNothingElse) {
  CenterFace detector(open(), stream_);
  CenterFaceResult faces = detector.allocate_result();
  const auto pixels = picture(1);
  detector.submit(view(pixels), faces);
  stream_.synchronize();

  const DeviceCounters before = counters(GetParam());
  const std::uint64_t allocations = test::allocation_count();
  for (int frame = 0; frame < 5; ++frame) {
    detector.submit(view(pixels), faces);
    EXPECT_EQ((counters(GetParam()) - before).waits, static_cast<std::uint64_t>(frame));
    stream_.synchronize();
    (void)faces.detections();
  }
  const std::uint64_t allocated = test::allocation_count() - allocations;
  const DeviceCounters spent = counters(GetParam()) - before;
#ifndef VRT_EAGER_CPU_STREAM  // An eager stream runs the network, which may allocate, in the submitting thread.
  // So does a GPU's backend, which enqueues its layers there; a graph does not (below).
  EXPECT_TRUE(allocated == 0 || GetParam().is_cuda());
#else
  (void)allocated;
#endif
  EXPECT_EQ(spent.waits, 5U);
  EXPECT_EQ(spent.blocking_copies, 0U);
  EXPECT_EQ(spent.device_allocations, 0U);
  EXPECT_EQ(spent.pinned_allocations, 0U);
  EXPECT_EQ(spent.device_frees, 0U);
  EXPECT_EQ(spent.pinned_frees, 0U);
}

TEST_P(CenterFaceTest, ResultsAreIndependentAndRepeat) {
  CenterFace detector(open(), stream_, {.score_threshold = 0.002F, .nms_threshold = 0.5F});
  const auto one = picture(1);
  const auto two = picture(2);
  CenterFaceResult first = detector.allocate_result();
  CenterFaceResult second = detector.allocate_result();
  CenterFaceResult again = detector.allocate_result();
  detector.submit(view(one), first);
  detector.submit(view(two), second);
  detector.submit(view(one), again);
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

/// One frame as a graph, with the wait.
void replay(Graph& graph, CenterFace& detector, GraphNode input, const ImageView& picture, const Stream& stream) {
  detector.update(graph, input, picture);
  graph.launch(stream);
  stream.synchronize();
}

TEST_P(CenterFaceTest, ACapturedFrameTakesOtherPicturesAndGivesTheSameBits) {
  CenterFace detector(open(), stream_, {.score_threshold = 0.002F, .nms_threshold = 0.5F});
  const std::array<DeviceBuffer<std::uint8_t>, 3> pictures = {picture(1), picture(2), picture(3)};
  CenterFaceResult direct = detector.allocate_result();
  CenterFaceResult replayed = detector.allocate_result();
  EXPECT_THAT(error_of([&] { (void)detector.input_node(); }).what(), HasSubstr("captured"));
  Graph graph = Graph::capture(stream_, [&] { detector.submit(view(pictures[0]), replayed); });
  const GraphNode input = detector.input_node();
  for (const DeviceBuffer<std::uint8_t>& each : pictures) {
    detector.submit(view(each), direct);
    stream_.synchronize();
    replay(graph, detector, input, view(each), stream_);
    ASSERT_FALSE(direct.detections().empty());
    ASSERT_EQ(direct.detections().size(), replayed.detections().size());
    for (std::size_t i = 0; i < direct.detections().size(); ++i) {
      EXPECT_EQ(direct.detections()[i].box, replayed.detections()[i].box);
      EXPECT_EQ(direct.detections()[i].score, replayed.detections()[i].score);
    }
  }
  if (GetParam().is_cpu()) return;  // There an update copies the graph while the worker still holds the last run's.
  const std::uint64_t allocations = test::allocation_count();
  for (const DeviceBuffer<std::uint8_t>& each : pictures) replay(graph, detector, input, view(each), stream_);
  EXPECT_EQ(test::allocation_count() - allocations, 0U);
}

TEST_P(CenterFaceTest, DetectionsCarryLabelsAndLandmarksBestFirst) {
  CenterFace detector(open(), stream_, {.score_threshold = 0.002F, .nms_threshold = 0.5F});
  CenterFaceResult faces = detector.allocate_result();
  const auto pixels = picture(3);
  detector.submit(view(pixels), faces);
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
  CenterFace detector(open(), stream_);
  const CenterFaceResult faces = detector.allocate_result();
  EXPECT_TRUE(faces.detections().empty());
  EXPECT_EQ(faces.candidate_count(), 0);
  EXPECT_FALSE(faces.candidates_overflowed());
}

TEST_P(CenterFaceTest, OptionsOutOfRangeAreRefused) {
  const Engine engine = open();
  EXPECT_THROW(CenterFace(engine, stream_, {.score_threshold = 1.5F}), Error);
  EXPECT_THROW(CenterFace(engine, stream_, {.nms_threshold = -0.1F}), Error);
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(CenterFace(engine, stream_, {.score_threshold = kNan}), Error);
  EXPECT_THROW(CenterFace(engine, stream_, {.nms_threshold = kNan}), Error);
}

// The devices that an engine runs on.
// A GPU only where a backend runs on it.
std::vector<Device> devices_of_engines() {
  std::vector<Device> devices = {Device::cpu()};
  if (const Device best = Engine::best_device(); best.is_cuda()) devices.push_back(best);
  return devices;
}

INSTANTIATE_TEST_SUITE_P(Devices, CenterFaceTest, ::testing::ValuesIn(devices_of_engines()), testing::device_name);

}  // namespace
}  // namespace vrt
