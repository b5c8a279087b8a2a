#include "vrt/pipeline/model_pool.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/device/allocation_count.h"
#include "vrt/device/counters.h"
#include "vrt/models/centerface/centerface.h"
#include "vrt/pipeline/testing/family_networks.h"

namespace vrt {
namespace {

using test::error_of;

ModelPoolOptions options_for(std::size_t lanes) {
  ModelPoolOptions options;
  options.models = {{&centerface_family(), VRT_TEST_CENTERFACE}};
  options.lanes = lanes;
  return options;
}

/// A grey picture; no face, but the same work.
struct GreyPicture {
  explicit GreyPicture(Size size, std::uint8_t grey = 128) : pixels(packed_bytes(size, PixelFormat::kRgb8), grey) {
    view = ImageView::packed(Device::cpu(), pixels.data(), size, PixelFormat::kRgb8);
  }
  std::vector<std::uint8_t> pixels;
  ImageView view;
};

/// One frame through a lane, as the run does it: submit, wait for its event, give the slot back.
void detect(Lane& lane, const ImageView& picture) {
  Slot& slot = **lane.free.pop();
  lane.submit(slot, picture);
  slot.done.synchronize();
  for (const auto& result : slot.results) EXPECT_GE(result->count(), 0);
  lane.release(slot);
}

class ModelPoolContractTest : public ::testing::TestWithParam<std::size_t> {};

TEST_P(ModelPoolContractTest, AWarmFrameCostsOneWaitAndNoAllocationAndNoBlockingCopy) {
  const std::size_t lanes = GetParam();
  ModelPool pool(options_for(lanes));
  const GreyPicture picture({176, 144});
  for (std::size_t i = 0; i < 4 * lanes; ++i) detect(pool.lane_for({176, 144}, i % lanes), picture.view);

  constexpr std::size_t kFrames = 12;
  const DeviceCounters before = counters(Device::cpu());
  const std::uint64_t allocations = test::allocation_count();
  for (std::size_t i = 0; i < kFrames; ++i) detect(pool.lane_for({176, 144}, i % lanes), picture.view);
  const std::uint64_t allocated = test::allocation_count() - allocations;
  const DeviceCounters spent = counters(Device::cpu()) - before;

  EXPECT_EQ(spent.waits, kFrames);
  EXPECT_EQ(spent.device_allocations, 0U);
  EXPECT_EQ(spent.pinned_allocations, 0U);
  EXPECT_EQ(spent.blocking_copies, 0U);
  EXPECT_GT(spent.launches, kFrames) << "or nothing was measured";
#if !defined(VRT_EAGER_CPU_STREAM)
  // An eager stream runs the network, which may allocate, on the submitting thread.
  EXPECT_EQ(allocated, 0U);
#else
  (void)allocated;
#endif
}

INSTANTIATE_TEST_SUITE_P(Lanes, ModelPoolContractTest, ::testing::Values(1, 2));

/// The network that a lane is set up with, and its input size.
std::pair<const FrameModel*, Size> set_up_for(ModelPool& pool, Size picture) {
  const FrameModel* model = pool.lane_for(picture, 0).models[0];
  const Shape& input = pool.engine(0).inputs()[0].shape;
  return {model, {static_cast<std::int32_t>(input[3]), static_cast<std::int32_t>(input[2])}};
}

TEST(ModelPoolTest, PicturesOfOneNetworkSizeShareIt) {
  ModelPool pool(options_for(1));
  const auto [model, input] = set_up_for(pool, {176, 144});
  EXPECT_EQ(input, CenterFace::input_size_for({176, 144}));
  EXPECT_EQ(set_up_for(pool, {176, 144}).first, model);
  EXPECT_EQ(set_up_for(pool, {352, 288}).second, CenterFace::input_size_for({352, 288}));
  const auto [upright, upright_input] = set_up_for(pool, {144, 176});
  EXPECT_NE(upright, model) << "an upright picture needs another network size";
  EXPECT_EQ(upright_input, CenterFace::input_size_for({144, 176}));
  EXPECT_EQ(set_up_for(pool, {176, 144}).first, model) << "which does not close the first";
}

TEST(ModelPoolTest, TheSizeUnusedForLongestIsGivenUp) {
  ModelPool pool(options_for(1));
  const Size sizes[] = {{320, 320}, {320, 256}, {320, 192}, {320, 128}};
  for (const Size size : sizes) {
    EXPECT_FALSE(pool.must_drain_for(size));
    detect(pool.lane_for(size, 0), GreyPicture(size).view);
  }
  const FrameModel* first = set_up_for(pool, sizes[0]).first;  // Used again: the second is the oldest now.
  EXPECT_TRUE(pool.must_drain_for({128, 320}));
  detect(pool.lane_for({128, 320}, 0), GreyPicture({128, 320}).view);
  EXPECT_EQ(set_up_for(pool, sizes[0]).first, first);
  EXPECT_TRUE(pool.must_drain_for(sizes[1]));
  EXPECT_FALSE(pool.must_drain_for(sizes[2]));
}

TEST(ModelPoolTest, ResultsStayReadableWhenTheirNetworkIsGivenUp) {
  testing::ScopedFolder folder;
  ModelPoolOptions options;
  options.models = {{&yolo_family(), folder.write("yolo.onnx", testing::yolo_network())},
                    {&centerface_family(), VRT_TEST_CENTERFACE}};
  ModelPool pool(options);
  const GreyPicture picture({320, 320}, 255);
  Lane& lane = pool.lane_for({320, 320}, 0);
  Slot& slot = **lane.free.pop();
  lane.submit(slot, picture.view);
  slot.done.synchronize();
  const FrameModel* given_up = lane.models[1];
  for (const Size size : {Size{320, 256}, Size{320, 192}, Size{320, 128}, Size{128, 320}}) (void)pool.lane_for(size, 0);
  (void)pool.lane_for({320, 320}, 0);
  EXPECT_NE(lane.models[1], given_up);
  ASSERT_EQ(slot.results[0]->findings().detections.size(), 2U);
  EXPECT_EQ(slot.results[0]->findings().detections[0].label, "dog");
  EXPECT_EQ(slot.results[1]->count(), 0);
  lane.release(slot);
}

/// A dog of 50×50 in the middle and a cat in the upper left quarter, embedded; beside them a depth map.
class SeveralModelsTest : public ::testing::Test {
 protected:
  [[nodiscard]] ModelPoolOptions options() const {
    ModelPoolOptions options;
    options.models = {{&depth_family(), folder_.write("depth.onnx", testing::depth_network({}))},
                      {&yolo_family(), folder_.write("yolo.onnx", testing::yolo_network())},
                      {&rfdetr_seg_family(), folder_.write("seg.onnx", testing::rfdetr_seg_network())},
                      {&osnet_family(), folder_.write("osnet.onnx", testing::osnet_network(16))}};
    options.wanted.read_back_dense = true;
    return options;
  }
  testing::ScopedFolder folder_;
};

TEST_F(SeveralModelsTest, AllLookAtAFrameOnOneStreamWithOneWait) {
  ModelPool pool(options());
  const GreyPicture picture({100, 100}, 255);
  Lane& lane = pool.lane_for({100, 100}, 0);
  for (std::size_t i = 0; i < 2 * lane.slots.size(); ++i) detect(lane, picture.view);

  constexpr std::size_t kFrames = 12;
  const DeviceCounters before = counters(Device::cpu());
  const std::uint64_t allocations = test::allocation_count();
  for (std::size_t i = 0; i < kFrames; ++i) detect(pool.lane_for({100, 100}, 0), picture.view);
  const std::uint64_t allocated = test::allocation_count() - allocations;
  const DeviceCounters spent = counters(Device::cpu()) - before;
  EXPECT_EQ(spent.waits, kFrames);
  EXPECT_EQ(spent.device_allocations + spent.pinned_allocations + spent.blocking_copies, 0U);
  EXPECT_GT(spent.launches, 8 * kFrames) << "or not all of them ran";
#if !defined(VRT_EAGER_CPU_STREAM)
  EXPECT_EQ(allocated, 0U);
#else
  (void)allocated;
#endif
}

TEST_F(SeveralModelsTest, OsNetLooksAtTheBoxesOfTheFirstDetectorInTheSameFrame) {
  ModelPool pool(options());
  EXPECT_EQ(pool.boxes_from(3), 1U);
  EXPECT_EQ(pool.boxes_from(2), std::nullopt);
  Lane& lane = pool.lane_for({100, 100}, 0);
  Slot& slot = **lane.free.pop();
  for (const std::uint8_t grey : {std::uint8_t{255}, std::uint8_t{0}, std::uint8_t{255}}) {
    const GreyPicture picture({100, 100}, grey);
    lane.submit(slot, picture.view);
    slot.done.synchronize();
    const ModelFindings detector = slot.results[1]->findings();
    const ModelFindings found = slot.results[3]->findings();
    ASSERT_TRUE(found.embeddings.has_value());
    EXPECT_EQ(found.embeddings->size, 3U);
    EXPECT_EQ(found.embeddings->values.size(), 3 * detector.detections.size());
    EXPECT_EQ(detector.detections.size(), grey == 255 ? 2U : 0U);
    float squares = 0;
    for (const float value : found.embeddings->values) squares += value * value;
    EXPECT_NEAR(squares, static_cast<float>(detector.detections.size()), 1e-4);
  }
  lane.release(slot);
}

/// 40 boxes, and a network that embeds some of them; in pictures that differ everywhere.
class CrowdTest : public ::testing::Test {
 protected:
  static constexpr Size kPicture{256, 256};

