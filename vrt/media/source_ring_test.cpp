#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/device/counters.h"
#include "vrt/media/test_files.h"

namespace vrt {
namespace {

using test::error_of;

using std::chrono::steady_clock;

class SourceRingTest : public ::testing::Test {
 protected:
  std::string video(int frames, Size size = {64, 48}) {
    test::write_video(folder_ / "a.mkv", test::grey_frames(size, frames), {.encoder = "ffv1"});
    return folder_ / "a.mkv";
  }

  testing::ScopedFolder folder_;
  Stream stream_{Device::cpu()};
};

TEST_F(SourceRingTest, TheCpuReadsThePinnedMemoryItself) {
  Source source(video(5), stream_.device());
  const DeviceCounters before = counters(Device::cpu());
  while (const std::optional<Frame> frame = source.next(stream_)) {
    EXPECT_EQ(frame->image().planes[0].data, frame->host_image().planes[0].data);
  }
  const DeviceCounters spent = counters(Device::cpu()) - before;
  EXPECT_EQ(spent.copies, 0u);
  EXPECT_EQ(spent.blocking_copies, 0u);
  EXPECT_EQ(spent.device_allocations, 0u);
  EXPECT_EQ(spent.waits, 0u);
}

TEST_F(SourceRingTest, MemoryIsAllocatedOncePerSlot) {
  Source source(video(25), stream_.device(), {.frames_in_flight = 2});
  const DeviceCounters before = counters(Device::cpu());
  int frames = 0;
  while (source.next(stream_)) ++frames;
  EXPECT_EQ(frames, 25);
  EXPECT_LE((counters(Device::cpu()) - before).pinned_allocations, 4u);
}

TEST_F(SourceRingTest, TheCallerMayHoldAsManyFramesAsItAskedFor) {
  Source source(video(20), stream_.device(), {.frames_in_flight = 5});
  std::vector<Frame> held;
  for (int i = 0; i < 5; ++i) held.push_back(*source.next(stream_));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(held[static_cast<std::size_t>(i)].index(), i);
    EXPECT_NEAR(test::to_rgb(held[static_cast<std::size_t>(i)].host_image()).at(9, 9).r, test::grey_of(i), 2);
  }
  held.clear();
  EXPECT_EQ(source.next(stream_)->index(), 5);
}

// A slow reader, enqueued, whose frame is let go at once: the slot must not be filled under it.
TEST_F(SourceRingTest, ASlotIsNotFilledBeforeTheStreamIsPastIt) {
#if defined(VRT_EAGER_CPU_STREAM)
  GTEST_SKIP() << "the eager stream is never behind, and TSan sees no order in the ring's look at the event";
#endif
  Source source(video(12), stream_.device(), {.frames_in_flight = 1});
  std::vector<int> seen(12, -1);
  while (std::optional<Frame> frame = source.next(stream_)) {
    const std::uint8_t* luma = frame->image().planes[0].data;
    int* result = &seen[static_cast<std::size_t>(frame->index())];
    stream_.enqueue_host("read slowly", [luma, result] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      *result = luma[100];
    });
  }
  stream_.synchronize();
  for (int i = 0; i < 12; ++i) {
    const double expected = 16 + test::grey_of(i) * 219.0 / 255;
    EXPECT_NEAR(seen[static_cast<std::size_t>(i)], expected, 2) << "frame " << i;
  }
}

TEST_F(SourceRingTest, AFailureOfTheStreamIsStillThrownByTheCallersWait) {
  Source source(video(12), stream_.device());
  {
    const std::optional<Frame> frame = source.next(stream_);
    stream_.enqueue_host("fail", [] { throw Error(ErrorCode::kBackend, "a kernel failed"); });
  }
  // Time for the decoder to come by the slot.
  for (int i = 0; i < 5; ++i) (void)source.next(stream_);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const Error error = error_of([&] { stream_.synchronize(); });
  EXPECT_THAT(error.what(), ::testing::HasSubstr("a kernel failed"));
}

TEST_F(SourceRingTest, FramesOutliveTheirSource) {
  std::optional<Frame> frame;
  {
    Source source(video(12), stream_.device());
    frame = source.next(stream_);
  }
  EXPECT_NEAR(test::to_rgb(frame->host_image()).at(9, 9).r, test::grey_of(0), 2);
}

TEST_F(SourceRingTest, TheLastFrameWaitsForTheWorkThatReadsIt) {
  std::atomic<bool> done = false;
  {
    std::optional<Frame> frame;
    {
      Source source(video(3), stream_.device());
      frame = source.next(stream_);
    }
    std::atomic<bool>* flag = &done;
    stream_.enqueue_host("read slowly", [flag] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      flag->store(true);
    });
  }
  EXPECT_TRUE(done.load());
  stream_.synchronize();
}

TEST_F(SourceRingTest, ASourceEndsPromptlyWhileItDecodes) {
  const std::string file = video(25, {640, 480});
  for (int taken = 0; taken < 6; ++taken) {
    std::optional<Source> source(std::in_place, file, stream_.device());
    std::vector<Frame> held;
    for (int i = 0; i < std::min(taken, 2); ++i) held.push_back(*source->next(stream_));
    const auto start = steady_clock::now();
    source.reset();
    EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(2));
  }
}

TEST_F(SourceRingTest, SourcesAndFramesMove) {
  Source first(video(4), stream_.device());
  Frame frame = *first.next(stream_);
  Source second(std::move(first));
  Frame other = *second.next(stream_);
  frame = std::move(other);
  EXPECT_EQ(frame.index(), 1);
  second = Source(folder_ / "a.mkv", stream_.device());
  EXPECT_EQ(second.next(stream_)->index(), 0);
  EXPECT_EQ(frame.index(), 1);
}

TEST_F(SourceRingTest, TheEndIsToldAgainAndAgain) {
  Source source(video(1), stream_.device());
  EXPECT_TRUE(source.next(stream_).has_value());
  EXPECT_FALSE(source.next(stream_).has_value());
  EXPECT_FALSE(source.next(stream_).has_value());
}

}  // namespace
}  // namespace vrt
