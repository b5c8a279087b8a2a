#include "vrt/image/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/image/test_pictures.h"

namespace vrt {
namespace {

using ::testing::HasSubstr;

template <typename View>
std::string message_of(const View& view) {
  const Error error = test::error_of([&] { view.validate(); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  return error.what();
}

TEST(ImageTest, OddSizesRoundChromaUp) {
  EXPECT_EQ(row_bytes(PixelFormat::kNv12, 5, 0), 5U);
  EXPECT_EQ(row_bytes(PixelFormat::kNv12, 5, 1), 6U);
  EXPECT_EQ(row_count(PixelFormat::kNv12, 3, 1), 2);
  EXPECT_EQ(row_bytes(PixelFormat::kI420, 5, 2), 3U);
  EXPECT_EQ(row_count(PixelFormat::kI420, 1, 1), 1);
  EXPECT_EQ(row_bytes(PixelFormat::kYuyv, 5, 0), 12U);
  EXPECT_EQ(row_count(PixelFormat::kYuyv, 3, 0), 3);
}

TEST(ImageTest, PackedBytesAreTheSumOfThePlanes) {
  EXPECT_EQ(packed_bytes({4, 2}, PixelFormat::kRgb8), 24U);
  EXPECT_EQ(packed_bytes({4, 2}, PixelFormat::kRgba8), 32U);
  EXPECT_EQ(packed_bytes({4, 2}, PixelFormat::kGray8), 8U);
  EXPECT_EQ(packed_bytes({5, 3}, PixelFormat::kNv12), 15U + 12U);
  EXPECT_EQ(packed_bytes({5, 3}, PixelFormat::kI420), 15U + 6U + 6U);
  // More than 32 bits.
  EXPECT_EQ(packed_bytes({65536, 65536}, PixelFormat::kRgba8), std::size_t{1} << 34);
}

TEST(ImageTest, PackedLaysPlanesOneBehindTheOther) {
  const std::vector<std::uint8_t> memory(packed_bytes({5, 3}, PixelFormat::kI420));
  const ImageView view = ImageView::packed(Device::cpu(), memory.data(), {5, 3}, PixelFormat::kI420);
  EXPECT_EQ(view.planes[1].data, memory.data() + 15);
  EXPECT_EQ(view.planes[2].data, memory.data() + 21);
  EXPECT_EQ(view.planes[2].pitch_bytes, 3U);
  view.validate();
}

TEST(ImageTest, ValidateNamesWhatIsWrong) {
  const testing::TestPicture picture = testing::empty_picture({6, 4}, PixelFormat::kNv12);
  picture.view.validate();
  ImageView view = picture.view;
  view.size.width = 0;
  EXPECT_THAT(message_of(view), HasSubstr("0x4"));
  view = picture.view;
  view.planes[1].data = nullptr;
  EXPECT_THAT(message_of(view), HasSubstr("plane 1"));
  view = picture.view;
  view.planes[1].pitch_bytes = 5;
  EXPECT_THAT(message_of(view), HasSubstr("pitch of 5 bytes"));
  view = picture.view;
  view.format = static_cast<PixelFormat>(77);
  EXPECT_THAT(message_of(view), HasSubstr("77"));
}

TEST(ImageTest, SizesAndPitchesNoPictureHasAreRefused) {
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
  const testing::TestPicture picture = testing::empty_picture({6, 4}, PixelFormat::kRgb8);
  for (const Size size : {Size{-1, 4}, Size{6, -1}, Size{kLeast, kLeast}}) {
    ImageView view = picture.view;
    view.size = size;
    EXPECT_THAT(message_of(view), HasSubstr(std::to_string(size.width) + "x" + std::to_string(size.height)));
    EXPECT_THROW((void)packed_bytes(size, PixelFormat::kNv12), Error);
  }
  for (const std::size_t pitch :
       {std::size_t{17}, (std::size_t{1} << 32) + 1, std::numeric_limits<std::size_t>::max()}) {
    ImageView view = picture.view;
    view.planes[0].pitch_bytes = pitch;
    EXPECT_THAT(message_of(view), HasSubstr(std::to_string(pitch)));
  }
}

TEST(ImageTest, ABatchNamesWhatIsWrong) {
  const std::vector<std::uint8_t> pixels(2 * packed_bytes({4, 2}, PixelFormat::kNv12));
  ImageBatch batch = ImageBatch::packed(Device::cpu(), pixels.data(), 2, {4, 2}, PixelFormat::kNv12);
  EXPECT_NO_THROW(batch.validate());
  batch.count = 0;
  EXPECT_THAT(message_of(batch), HasSubstr("a batch of 0 pictures"));
  batch.count = 2;
  batch.stride_bytes[1] = 0;
  EXPECT_THAT(message_of(batch), HasSubstr("plane 1 of a batch of 2 pictures: a stride of 0 bytes"));
  batch.first.size.width = 0;
  EXPECT_THAT(message_of(batch), HasSubstr("0x2"));
}

TEST(ImageTest, AWiderPitchThanTheRowIsFine) {
  const testing::TestPicture picture = testing::empty_picture({1920, 2}, PixelFormat::kGray8, {}, 128);
  EXPECT_EQ(picture.view.planes[0].pitch_bytes, 2048U);
  picture.view.validate();
}

TEST(ImageTest, APlaneThatAFormatLacksIsRefused) {
  EXPECT_THROW((void)row_bytes(PixelFormat::kRgb8, 4, 1), Error);
  EXPECT_THROW((void)row_count(PixelFormat::kNv12, 4, -1), Error);
}

}  // namespace
}  // namespace vrt
