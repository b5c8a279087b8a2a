#include "vrt/image/tensor_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "vrt/base/testing/error_of.h"
#include "vrt/device/dlpack_abi.h"

namespace vrt {
namespace {

using dlpack::DataType;
using dlpack::TypeCode;
using test::error_of;
using ::testing::HasSubstr;

class TensorImageTest : public ::testing::Test {
 protected:
  DlpackTensor tensor(std::vector<std::int64_t> extents, std::vector<std::int64_t> strides = {},
                      DataType type = {TypeCode::kUInt, 8, 1}) {
    extents_ = std::move(extents);
    strides_ = std::move(strides);
    managed_ = {};
    managed_.version = dlpack::kVersion;
    managed_.tensor = {bytes_.data(),
                       {dlpack::DeviceType::kCpu, 0},
                       static_cast<std::int32_t>(extents_.size()),
                       type,
                       extents_.data(),
                       strides_.empty() ? nullptr : strides_.data(),
                       4};
    return from_dlpack(stream_, reinterpret_cast<DLManagedTensorVersioned*>(&managed_));
  }
  Error refusal(const DlpackTensor& tensor, PixelFormat format) {
    return error_of([&] { static_cast<void>(image_of(tensor, format)); });
  }

  Stream stream_{Device::cpu()};
  std::vector<std::uint8_t> bytes_ = std::vector<std::uint8_t>(4096);
  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> strides_;
  dlpack::ManagedVersioned managed_;
};

TEST_F(TensorImageTest, RowsColumnsChannelsAreAPicture) {
  const DlpackTensor pixels = tensor({6, 5, 3});
  const ImageView view = image_of(pixels, PixelFormat::kBgr8);
  EXPECT_EQ(view.size, (Size{5, 6}));
  EXPECT_EQ(view.format, PixelFormat::kBgr8);
  EXPECT_EQ(view.device, Device::cpu());
  EXPECT_EQ(view.planes[0].data, bytes_.data() + 4);
  EXPECT_EQ(view.planes[0].pitch_bytes, 15U);
  EXPECT_NO_THROW(view.validate());
  EXPECT_EQ(image_of(tensor({2, 3, 4}), PixelFormat::kRgba8).planes[0].pitch_bytes, 12U);
}

TEST_F(TensorImageTest, GreyMayDoWithoutChannels) {
  EXPECT_EQ(image_of(tensor({6, 5}), PixelFormat::kGray8).size, (Size{5, 6}));
  EXPECT_EQ(image_of(tensor({6, 5, 1}), PixelFormat::kGray8).size, (Size{5, 6}));
  EXPECT_EQ(image_of(tensor({6, 5, 1}, {5, 1, 77}), PixelFormat::kGray8).size, (Size{5, 6}));
}

TEST_F(TensorImageTest, ACropHasThePitchOfItsPicture) {
  EXPECT_EQ(image_of(tensor({4, 5, 3}, {60, 3, 1}), PixelFormat::kRgb8).planes[0].pitch_bytes, 60U);
  EXPECT_EQ(image_of(tensor({1, 5, 3}, {2, 3, 1}), PixelFormat::kRgb8).planes[0].pitch_bytes, 15U);
}

TEST_F(TensorImageTest, PixelsThatDoNotFollowEachOtherAreRefused) {
  const std::vector<std::vector<std::int64_t>> strides{{5, 1, 30}, {30, 6, 1}, {15, 3, -1}, {-15, 3, 1}, {14, 3, 1}};
  for (const auto& wrong : strides) {
    const Error error = refusal(tensor({6, 5, 3}, wrong), PixelFormat::kRgb8);
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("make it contiguous"));
  }
}

TEST_F(TensorImageTest, WhatIsNoPictureIsRefused) {
  EXPECT_THAT(refusal(tensor({3, 6, 5}), PixelFormat::kRgb8).what(),
              HasSubstr("shape [3, 6, 5] was to be a picture in rgb8; expected [rows, columns, 3]"));
  EXPECT_THAT(refusal(tensor({6, 5}), PixelFormat::kRgb8).what(), HasSubstr("expected [rows, columns, 3]"));
  EXPECT_THAT(refusal(tensor({6, 5, 4}), PixelFormat::kRgb8).what(), HasSubstr("expected [rows, columns, 3]"));
  EXPECT_THAT(refusal(tensor({1, 6, 5, 3}), PixelFormat::kRgb8).what(), HasSubstr("[1, 6, 5, 3]"));
  EXPECT_THAT(refusal(tensor({6, 5, 3}), PixelFormat::kNv12).what(), HasSubstr("nv12; take rgb8"));
  EXPECT_THAT(refusal(tensor({6, 0, 3}), PixelFormat::kRgb8).what(), HasSubstr("empty"));
  EXPECT_THAT(refusal(tensor({6, 5, 3}, {}, {TypeCode::kFloat, 32, 1}), PixelFormat::kRgb8).what(),
              HasSubstr("a tensor of float32 was to be a picture"));
}

}  // namespace
}  // namespace vrt