  CrowdTest() : first_(packed_bytes(kPicture, PixelFormat::kRgb8)), second_(first_.size()) {
    for (std::size_t i = 0; i < first_.size(); ++i) {
      first_[i] = static_cast<std::uint8_t>(1 + (i * i / 977 + i / 768) % 255);
      second_[i] = static_cast<std::uint8_t>(1 + (i * 7 + i / 768 * 31) % 255);
    }
  }
  [[nodiscard]] ModelPoolOptions options(std::int64_t batch, std::optional<std::int32_t> most) const {
    ModelPoolOptions options;
    options.models = {
        {&yolo_family(), folder_.write("yolo.onnx", testing::yolo_crowd_network(40))},
        {&osnet_family(), folder_.write("osnet" + std::to_string(batch) + ".onnx", testing::osnet_network(batch))}};
    options.wanted.most_embeddings = most;
    return options;
  }
  static ImageView view(const std::vector<std::uint8_t>& pixels) {
    return ImageView::packed(Device::cpu(), pixels.data(), kPicture, PixelFormat::kRgb8);
  }
  static std::vector<float> embeddings(Slot& slot) {
    EXPECT_EQ(slot.results[0]->findings().detections.size(), 40U);
    const std::span<const float> values = slot.results[1]->findings().embeddings->values;
    return {values.begin(), values.end()};
  }
  [[nodiscard]] std::vector<float> embed(const std::vector<std::uint8_t>& pixels, std::int64_t batch,
                                         std::optional<std::int32_t> most) const {
    ModelPool pool(options(batch, most));
    Lane& lane = pool.lane_for(kPicture, 0);
    Slot& slot = **lane.free.pop();
    lane.submit(slot, view(pixels));
    slot.done.synchronize();
    std::vector<float> values = embeddings(slot);
    lane.release(slot);
    return values;
  }
  testing::ScopedFolder folder_;
  std::vector<std::uint8_t> first_;
  std::vector<std::uint8_t> second_;
};

TEST_F(CrowdTest, AsManyBoxesAreEmbeddedAsThereIsRoomFor) {
  const std::vector<float> all = embed(first_, 40, std::nullopt);
  ASSERT_EQ(all.size(), 40U * 3U) << "a run of 40";
  for (std::size_t i = 3; i < all.size(); i += 3) EXPECT_NE(all[i], all[i - 3]) << "or nothing tells boxes apart";
  const auto expect_first = [&](std::size_t count, std::int64_t batch, std::optional<std::int32_t> most) {
    EXPECT_EQ(embed(first_, batch, most), std::vector<float>(all.begin(), all.begin() + 3 * std::ptrdiff_t(count)));
  };
  expect_first(16, 16, std::nullopt);
  expect_first(16, 1, std::nullopt);
  expect_first(20, 20, std::nullopt);
  expect_first(3, 16, 3);
  expect_first(17, 16, 17);
  expect_first(40, 16, 40);
  expect_first(40, 16, 300);
  expect_first(40, 1, 4096);
}

TEST_F(CrowdTest, AFrameOfSeveralRunsIsCapturedOnceAndTakesOtherPictures) {
  ModelPool pool(options(16, 40));
  Lane& lane = pool.lane_for(kPicture, 0);
  Slot& slot = **lane.free.pop();
  lane.allocate_results(slot, kPicture);
  Graph graph = Graph::capture(lane.stream, [&] { lane.enqueue(slot, view(second_)); },
                               {.warm_up = true, .foreign = {{second_.data(), second_.size()}}});
  const std::vector<GraphNode> nodes = lane.models[1]->input_nodes();
  EXPECT_EQ(nodes.size(), 3U) << "a run each of 16, 16 and 8 boxes";
  const auto launch = [&] {
    graph.launch(lane.stream);
    lane.stream.synchronize();
    return embeddings(slot);
  };
  const std::vector<float> before = launch();
  EXPECT_EQ(before, embed(second_, 40, std::nullopt));
  lane.models[0]->update(graph, lane.models[0]->input_nodes(), view(first_), nullptr);
  lane.models[1]->update(graph, nodes, view(first_), slot.results[0].get());
  const std::vector<float> after = launch();
  EXPECT_EQ(after, embed(first_, 40, std::nullopt));
  EXPECT_NE(after, before);
  lane.release(slot);
}

TEST_F(SeveralModelsTest, MasksAndMapsHaveEachPicturesSize) {
  ModelPool pool(options());
  for (const Size size : {Size{100, 100}, Size{1, 1}, Size{333, 251}, Size{100, 100}}) {
    const GreyPicture picture(size, 255);
    Lane& lane = pool.lane_for(size, 0);
    Slot& slot = **lane.free.pop();
    lane.submit(slot, picture.view);
    slot.done.synchronize();
    EXPECT_EQ(slot.results[0]->findings().depth->size, size);
    ASSERT_EQ(slot.results[2]->findings().masks.size(), 1U);
    EXPECT_EQ(slot.results[2]->findings().masks[0].size, size);
    lane.release(slot);
  }
}

TEST_F(SeveralModelsTest, SlotsAreFilledByTheirFirstFramesOrAllAhead) {
  ModelPool pool(options());
  const GreyPicture picture({100, 100}, 255);
  Lane& lane = pool.lane_for({100, 100}, 0);
  const auto allocations = [&](std::size_t frames) {
    const DeviceCounters before = counters(Device::cpu());
    for (std::size_t i = 0; i < frames; ++i) detect(lane, picture.view);
    const DeviceCounters spent = counters(Device::cpu()) - before;
    return spent.device_allocations + spent.pinned_allocations;
  };
  for (const auto& slot : lane.slots) EXPECT_EQ(slot->results[0], nullptr);
  const std::uint64_t of_a_slot = allocations(1);
  EXPECT_GT(of_a_slot, 0U);
  EXPECT_EQ(allocations(lane.slots.size() - 1), (lane.slots.size() - 1) * of_a_slot);
  EXPECT_EQ(allocations(2 * lane.slots.size()), 0U);

  ModelPool ahead(options());
  Lane& filled = ahead.lane_for({100, 100}, 0);
  ahead.fill_slots({100, 100});
  const DeviceCounters before = counters(Device::cpu());
  for (std::size_t i = 0; i < filled.slots.size(); ++i) detect(filled, picture.view);
  const DeviceCounters spent = counters(Device::cpu()) - before;
  EXPECT_EQ(spent.device_allocations + spent.pinned_allocations, 0U);
}

TEST_F(SeveralModelsTest, WhoLooksAtBoxesNeedsADetectorBefore) {
  ModelPoolOptions wrong = options();
  std::swap(wrong.models[1], wrong.models[3]);
  wrong.models.resize(2);
  wrong.models.push_back({&yolo_family(), folder_.path() / "yolo.onnx"});
  const Error error = error_of([&] { const ModelPool pool(wrong); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(std::string(error.what()).find("name a detector first"), std::string::npos) << error.what();
}

TEST(ModelPoolTest, XFeatKeepsToASizeThatItsFileStates) {
  testing::ScopedFolder folder;
  ModelPoolOptions options;
  options.models = {{&xfeat_family(), folder.write("xfeat.onnx", testing::xfeat_network())}};
  ModelPool pool(options);
  EXPECT_EQ(set_up_for(pool, {640, 480}).second, (Size{64, 64}));
  EXPECT_EQ(set_up_for(pool, {1, 1}).second, (Size{64, 64}));
}

TEST(ModelPoolTest, DestructionWaitsForWhatIsStillRunning) {
  const GreyPicture picture({640, 480});
  for (int i = 0; i < 3; ++i) {
    ModelPool pool(options_for(2));
    for (std::size_t lane = 0; lane < 2; ++lane) {
      Lane& to = pool.lane_for({640, 480}, lane);
      to.submit(**to.free.pop(), picture.view);
    }
  }
}

TEST(ModelPoolTest, LanesGiveTheSameResultsAsOneAlone) {
  // The clip's faces are compared in run_test.cpp; here: the lanes of a pool are separate, whatever runs beside.
  ModelPool pool(options_for(2));
  const GreyPicture grey({176, 144});
  Lane& a = pool.lane_for({176, 144}, 0);
  Lane& b = pool.lane_for({176, 144}, 1);
  EXPECT_FALSE(a.stream == b.stream);
  Slot& in_a = **a.free.pop();
  Slot& in_b = **b.free.pop();
  a.submit(in_a, grey.view);
  b.submit(in_b, grey.view);
  in_a.done.synchronize();
  in_b.done.synchronize();
  EXPECT_EQ(in_a.results[0]->count(), in_b.results[0]->count());
}

TEST(ModelPoolTest, AMissingModelIsNamed) {
  ModelPoolOptions options = options_for(1);
  options.models[0].file = "/nowhere/centerface.onnx";
  ModelPool pool(options);
  EXPECT_THROW((void)pool.engine(0), Error);
  const Error error = error_of([&] { (void)pool.lane_for({176, 144}, 0); });
  EXPECT_EQ(error.code(), ErrorCode::kNotFound) << error.what();
  EXPECT_NE(std::string(error.what()).find("/nowhere/centerface.onnx"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace vrt
