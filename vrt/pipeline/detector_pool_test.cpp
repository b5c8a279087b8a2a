#include "vrt/pipeline/detector_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/device/allocation_count.h"
#include "vrt/device/counters.h"

namespace vrt {
namespace {

using test::error_of;

DetectorPoolOptions options_for(std::size_t lanes) {
  DetectorPoolOptions options;
  options.model = VRT_TEST_CENTERFACE;
  options.lanes = lanes;
  return options;
}

/// A grey picture; no face, but the same work.
struct GreyPicture {
  explicit GreyPicture(Size size) : pixels(packed_bytes(size, PixelFormat::kI420), 128) {
    view = ImageView::packed(Device::cpu(), pixels.data(), size, PixelFormat::kI420);
  }
  std::vector<std::uint8_t> pixels;
  ImageView view;
};

/// One frame through a lane, as the run does it: submit, wait for its event, give the slot back.
void detect(Lane& lane, const ImageView& picture) {
  Slot& slot = **lane.free.pop();
  lane.submit(slot, picture);
  slot.done.synchronize();
  EXPECT_LE(slot.result.detections().size(), 256U);
  lane.release(slot);
}

class DetectorPoolContractTest : public ::testing::TestWithParam<std::size_t> {};

TEST_P(DetectorPoolContractTest, AWarmFrameCostsOneWaitAndNoAllocationAndNoBlockingCopy) {
  const std::size_t lanes = GetParam();
  DetectorPool pool(options_for(lanes));
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

INSTANTIATE_TEST_SUITE_P(Lanes, DetectorPoolContractTest, ::testing::Values(1, 2));

TEST(DetectorPoolTest, PicturesOfOneNetworkSizeShareItsLanes) {
  DetectorPool pool(options_for(1));
  Lane& lane = pool.lane_for({176, 144}, 0);
  EXPECT_EQ(pool.input(), CenterFace::input_size_for({176, 144}));
  EXPECT_EQ(&pool.lane_for({176, 144}, 0), &lane);
  EXPECT_NE(&pool.lane_for({144, 176}, 0), &lane) << "an upright picture needs another network size";
  EXPECT_EQ(pool.input(), CenterFace::input_size_for({144, 176}));
  EXPECT_EQ(&pool.lane_for({176, 144}, 0), &lane) << "which does not close the first";
}

TEST(DetectorPoolTest, TheSizeUnusedForLongestIsGivenUp) {
  DetectorPool pool(options_for(1));
  const Size sizes[] = {{320, 320}, {320, 256}, {320, 192}, {320, 128}};
  for (const Size size : sizes) {
    EXPECT_FALSE(pool.must_drain_for(size));
    detect(pool.lane_for(size, 0), GreyPicture(size).view);
  }
  Lane* first = &pool.lane_for(sizes[0], 0);  // Used again: the second is the oldest now.
  EXPECT_TRUE(pool.must_drain_for({128, 320}));
  detect(pool.lane_for({128, 320}, 0), GreyPicture({128, 320}).view);
  EXPECT_EQ(&pool.lane_for(sizes[0], 0), first);
  EXPECT_TRUE(pool.must_drain_for(sizes[1]));
  EXPECT_FALSE(pool.must_drain_for(sizes[2]));
}

TEST(DetectorPoolTest, GivingUpASizeWaitsForItsLastSlot) {
  DetectorPool pool(options_for(1));
  const GreyPicture picture({320, 320});
  Lane& lane = pool.lane_for({320, 320}, 0);
  Slot& slot = **lane.free.pop();
  lane.submit(slot, picture.view);
  slot.done.synchronize();
  for (const Size size : {Size{320, 256}, Size{320, 192}, Size{320, 128}}) (void)pool.lane_for(size, 0);
  bool used = false;
  std::thread consumer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    used = slot.result.detections().size() <= 256;
    lane.release(slot);
  });
  (void)pool.lane_for({128, 320}, 0);
  EXPECT_TRUE(used) << "the slot's memory went while its results were still to be read";
  consumer.join();
}

TEST(DetectorPoolTest, DestructionWaitsForWhatIsStillRunning) {
  const GreyPicture picture({640, 480});
  for (int i = 0; i < 3; ++i) {
    DetectorPool pool(options_for(2));
    for (std::size_t lane = 0; lane < 2; ++lane) {
      Lane& to = pool.lane_for({640, 480}, lane);
      to.submit(**to.free.pop(), picture.view);
    }
  }
}

TEST(DetectorPoolTest, LanesGiveTheSameResultsAsOneAlone) {
  // The clip's faces are compared in run_test.cpp; here: the lanes of a pool are separate, whatever runs beside.
  DetectorPool pool(options_for(2));
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
  EXPECT_EQ(in_a.result.detections().size(), in_b.result.detections().size());
  EXPECT_EQ(in_a.result.candidate_count(), in_b.result.candidate_count());
}

TEST(DetectorPoolTest, AMissingModelIsNamed) {
  DetectorPoolOptions options = options_for(1);
  options.model = "/nowhere/centerface.onnx";
  DetectorPool pool(options);
  EXPECT_THROW((void)pool.engine(), Error);
  const Error error = error_of([&] { (void)pool.lane_for({176, 144}, 0); });
  EXPECT_EQ(error.code(), ErrorCode::kNotFound) << error.what();
  EXPECT_NE(std::string(error.what()).find("/nowhere/centerface.onnx"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace vrt
