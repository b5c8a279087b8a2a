#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "vrt/base/testing/scoped.h"
#include "vrt/media/test_files.h"

namespace vrt {
namespace {

using test::Picture;
using test::VideoSpec;
using ::testing::HasSubstr;

constexpr Size kSmall{64, 48};

class VideoSourceTest : public ::testing::Test {
 protected:
  // Keeps the first part of a file.
  void cut(const std::string& file, double part) {
    std::filesystem::resize_file(
        file, static_cast<std::uintmax_t>(static_cast<double>(std::filesystem::file_size(file)) * part));
  }

  testing::ScopedFolder folder_;
};

void expect_grey(const Picture& picture, int frame) {
  const int grey = test::grey_of(frame);
  EXPECT_TRUE(test::near(picture.at(picture.size.width / 2, picture.size.height / 2), {grey, grey, grey}, 3))
      << "frame " << frame;
}

TEST_F(VideoSourceTest, DeliversEveryFrameOnceInOrderWithItsTime) {
  struct Case {
    const char* file;
    VideoSpec spec;
  };
  for (const Case& c :
       {Case{"a.mp4", {}}, Case{"b.mp4", {.encoder = "mpeg4", .b_frames = 2}}, Case{"a.mkv", {}}, Case{"a.avi", {}},
        Case{"a.ts", {.encoder = "mpeg2video"}}, Case{"ffv1.mkv", {.encoder = "ffv1"}}}) {
    test::write_video(folder_ / c.file, test::grey_frames(kSmall, 20), c.spec);
    const std::vector<test::Delivered> frames = test::read_all(folder_ / c.file);
    ASSERT_EQ(frames.size(), 20u) << c.file;
    for (int i = 0; i < 20; ++i) {
      const test::Delivered& frame = frames[static_cast<std::size_t>(i)];
      expect_grey(frame.picture, i);
      EXPECT_NEAR(frame.time, 0.04 * i, 0.0015) << c.file << " frame " << i;
      EXPECT_EQ(frame.image.format, PixelFormat::kI420);
      EXPECT_EQ(frame.source, folder_ / c.file);
    }
  }
}

TEST_F(VideoSourceTest, TellsSizeRateAndCount) {
  test::write_video(folder_ / "a.mp4", test::grey_frames(kSmall, 20));
  const Source source(folder_ / "a.mp4", Device::cpu());
  EXPECT_EQ(source.info().kind, SourceKind::kVideo);
  EXPECT_EQ(source.info().size, kSmall);
  EXPECT_NEAR(source.info().frame_rate, 25, 0.01);
  EXPECT_EQ(source.info().frame_count, 20);
}

TEST_F(VideoSourceTest, VariableFrameRatesKeepTheirTimes) {
  const std::vector<int> stamps = {0, 40, 200, 210, 1210};
  test::write_video(folder_ / "a.mkv", test::grey_frames(kSmall, 5), {.stamps = stamps});
  const std::vector<test::Delivered> frames = test::read_all(folder_ / "a.mkv");
  ASSERT_EQ(frames.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(frames[i].time, stamps[i] / 1000.0, 0.0015);
}

TEST_F(VideoSourceTest, TimesStartAtZeroAndIncrease) {
  test::write_video(folder_ / "a.mkv", test::grey_frames(kSmall, 3), {.stamps = {5000, 5040, 5080}});
  const std::vector<test::Delivered> frames = test::read_all(folder_ / "a.mkv");
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].time, 0);
  EXPECT_NEAR(frames[2].time, 0.08, 0.0015);
}

TEST_F(VideoSourceTest, RotationOfTheContainerIsAppliedOnce) {
  struct Case {
    int rotation;
    Size size;
    test::Rgb top_left;
  };
  for (const Case& c : {Case{90, {48, 64}, test::kBottomLeft}, Case{180, {64, 48}, test::kBottomRight},
                        Case{270, {48, 64}, test::kTopRight}}) {
    test::write_video(folder_ / "a.mp4", {test::quarters(kSmall), test::quarters(kSmall)}, {.rotation = c.rotation});
    EXPECT_EQ(Source(folder_ / "a.mp4", Device::cpu()).info().size, c.size);
    for (const test::Delivered& frame : test::read_all(folder_ / "a.mp4")) {
      ASSERT_EQ(frame.picture.size, c.size);
      EXPECT_TRUE(test::near(frame.picture.at(4, 4), c.top_left, 12)) << c.rotation;
    }
  }
}

TEST_F(VideoSourceTest, ColourSpaceComesFromTheStream) {
  struct Case {
    AVColorSpace matrix;
    AVColorRange range;
    ColorSpace expected;
  };
  for (const Case& c : {Case{AVCOL_SPC_BT709, AVCOL_RANGE_MPEG, {YuvMatrix::kBt709, YuvRange::kLimited}},
                        Case{AVCOL_SPC_SMPTE170M, AVCOL_RANGE_MPEG, {YuvMatrix::kBt601, YuvRange::kLimited}},
                        Case{AVCOL_SPC_BT709, AVCOL_RANGE_JPEG, {YuvMatrix::kBt709, YuvRange::kFull}}}) {
    test::write_video(folder_ / "a.mkv", {test::quarters(kSmall)},
                      {.encoder = "ffv1", .matrix = c.matrix, .range = c.range});
    const test::Delivered frame = test::read_one(folder_ / "a.mkv");
    EXPECT_EQ(frame.image.color, c.expected);
    EXPECT_TRUE(test::near(frame.picture.at(4, 4), test::kTopLeft, 4));
    EXPECT_TRUE(test::near(frame.picture.at(60, 44), test::kBottomRight, 4));
  }
}

TEST_F(VideoSourceTest, UnspecifiedColoursAreBt601BelowHdAndBt709From720Rows) {
  test::write_video(folder_ / "sd.mkv", {test::quarters({720, 576})}, {.encoder = "ffv1"});
  EXPECT_EQ(test::read_one(folder_ / "sd.mkv").image.color, (ColorSpace{YuvMatrix::kBt601, YuvRange::kLimited}));
  test::write_video(folder_ / "hd.mkv", {test::quarters({1280, 720})}, {.encoder = "ffv1"});
  EXPECT_EQ(test::read_one(folder_ / "hd.mkv").image.color, (ColorSpace{YuvMatrix::kBt709, YuvRange::kLimited}));
}

TEST_F(VideoSourceTest, OtherLayoutsAreConvertedByTheirColours) {
  struct Case {
    AVPixelFormat format;
    AVColorSpace matrix;
    PixelFormat delivered;
  };
  for (const Case& c : {Case{AV_PIX_FMT_YUV422P, AVCOL_SPC_BT709, PixelFormat::kI420},
                        Case{AV_PIX_FMT_YUV444P, AVCOL_SPC_SMPTE170M, PixelFormat::kI420},
                        Case{AV_PIX_FMT_YUV420P10LE, AVCOL_SPC_BT709, PixelFormat::kI420},
                        Case{AV_PIX_FMT_YUVA420P, AVCOL_SPC_BT709, PixelFormat::kI420},
                        Case{AV_PIX_FMT_GBRP16LE, AVCOL_SPC_RGB, PixelFormat::kRgb8},
                        Case{AV_PIX_FMT_BGR0, AVCOL_SPC_RGB, PixelFormat::kRgb8}}) {
    test::write_video(folder_ / "a.mkv", {test::quarters(kSmall)},
                      {.encoder = "ffv1", .format = c.format, .matrix = c.matrix});
    const test::Delivered frame = test::read_one(folder_ / "a.mkv");
    EXPECT_EQ(frame.image.format, c.delivered) << av_get_pix_fmt_name(c.format);
    EXPECT_TRUE(test::near(frame.picture.at(4, 4), test::kTopLeft, 4)) << av_get_pix_fmt_name(c.format);
    EXPECT_TRUE(test::near(frame.picture.at(60, 4), test::kTopRight, 4)) << av_get_pix_fmt_name(c.format);
    EXPECT_TRUE(test::near(frame.picture.at(4, 44), test::kBottomLeft, 4)) << av_get_pix_fmt_name(c.format);
  }
}

TEST_F(VideoSourceTest, GreyOfLimitedRangeIsNotTakenForFull) {
  test::write_video(folder_ / "a.mkv", {test::flat(kSmall, {100, 100, 100})},
                    {.encoder = "ffv1", .format = AV_PIX_FMT_GRAY8, .range = AVCOL_RANGE_MPEG});
  const test::Delivered frame = test::read_one(folder_ / "a.mkv");
  EXPECT_EQ(frame.image.format, PixelFormat::kI420);
  EXPECT_EQ(frame.image.color.range, YuvRange::kLimited);
}

TEST_F(VideoSourceTest, OddSizesWork) {
  test::write_video(folder_ / "a.mkv", {test::quarters({33, 17})}, {.encoder = "ffv1"});
  const test::Delivered frame = test::read_one(folder_ / "a.mkv");
  EXPECT_EQ(frame.picture.size, (Size{33, 17}));
  EXPECT_TRUE(test::near(frame.picture.at(32, 16), test::kBottomRight, 4));
}

TEST_F(VideoSourceTest, AResolutionThatChangesIsDeliveredAsItIs) {
  // A raw stream of JPEG pictures takes what follows of another size.
  const VideoSpec spec{.encoder = "mjpeg", .format = AV_PIX_FMT_YUVJ420P, .range = AVCOL_RANGE_JPEG};
  test::write_video(folder_ / "a.mjpeg", test::grey_frames({64, 48}, 5), spec);
  test::write_video(folder_ / "b.mjpeg", test::grey_frames({128, 96}, 5), spec);
  std::vector<std::uint8_t> joined = test::read_bytes(folder_ / "a.mjpeg");
  const std::vector<std::uint8_t> second = test::read_bytes(folder_ / "b.mjpeg");
  joined.insert(joined.end(), second.begin(), second.end());
  test::write_bytes(folder_ / "c.mjpeg", joined);
  const std::vector<test::Delivered> frames = test::read_all(folder_ / "c.mjpeg");
  ASSERT_EQ(frames.size(), 10u);
  EXPECT_EQ(frames[4].picture.size, (Size{64, 48}));
  EXPECT_EQ(frames[5].picture.size, (Size{128, 96}));
  for (std::size_t i = 1; i < frames.size(); ++i) EXPECT_GT(frames[i].time, frames[i - 1].time);
  expect_grey(frames[9].picture, 4);
}

TEST_F(VideoSourceTest, ACutVideoDeliversWhatIsThereThenSaysSo) {
  struct Case {
    const char* file;
    const char* options;
  };
  for (const Case& c : {Case{"a.mp4", "movflags=+faststart"}, Case{"f.mp4", "movflags=+frag_keyframe+empty_moov"},
                        Case{"a.mkv", ""}, Case{"a.avi", ""}}) {
    test::write_video(folder_ / c.file, std::vector<Picture>(50, test::quarters({320, 240})),
                      {.encoder = "mjpeg", .format = AV_PIX_FMT_YUVJ420P, .options = c.options});
    cut(folder_ / c.file, 0.6);
    const test::Failure failure = test::failure_of(folder_ / c.file);
    EXPECT_EQ(failure.code, ErrorCode::kCorrupt) << c.file;
    EXPECT_GT(failure.frames_before, 20) << c.file;
    EXPECT_LT(failure.frames_before, 50) << c.file;
    EXPECT_THAT(failure.text, ::testing::AllOf(HasSubstr(c.file), HasSubstr("cut")));
  }
}

TEST_F(VideoSourceTest, AnMp4WhoseIndexIsCutOffSaysSo) {
  test::write_video(folder_ / "a.mp4", test::grey_frames(kSmall, 20));
  cut(folder_ / "a.mp4", 0.5);
  const test::Failure failure = test::failure_of(folder_ / "a.mp4");
  EXPECT_EQ(failure.code, ErrorCode::kCorrupt);
  EXPECT_THAT(failure.text, ::testing::AllOf(HasSubstr("a.mp4"), HasSubstr("moov")));
}

TEST_F(VideoSourceTest, WhatIsAppendedToACompleteVideoDoesNoHarm) {
  test::write_video(folder_ / "a.mp4", test::grey_frames(kSmall, 5));
  std::ofstream(folder_ / "a.mp4", std::ios::app) << "some signature of a camera";
  EXPECT_EQ(test::read_all(folder_ / "a.mp4").size(), 5u);
}

TEST_F(VideoSourceTest, TheErrorIsThrownAgainByEveryFurtherCall) {
  test::write_video(folder_ / "a.mkv", std::vector<Picture>(20, test::quarters({320, 240})),
                    {.encoder = "mjpeg", .format = AV_PIX_FMT_YUVJ420P});
  cut(folder_ / "a.mkv", 0.6);
  const Stream stream(Device::cpu());
  Source source(folder_ / "a.mkv", stream.device());
  EXPECT_THROW(while (source.next(stream)){}, Error);
  EXPECT_THROW((void)source.next(stream), Error);
}

TEST_F(VideoSourceTest, TextNamedMp4IsNoVideo) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "This is a text, not a video.\n";
  test::write_bytes(folder_ / "a.mp4", {text.begin(), text.end()});
  test::write_bytes(folder_ / "a.txt", {text.begin(), text.end()});
  for (const char* name : {"a.mp4", "a.txt"}) {
    const test::Failure failure = test::failure_of(folder_ / name);
    EXPECT_EQ(failure.code, ErrorCode::kCorrupt);
    EXPECT_THAT(failure.text, HasSubstr(name));
    EXPECT_EQ(failure.text.find('\n'), std::string::npos);
  }
}

