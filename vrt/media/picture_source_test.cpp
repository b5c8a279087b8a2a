#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "vrt/base/testing/scoped.h"
#include "vrt/media/test_files.h"

namespace vrt {
namespace {

using test::Picture;
using ::testing::HasSubstr;

class PictureSourceTest : public ::testing::Test {
 protected:
  // Writes `picture` by the encoder and returns what the source makes of it.
  test::Delivered through_file(const char* name, const Picture& picture, const char* encoder, AVPixelFormat format) {
    test::write_bytes(folder_ / name, test::encode_picture(picture, encoder, format));
    return test::read_one(folder_ / name);
  }

  testing::ScopedFolder folder_;
};

void expect_quarters(const Picture& picture, int tolerance) {
  const std::int32_t right = picture.size.width - 2;
  const std::int32_t bottom = picture.size.height - 2;
  EXPECT_TRUE(test::near(picture.at(1, 1), test::kTopLeft, tolerance));
  EXPECT_TRUE(test::near(picture.at(right, 1), test::kTopRight, tolerance));
  EXPECT_TRUE(test::near(picture.at(1, bottom), test::kBottomLeft, tolerance));
  EXPECT_TRUE(test::near(picture.at(right, bottom), test::kBottomRight, tolerance));
}

TEST_F(PictureSourceTest, LosslessFormatsArriveUnchanged) {
  const Picture picture = test::quarters({37, 23});
  struct Case {
    const char* file;
    const char* encoder;
    AVPixelFormat format;
    PixelFormat delivered;
  };
  for (const Case& c : {Case{"a.png", "png", AV_PIX_FMT_RGB24, PixelFormat::kRgb8},
                        Case{"b.png", "png", AV_PIX_FMT_RGBA, PixelFormat::kRgba8},
                        Case{"c.png", "png", AV_PIX_FMT_RGB48BE, PixelFormat::kRgb8},
                        Case{"a.bmp", "bmp", AV_PIX_FMT_BGR24, PixelFormat::kBgr8},
                        Case{"b.bmp", "bmp", AV_PIX_FMT_BGRA, PixelFormat::kRgb8},
                        Case{"a.tif", "tiff", AV_PIX_FMT_RGB24, PixelFormat::kRgb8},
                        Case{"a.ppm", "ppm", AV_PIX_FMT_RGB24, PixelFormat::kRgb8}}) {
    const test::Delivered frame = through_file(c.file, picture, c.encoder, c.format);
    EXPECT_EQ(frame.picture.size, picture.size) << c.file;
    EXPECT_EQ(frame.picture.pixels, picture.pixels) << c.file;
    EXPECT_EQ(frame.image.format, c.delivered) << c.file;
    EXPECT_EQ(frame.source, folder_ / c.file);
  }
}

TEST_F(PictureSourceTest, JpegsKeepTheirPlanesAndSayFullRangeBt601) {
  const test::Delivered frame = through_file("a.jpg", test::quarters({64, 48}), "mjpeg", AV_PIX_FMT_YUVJ420P);
  EXPECT_EQ(frame.image.format, PixelFormat::kI420);
  EXPECT_EQ(frame.image.color, (ColorSpace{YuvMatrix::kBt601, YuvRange::kFull}));
  expect_quarters(frame.picture, 4);
}

TEST_F(PictureSourceTest, JpegsAreBt601AlsoAbove720Rows) {
  const test::Delivered frame = through_file("a.jpg", test::quarters({1280, 960}), "mjpeg", AV_PIX_FMT_YUVJ420P);
  EXPECT_EQ(frame.image.color, (ColorSpace{YuvMatrix::kBt601, YuvRange::kFull}));
  expect_quarters(frame.picture, 4);
}

TEST_F(PictureSourceTest, OtherSamplingsOfJpegBecomeRgb) {
  for (const AVPixelFormat format : {AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P}) {
    const test::Delivered frame = through_file("a.jpg", test::quarters({64, 48}), "mjpeg", format);
    EXPECT_EQ(frame.image.format, PixelFormat::kRgb8);
    expect_quarters(frame.picture, 5);
  }
}

TEST_F(PictureSourceTest, GreyStaysGreyAndDeepGreyBecomesRgb) {
  const Picture grey = test::flat({20, 10}, {77, 77, 77});
  const test::Delivered plain = through_file("a.png", grey, "png", AV_PIX_FMT_GRAY8);
  EXPECT_EQ(plain.image.format, PixelFormat::kGray8);
  EXPECT_TRUE(test::near(plain.picture.at(5, 5), {77, 77, 77}, 1));
  for (const AVPixelFormat format : {AV_PIX_FMT_GRAY16BE, AV_PIX_FMT_YA8, AV_PIX_FMT_YA16BE}) {
    const test::Delivered deep = through_file("b.png", grey, "png", format);
    EXPECT_EQ(deep.image.format, PixelFormat::kRgb8);
    EXPECT_TRUE(test::near(deep.picture.at(5, 5), {77, 77, 77}, 1)) << av_get_pix_fmt_name(format);
  }
}

TEST_F(PictureSourceTest, OneBitPicturesAreBlackAndWhite) {
  const test::Delivered frame =
      through_file("a.png", test::flat({20, 10}, {255, 255, 255}), "png", AV_PIX_FMT_MONOBLACK);
  EXPECT_TRUE(test::near(frame.picture.at(19, 9), {255, 255, 255}, 0));
}

TEST_F(PictureSourceTest, AlphaIsIgnored) {
  // A transparent pixel keeps the colour that is stored with it.
  const std::vector<std::uint8_t> bmp = [] {
    Picture picture = test::flat({4, 4}, {10, 200, 90});
    return test::encode_picture(picture, "bmp", AV_PIX_FMT_BGRA);
  }();
  std::vector<std::uint8_t> transparent = bmp;
  for (std::size_t i = bmp.size() - 4 * 4 * 4 + 3; i < bmp.size(); i += 4) transparent[i] = 0;
  test::write_bytes(folder_ / "a.bmp", transparent);
  EXPECT_TRUE(test::near(test::read_one(folder_ / "a.bmp").picture.at(2, 2), {10, 200, 90}, 0));
}

TEST_F(PictureSourceTest, CmykJpegIsConverted) {
  const test::Delivered frame = test::read_one(VRT_SOURCE_DIR "/vrt/media/testdata/cmyk.jpg");
  ASSERT_EQ(frame.picture.size, (Size{32, 16}));
  EXPECT_TRUE(test::near(frame.picture.at(3, 8), {200, 30, 30}, 6));
  EXPECT_TRUE(test::near(frame.picture.at(28, 8), {30, 60, 200}, 6));
}

TEST_F(PictureSourceTest, OfAnAnimatedWebpTheFirstFrameIsTaken) {
  const test::Delivered frame = test::read_one(VRT_SOURCE_DIR "/vrt/media/testdata/animated.webp");
  ASSERT_EQ(frame.picture.size, (Size{32, 16}));
  EXPECT_TRUE(test::near(frame.picture.at(3, 8), {200, 30, 30}, 0));
}

TEST_F(PictureSourceTest, LossyWebpIsBt601Limited) {
  if (avcodec_find_encoder_by_name("libwebp") == nullptr) GTEST_SKIP() << "this FFmpeg has no WebP encoder";
  const test::Delivered frame = through_file("a.webp", test::quarters({1280, 800}), "libwebp", AV_PIX_FMT_YUV420P);
  EXPECT_EQ(frame.image.color, (ColorSpace{YuvMatrix::kBt601, YuvRange::kLimited}));
  expect_quarters(frame.picture, 6);
}

TEST_F(PictureSourceTest, AnimationsAreVideosAsFilesAndPicturesInFolders) {
  const std::vector<Picture> frames = {test::flat({16, 16}, {250, 0, 0}), test::flat({16, 16}, {0, 250, 0}),
                                       test::flat({16, 16}, {0, 0, 250})};
  test::write_video(folder_ / "a.gif", frames, {.encoder = "gif", .format = AV_PIX_FMT_RGB8});
  test::write_video(folder_ / "b.apng", frames, {.encoder = "apng", .format = AV_PIX_FMT_RGB24});
  for (const char* name : {"a.gif", "b.apng"}) {
    EXPECT_EQ(Source(folder_ / name, Device::cpu()).info().kind, SourceKind::kVideo) << name;
    const std::vector<test::Delivered> delivered = test::read_all(folder_ / name);
    ASSERT_EQ(delivered.size(), 3u) << name;
    EXPECT_TRUE(test::near(delivered[2].picture.at(8, 8), {0, 0, 250}, 8)) << name;
    EXPECT_NEAR(delivered[2].time, 0.08, 0.011) << name;
  }
  const std::vector<test::Delivered> pictures = test::read_all(folder_.path().string());
  ASSERT_EQ(pictures.size(), 2u);
  for (const test::Delivered& picture : pictures) EXPECT_TRUE(test::near(picture.picture.at(8, 8), {250, 0, 0}, 8));
}

TEST_F(PictureSourceTest, AGifOfOneFrameIsAPicture) {
  test::write_video(folder_ / "a.gif", {test::flat({16, 16}, {250, 0, 0})},
                    {.encoder = "gif", .format = AV_PIX_FMT_RGB8});
  EXPECT_EQ(Source(folder_ / "a.gif", Device::cpu()).info().kind, SourceKind::kPicture);
}

TEST_F(PictureSourceTest, APictureIsKnownByItsContentWhateverItsName) {
  const Picture picture = test::quarters({12, 8});
  test::write_bytes(folder_ / "a.mp4", test::encode_picture(picture, "png", AV_PIX_FMT_RGB24));
  EXPECT_EQ(test::read_one(folder_ / "a.mp4").picture.pixels, picture.pixels);
}

TEST_F(PictureSourceTest, ExtremeSizesWork) {
  const Picture one = test::flat({1, 1}, {9, 99, 199});
  EXPECT_EQ(through_file("one.png", one, "png", AV_PIX_FMT_RGB24).picture.pixels, one.pixels);
  EXPECT_EQ(through_file("one.jpg", one, "mjpeg", AV_PIX_FMT_YUVJ420P).picture.size, (Size{1, 1}));
  const Picture wide = test::quarters({20000, 10});
  EXPECT_EQ(through_file("wide.png", wide, "png", AV_PIX_FMT_RGB24).picture.pixels, wide.pixels);
}

TEST_F(PictureSourceTest, A108MegapixelPictureIsRead) {
  // Encoded row by row in grey planes: as RGB the reference alone would be 324 MB.
  const detail::FramePtr pixels = detail::make_picture_frame(AV_PIX_FMT_YUVJ420P, {12000, 9000});
  for (int plane = 0; plane < 3; ++plane) {
    const std::size_t rows = plane == 0 ? 9000 : 4500;
    std::memset(pixels->data[plane], plane == 0 ? 90 : 128, rows * static_cast<std::size_t>(pixels->linesize[plane]));
  }
  test::write_bytes(folder_ / "a.jpg", test::encode_frame(*pixels, "mjpeg"));
  const Stream stream(Device::cpu());
  Source source(folder_ / "a.jpg", stream.device());
  const std::optional<Frame> frame = source.next(stream);
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->image().size, (Size{12000, 9000}));
  const ImagePlane& luma = frame->host_image().planes[0];
  EXPECT_NEAR(luma.data[8999 * luma.pitch_bytes + 11999], 90, 1);
}

TEST_F(PictureSourceTest, APictureBeyondTheLimitIsRefused) {
  // A PNG header of 60000×60000 and nothing behind it: refused before memory is asked for.
  std::vector<std::uint8_t> png = test::encode_picture(test::flat({4, 4}, {}), "png", AV_PIX_FMT_RGB24);
  for (const std::size_t offset : {16u, 20u}) {
    png[offset + 2] = 60000 >> 8;
    png[offset + 3] = 60000 & 255;
  }
  test::write_bytes(folder_ / "a.png", png);
  const test::Failure failure = test::failure_of(folder_ / "a.png");
  EXPECT_THAT(failure.text, HasSubstr("a.png"));
  EXPECT_EQ(failure.frames_before, 0);
}

TEST_F(PictureSourceTest, DamagedPicturesAreNamed) {
  const Picture picture = test::quarters({640, 480});
  struct Case {
    const char* file;
    const char* encoder;
    AVPixelFormat format;
  };
  for (const Case& c : {Case{"cut.jpg", "mjpeg", AV_PIX_FMT_YUVJ420P}, Case{"cut.png", "png", AV_PIX_FMT_RGB24},
                        Case{"cut.bmp", "bmp", AV_PIX_FMT_BGR24}, Case{"cut.tif", "tiff", AV_PIX_FMT_RGB24},
                        Case{"cut.ppm", "ppm", AV_PIX_FMT_RGB24}}) {
    std::vector<std::uint8_t> bytes = test::encode_picture(picture, c.encoder, c.format);
    bytes.resize(bytes.size() * 2 / 3);
    test::write_bytes(folder_ / c.file, bytes);
    const test::Failure failure = test::failure_of(folder_ / c.file);
    EXPECT_EQ(failure.code, ErrorCode::kCorrupt) << c.file << failure.text;
    EXPECT_THAT(failure.text, HasSubstr(c.file));
  }
}

TEST_F(PictureSourceTest, MissingEmptyAndUnreadableFilesAreNamed) {
  EXPECT_EQ(test::failure_of(folder_ / "none.png").code, ErrorCode::kNotFound);
  test::write_bytes(folder_ / "empty.png", {});
  const test::Failure empty = test::failure_of(folder_ / "empty.png");
  EXPECT_EQ(empty.code, ErrorCode::kCorrupt);
  EXPECT_THAT(empty.text, HasSubstr("0 bytes"));
  EXPECT_EQ(test::failure_of("/dev/null").code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace vrt
