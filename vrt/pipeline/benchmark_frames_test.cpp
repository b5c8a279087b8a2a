#include "vrt/pipeline/benchmark_frames.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/device/counters.h"

namespace vrt {
namespace {

using test::error_of;

TEST(SyntheticFramesTest, SizeAndFormatAreRead) {
  const auto plain = SyntheticFrames::parse("1920x1080");
  EXPECT_EQ(plain.size, (Size{1920, 1080}));
  EXPECT_EQ(plain.format, PixelFormat::kI420);
  EXPECT_EQ(SyntheticFrames::parse("1x16384:nv12").format, PixelFormat::kNv12);
  EXPECT_EQ(SyntheticFrames::parse("7x5:rgb8").size, (Size{7, 5}));
}

TEST(SyntheticFramesTest, WhatIsNoSizeIsRefusedByItsText) {
  for (const std::string text : {"", "x", "1920", "1920x", "x1080", "0x10", "10x0", "-1x5", "16385x4", "4x99999999999",
                                 "1920x1080:", "1920x1080:yuyv", "1920x1080nv12", "1920x1080:nv12 ", "19.5x10"}) {
    SCOPED_TRACE(text);
    const Error error = error_of([&] { (void)SyntheticFrames::parse(text); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find("'" + text + "'"), std::string::npos) << error.what();
  }
}

std::string pixels_of(const ImageView& image) {
  const auto* data = image.planes[0].data;
  return {data, data + packed_bytes(image.size, image.format)};
}

TEST(SyntheticBenchmarkFramesTest, TheRingIsResidentAndTheSameInEveryRun) {
  const Stream stream(Device::cpu());
  const SyntheticFrames kind{{33, 17}, PixelFormat::kNv12};
  SyntheticBenchmarkFrames first(kind, stream);
  SyntheticBenchmarkFrames second(kind, stream);
  std::set<std::string> seen;
  const DeviceCounters before = counters(Device::cpu());
  for (std::size_t i = 0; i < 2 * SyntheticBenchmarkFrames::kRing; ++i) {
    ASSERT_TRUE(first.next(stream));
    ASSERT_TRUE(second.next(stream));
    EXPECT_EQ(first.position(), i % SyntheticBenchmarkFrames::kRing);
    EXPECT_EQ(first.image().planes[0].data, first.ring()[first.position()].planes[0].data);
    EXPECT_EQ(pixels_of(first.image()), pixels_of(second.image()));
    seen.insert(pixels_of(first.image()));
  }
  EXPECT_EQ(counters(Device::cpu()), before) << "a resident frame costs nothing";
  EXPECT_EQ(seen.size(), SyntheticBenchmarkFrames::kRing) << "every frame of the ring is another";
}

TEST(SourceBenchmarkFramesTest, TheClipBeginsAgain) {
  const Stream stream(Device::cpu());
  SourceBenchmarkFrames frames(VRT_TEST_CLIP, stream);
  EXPECT_EQ(frames.first().size, (Size{176, 144}));
  int count = 0;
  while (frames.next(stream)) ++count;
  EXPECT_EQ(count, 119) << "the first frame was taken to learn the format";
  frames.restart();
  count = 0;
  while (frames.next(stream)) ++count;
  EXPECT_EQ(count, 120);
}

}  // namespace
}  // namespace vrt