TEST_F(VideoSourceTest, SoundAloneIsNoVideo) {
  // A WAV file of silence.
  const std::vector<std::uint8_t> header = {
      'R', 'I', 'F',  'F',  0x24, 0x10, 0,    0,    'W', 'A', 'V', 'E', 'f', 'm', 't', ' ', 16,  0,   0, 0,    1, 0,
      1,   0,   0x40, 0x1F, 0,    0,    0x40, 0x1F, 0,   0,   1,   0,   8,   0,   'd', 'a', 't', 'a', 0, 0x10, 0, 0};
  std::vector<std::uint8_t> wav(header.size() + 4096, 128);
  std::copy(header.begin(), header.end(), wav.begin());
  test::write_bytes(folder_ / "a.mp4", wav);
  const test::Failure failure = test::failure_of(folder_ / "a.mp4");
  EXPECT_EQ(failure.code, ErrorCode::kCorrupt);
  EXPECT_THAT(failure.text, HasSubstr("audio"));
}

TEST_F(VideoSourceTest, ARingWithoutFramesInFlightIsRefused) {
  test::write_video(folder_ / "a.mp4", test::grey_frames(kSmall, 2));
  EXPECT_THROW(Source(folder_ / "a.mp4", Device::cpu(), {.frames_in_flight = 0}), Error);
}

}  // namespace
}  // namespace vrt
