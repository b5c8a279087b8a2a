#include "vrt/media/picture_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/scoped.h"
#include "vrt/media/picture_kind.h"
#include "vrt/media/test_files.h"

namespace vrt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NaturalOrderTest, NumbersCountAsNumbers) {
  const std::vector<std::string> sorted = {"1.png",    "2.png",   "10.png", "A9.png", "a10.png",
                                           "b007.png", "b07.png", "b7.png", "b8.png"};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (std::size_t j = 0; j < sorted.size(); ++j) {
      EXPECT_EQ(detail::natural_less(sorted[i], sorted[j]), i < j) << sorted[i] << " and " << sorted[j];
    }
  }
}

TEST(NaturalOrderTest, NumbersOfAnyLengthCompare) {
  EXPECT_TRUE(detail::natural_less("99999999999999999999998.png", "99999999999999999999999.png"));
  EXPECT_TRUE(detail::natural_less("0.png", "1.png"));
  EXPECT_TRUE(detail::natural_less("a", "a1"));
  EXPECT_FALSE(detail::natural_less("a", "a"));
}

TEST(PictureFolderTest, DeliversPicturesInNaturalOrderAndIgnoresTheRest) {
  const testing::ScopedFolder folder;
  int grey = 40;
  for (const char* name : {"10.PNG", "2.png", "1.JPG"}) {
    const bool jpeg = std::string(name).ends_with("JPG");
    test::write_bytes(folder / name,
                      test::encode_picture(test::flat({16, 8}, {grey, grey, grey}), jpeg ? "mjpeg" : "png",
                                           jpeg ? AV_PIX_FMT_YUVJ420P : AV_PIX_FMT_RGB24));
    grey += 50;
  }
  test::write_bytes(folder / "notes.txt", {'h', 'i'});
  std::filesystem::create_directory(folder / "sub.png");
  const std::vector<test::Delivered> frames = test::read_all(folder.path().string());
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].source, folder / "1.JPG");
  EXPECT_EQ(frames[1].source, folder / "2.png");
  EXPECT_EQ(frames[2].source, folder / "10.PNG");
  EXPECT_NEAR(frames[0].picture.at(3, 3).r, 140, 2);
  EXPECT_NEAR(frames[1].picture.at(3, 3).r, 90, 0);
  EXPECT_NEAR(frames[2].picture.at(3, 3).r, 40, 0);
  EXPECT_EQ(frames[2].time, 0);
}

TEST(PictureFolderTest, TellsItsCountAndFirstSize) {
  const testing::ScopedFolder folder;
  test::write_bytes(folder / "1.png", test::encode_picture(test::flat({16, 8}, {}), "png", AV_PIX_FMT_RGB24));
  test::write_bytes(folder / "2.png", test::encode_picture(test::flat({30, 9}, {}), "png", AV_PIX_FMT_RGB24));
  const Source source(folder.path().string(), Device::cpu());
  EXPECT_EQ(source.info().kind, SourceKind::kFolder);
  EXPECT_EQ(source.info().frame_count, 2);
  EXPECT_EQ(source.info().size, (Size{16, 8}));
  EXPECT_EQ(source.info().frame_rate, 0);
}

TEST(PictureFolderTest, AnUnreadablePictureIsAnErrorThatNamesTheFile) {
  const testing::ScopedFolder folder;
  test::write_bytes(folder / "1.png", test::encode_picture(test::flat({16, 8}, {}), "png", AV_PIX_FMT_RGB24));
  test::write_bytes(folder / "2.png", {'n', 'o', 'p', 'e'});
  const test::Failure failure = test::failure_of(folder.path().string());
  EXPECT_EQ(failure.code, ErrorCode::kCorrupt);
  EXPECT_EQ(failure.frames_before, 1);
  EXPECT_THAT(failure.text, HasSubstr("2.png"));
}

TEST(PictureFolderTest, AFolderWithoutPicturesIsRefused) {
  const testing::ScopedFolder folder;
  test::write_bytes(folder / "notes.txt", {'h', 'i'});
  const test::Failure failure = test::failure_of(folder.path().string());
  EXPECT_EQ(failure.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(failure.text, HasSubstr(folder.path().string()));
}

}  // namespace
}  // namespace vrt
