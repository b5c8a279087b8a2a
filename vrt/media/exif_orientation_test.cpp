#include "vrt/media/exif_orientation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace vrt::detail {
namespace {

using Bytes = std::vector<std::uint8_t>;

const PictureKind kPng{"PNG", AV_CODEC_ID_PNG};
const PictureKind kTiff{"TIFF", AV_CODEC_ID_TIFF};
const PictureKind kJpeg{"JPEG", AV_CODEC_ID_MJPEG};

// Two entries: an image's width, and the orientation.
Bytes tiff_with(std::uint8_t orientation, bool big_endian) {
  if (big_endian) {
    return {'M', 'M', 0, 42, 0,    0, 0, 8, 0, 2, 1, 0, 0,           3, 0, 0, 0, 1, 0,
            9,   0,   0, 1,  0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0};
  }
  return {'I', 'I', 42, 0,    8, 0, 0, 0, 2, 0, 0, 1,           3, 0, 1, 0, 0, 0, 9,
          0,   0,   0,  0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0};
}

Bytes png_with(const Bytes& exif) {
  const Bytes before = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0, 0, 0, 2, 't',
                        'E',  'X', 't', 1,   2,    0,    0,    0,    0, 0, 0, 0};
  const Bytes name = {static_cast<std::uint8_t>(exif.size()), 'e', 'X', 'I', 'f'};
  const Bytes checksum(4);
  Bytes png;
  for (const Bytes* part : {&before, &name, &exif, &checksum})
    std::copy(part->begin(), part->end(), std::back_inserter(png));
  return png;
}

TEST(ExifOrientationTest, BothByteOrdersAndBothContainersTellTheSame) {
  for (const bool big_endian : {false, true}) {
    for (std::uint8_t value = 0; value < 10; ++value) {
      const Bytes tiff = tiff_with(value, big_endian);
      EXPECT_EQ(orientation_of_tiff(tiff), orientation_of_exif(value));
      EXPECT_EQ(orientation_of_file(kTiff, tiff), orientation_of_exif(value));
      EXPECT_EQ(orientation_of_file(kPng, png_with(tiff)), orientation_of_exif(value));
      EXPECT_EQ(orientation_of_file(kJpeg, tiff), Orientation{});
    }
  }
}

TEST(ExifOrientationTest, WhatIsCutAnywhereIsUpright) {
  const Bytes tiff = tiff_with(6, false);
  // The value's second byte is the last that counts.
  for (std::size_t bytes = 0; bytes < 32; ++bytes) {
    EXPECT_EQ(orientation_of_tiff({tiff.data(), bytes}), Orientation{}) << bytes;
  }
  const Bytes png = png_with(tiff);
  for (std::size_t bytes = 0; bytes < png.size(); ++bytes) {
    EXPECT_EQ(orientation_of_file(kPng, {png.data(), bytes}), Orientation{}) << bytes;
  }
}

TEST(ExifOrientationTest, OffsetsAndLengthsOutsideTheFileAreUpright) {
  Bytes far = tiff_with(6, false);
  far[4] = far[5] = far[6] = far[7] = 0xFF;
  EXPECT_EQ(orientation_of_tiff(far), Orientation{});
  Bytes long_chunk = png_with(tiff_with(6, false));
  long_chunk[8] = 0xFF;
  EXPECT_EQ(orientation_of_file(kPng, long_chunk), Orientation{});
  Bytes of_another_type = tiff_with(6, false);
  of_another_type[24] = 4;
  EXPECT_EQ(orientation_of_tiff(of_another_type), Orientation{});
}

}  // namespace
}  // namespace vrt::detail
