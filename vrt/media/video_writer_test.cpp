#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/media/sink.h"
#include "vrt/media/test_files.h"

namespace vrt {
namespace {

using test::error_of;
using test::Picture;
using ::testing::HasSubstr;

class VideoWriterTest : public ::testing::Test {
 protected:
  template <typename Action>
  void expect_failure(ErrorCode code, const char* text, const Action& action) {
    const Error error = error_of(action);
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(text));
  }

  testing::ScopedFolder folder_;
};

TEST_F(VideoWriterTest, WhatIsWrittenIsReadBack) {
  for (const char* name : {"a.mp4", "a.MOV", "a.mkv"}) {
    VideoWriter writer(folder_ / name, {160, 120}, 25);
    for (int i = 0; i < 10; ++i) writer.write(test::quarters({160, 120}).view(), 0.04 * i);
    writer.finish();
    const std::vector<test::Delivered> frames = test::read_all(folder_ / name);
    ASSERT_EQ(frames.size(), 10u) << name;
    EXPECT_EQ(frames[9].image.color, (ColorSpace{YuvMatrix::kBt709, YuvRange::kLimited})) << name;
    EXPECT_NEAR(frames[9].time, 0.36, 0.0015) << name;
    const Picture& picture = frames[9].picture;
    EXPECT_TRUE(test::near(picture.at(20, 20), test::kTopLeft, 8)) << name;
    EXPECT_TRUE(test::near(picture.at(140, 20), test::kTopRight, 8)) << name;
    EXPECT_TRUE(test::near(picture.at(20, 100), test::kBottomLeft, 8)) << name;
    EXPECT_TRUE(test::near(picture.at(140, 100), test::kBottomRight, 8)) << name;
  }
}

TEST_F(VideoWriterTest, TimesOfVariableRateAreKept) {
  const std::vector<double> times = {0, 0.1, 0.104, 0.5, 2.0};
  VideoWriter writer(folder_ / "a.mp4", {64, 48}, 25);
  for (const double time : times) writer.write(test::quarters({64, 48}).view(), time);
  writer.finish();
  const std::vector<test::Delivered> frames = test::read_all(folder_ / "a.mp4");
  ASSERT_EQ(frames.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(frames[i].time, times[i], 1e-4);
}

TEST_F(VideoWriterTest, TimesThatDoNotIncreaseAdvanceByAFrame) {
  VideoWriter writer(folder_ / "a.mp4", {64, 48}, 10);
  for (const double time : {0.0, 0.0, 0.0}) writer.write(test::quarters({64, 48}).view(), time);
  writer.finish();
  const std::vector<test::Delivered> frames = test::read_all(folder_ / "a.mp4");
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_NEAR(frames[2].time, 0.2, 1e-4);
}

TEST_F(VideoWriterTest, OddSidesArePaddedByOneRepeatedPixel) {
  for (const Size size : {Size{161, 121}, Size{1, 1}, Size{161, 120}}) {
    VideoWriter writer(folder_ / "a.mp4", size, 25);
    writer.write(test::flat(size, {200, 90, 30}).view(), 0);
    writer.finish();
    const test::Delivered frame = test::read_one(folder_ / "a.mp4");
    EXPECT_EQ(frame.picture.size, (Size{size.width + size.width % 2, size.height + size.height % 2}));
    const std::int32_t right = frame.picture.size.width - 1;
    const std::int32_t bottom = frame.picture.size.height - 1;
    EXPECT_TRUE(test::near(frame.picture.at(right, bottom), {200, 90, 30}, 6));
  }
}

// Each format, of an odd and an even size, stands for the same colours.
TEST_F(VideoWriterTest, EveryFormatIsWrittenInItsColours) {
  const Size size{65, 49};
  for (const ColorSpace color :
       {ColorSpace{YuvMatrix::kBt601, YuvRange::kFull}, ColorSpace{YuvMatrix::kBt709, YuvRange::kLimited}}) {
    for (const PixelFormat format : {PixelFormat::kRgb8, PixelFormat::kBgr8, PixelFormat::kRgba8, PixelFormat::kGray8,
                                     PixelFormat::kNv12, PixelFormat::kI420, PixelFormat::kYuyv}) {
      // Samples of 90 everywhere; what they mean is for the naive formulas to say.
      const std::vector<std::uint8_t> bytes(packed_bytes(size, format), 90);
      const ImageView view = ImageView::packed(Device::cpu(), bytes.data(), size, format, color);
      const test::Rgb expected = test::to_rgb(view).at(5, 5);
      VideoWriter writer(folder_ / "a.mp4", size, 25);
      writer.write(view, 0);
      writer.finish();
      const Picture picture = test::read_one(folder_ / "a.mp4").picture;
      EXPECT_TRUE(test::near(picture.at(5, 5), expected, 6)) << to_string(format);
      EXPECT_TRUE(test::near(picture.at(65, 49), expected, 6)) << to_string(format);
    }
  }
}

TEST_F(VideoWriterTest, APitchIsTakenForWhatItIs) {
  const Picture picture = test::quarters({64, 48});
  const std::size_t pitch = 64 * 3 + 40;
  std::vector<std::uint8_t> bytes(pitch * 48, 255);
  for (std::size_t y = 0; y < 48; ++y) {
    std::copy_n(picture.pixels.begin() + static_cast<std::ptrdiff_t>(y * 192), 192,
                bytes.begin() + static_cast<std::ptrdiff_t>(y * pitch));
  }
  ImageView view = picture.view();
  view.planes[0] = {bytes.data(), pitch};
  write_picture(folder_ / "a.png", view);
  EXPECT_EQ(test::read_one(folder_ / "a.png").picture.pixels, picture.pixels);
}

TEST_F(VideoWriterTest, WithoutFinishNothingIsLeft) {
  test::write_bytes(folder_ / "old.mp4", {'o', 'l', 'd'});
  for (const char* name : {"new.mp4", "old.mp4"}) {
    VideoWriter writer(folder_ / name, {64, 48}, 25);
    writer.write(test::quarters({64, 48}).view(), 0);
  }
  EXPECT_THAT(folder_.names(), ::testing::ElementsAre("old.mp4"));
  EXPECT_EQ(test::read_bytes(folder_ / "old.mp4").size(), 3u);
}

TEST_F(VideoWriterTest, AnExistingFileIsReplacedByFinish) {
  test::write_bytes(folder_ / "a.mp4", {'o', 'l', 'd'});
  VideoWriter writer(folder_ / "a.mp4", {64, 48}, 25);
  writer.write(test::quarters({64, 48}).view(), 0);
  writer.finish();
  EXPECT_EQ(test::read_all(folder_ / "a.mp4").size(), 1u);
  EXPECT_EQ(folder_.names().size(), 1u);
}

TEST_F(VideoWriterTest, WhatCannotBeWrittenIsSaidByName) {
  const Picture picture = test::quarters({64, 48});
  expect_failure(ErrorCode::kInvalidArgument, ".mp4, .mov or .mkv",
                 [&] { VideoWriter(folder_ / "a.avi", {64, 48}, 25); });
  expect_failure(ErrorCode::kInvalidArgument, "0×48", [&] { VideoWriter(folder_ / "a.mp4", {0, 48}, 25); });
  expect_failure(ErrorCode::kIo, "a.mp4", [&] { VideoWriter("/proc/none/a.mp4", {64, 48}, 25); });
  expect_failure(ErrorCode::kInvalidArgument, "64×48",
                 [&] { VideoWriter(folder_ / "a.mp4", {64, 50}, 25).write(picture.view(), 0); });
  expect_failure(ErrorCode::kInvalidArgument, "cuda:0", [&] {
    ImageView elsewhere = picture.view();
    elsewhere.device = Device::cuda(0);
    VideoWriter(folder_ / "a.mp4", {64, 48}, 25).write(elsewhere, 0);
  });
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(VideoWriterTest, AFullDiskIsAnErrorAndLeavesNothing) {
  // /dev/full is refused as a target, so a limit on the size of files stands for the full disk; see FileSizeLimit.
  const test::FileSizeLimit limit(16 * 1024);
  expect_failure(ErrorCode::kIo, "a.mp4", [&] {
    VideoWriter writer(folder_ / "a.mp4", {320, 240}, 25);
    for (int i = 0; i < 400; ++i) writer.write(test::noise({320, 240}, i).view(), 0.04 * i);
    writer.finish();
  });
  expect_failure(ErrorCode::kIo, "a.png", [&] { write_picture(folder_ / "a.png", test::noise({320, 240}, 1).view()); });
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(VideoWriterTest, PicturesAreWrittenAndReadBack) {
  for (const Size size : {Size{37, 23}, Size{1, 1}, Size{64, 48}}) {
    const Picture picture = test::quarters(size);
    write_picture(folder_ / "a.png", picture.view());
    EXPECT_EQ(test::read_one(folder_ / "a.png").picture.pixels, picture.pixels);
    write_picture(folder_ / "a.JPG", picture.view());
    const Picture read = test::read_one(folder_ / "a.JPG").picture;
    EXPECT_EQ(read.size, size);
    EXPECT_TRUE(test::near(read.at(0, 0), picture.at(0, 0), 6));
    EXPECT_TRUE(test::near(read.at(size.width - 1, size.height - 1), picture.at(size.width - 1, size.height - 1), 6));
  }
}

TEST_F(VideoWriterTest, GreyPicturesStayGrey) {
  const std::vector<std::uint8_t> bytes(20 * 10, 77);
  write_picture(folder_ / "a.png", ImageView::packed(Device::cpu(), bytes.data(), {20, 10}, PixelFormat::kGray8));
  const test::Delivered frame = test::read_one(folder_ / "a.png");
  EXPECT_EQ(frame.image.format, PixelFormat::kGray8);
  EXPECT_EQ(frame.picture.at(19, 9).g, 77);
}

TEST_F(VideoWriterTest, OtherPictureExtensionsAreRefused) {
  expect_failure(ErrorCode::kInvalidArgument, ".png, .jpg or .jpeg",
                 [&] { write_picture(folder_ / "a.webp", test::quarters({8, 8}).view()); });
}

}  // namespace
}  // namespace vrt
