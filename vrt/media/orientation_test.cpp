#include "vrt/media/orientation.h"

#include <gtest/gtest.h>

extern "C" {
#include <libavutil/display.h>
}

#include <numeric>
#include <vector>

#include "vrt/base/testing/scoped.h"
#include "vrt/media/test_files.h"

namespace vrt {
namespace {

using detail::Orientation;

// EXIF 2.32 describes each value by where the stored row 0 and column 0 are in the upright picture.
struct Side {
  bool row_0_is_a_side;  // Row 0 is a column of the upright picture.
  bool row_0_is_last;
  bool column_0_is_last;
};
constexpr Side kSides[] = {{},
                           {false, false, false},  // 1: top, left
                           {false, false, true},   // 2: top, right
                           {false, true, true},    // 3: bottom, right
                           {false, true, false},   // 4: bottom, left
                           {true, false, false},   // 5: left, top
                           {true, true, false},    // 6: right, top
                           {true, true, true},     // 7: right, bottom
                           {true, false, true}};   // 8: left, bottom

class OrientationTest : public ::testing::TestWithParam<int> {};

TEST_P(OrientationTest, MovesEveryElementWhereExifSays) {
  const Size stored{70, 131};
  const Side side = kSides[GetParam()];
  const Orientation orientation = detail::orientation_of_exif(GetParam());
  const Size upright = detail::upright_size(stored, orientation);
  for (const int bytes : {1, 2, 3, 4}) {
    const std::size_t pitch = static_cast<std::size_t>(stored.width * bytes) + 5;
    std::vector<std::uint8_t> from(pitch * static_cast<std::size_t>(stored.height));
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
    const std::size_t to_pitch = static_cast<std::size_t>(upright.width * bytes);
    std::vector<std::uint8_t> to(to_pitch * static_cast<std::size_t>(upright.height));
    detail::copy_upright({from.data(), static_cast<std::ptrdiff_t>(pitch), stored, bytes}, orientation, to.data(),
                         to_pitch);
    for (int row = 0; row < stored.height; ++row) {
      for (int column = 0; column < stored.width; ++column) {
        const int down = side.row_0_is_last ? stored.height - 1 - row : row;
        const int across = side.column_0_is_last ? stored.width - 1 - column : column;
        const int x = side.row_0_is_a_side ? down : across;
        const int y = side.row_0_is_a_side ? across : down;
        for (int byte = 0; byte < bytes; ++byte) {
          ASSERT_EQ(to[static_cast<std::size_t>(y) * to_pitch + static_cast<std::size_t>(x * bytes + byte)],
                    from[static_cast<std::size_t>(row) * pitch + static_cast<std::size_t>(column * bytes + byte)])
              << "row " << row << ", column " << column;
        }
      }
    }
  }
}

TEST_P(OrientationTest, TurnsAJpegUprightOnce) {
  const testing::ScopedFolder folder;
  // As a camera stores it: the scene is `quarters`, read in the stored order.
  const Orientation orientation = detail::orientation_of_exif(GetParam());
  const test::Picture scene = test::quarters(orientation.transposed ? Size{40, 100} : Size{100, 40});
  const Side side = kSides[GetParam()];
  test::Picture stored{{100, 40}, {}};
  for (int row = 0; row < 40; ++row) {
    for (int column = 0; column < 100; ++column) {
      const int down = side.row_0_is_last ? 39 - row : row;
      const int across = side.column_0_is_last ? 99 - column : column;
      const test::Rgb color = side.row_0_is_a_side ? scene.at(down, across) : scene.at(across, down);
      for (const int value : {color.r, color.g, color.b}) stored.pixels.push_back(static_cast<std::uint8_t>(value));
    }
  }
  test::write_bytes(folder / "a.jpg",
                    test::with_exif(test::encode_picture(stored, "mjpeg", AV_PIX_FMT_YUVJ420P), GetParam()));
  const test::Delivered frame = test::read_one(folder / "a.jpg");
  ASSERT_EQ(frame.picture.size, scene.size);
  const int right = scene.size.width - 4;
  const int bottom = scene.size.height - 4;
  EXPECT_TRUE(test::near(frame.picture.at(3, 3), test::kTopLeft, 6));
  EXPECT_TRUE(test::near(frame.picture.at(right, 3), test::kTopRight, 6));
  EXPECT_TRUE(test::near(frame.picture.at(3, bottom), test::kBottomLeft, 6));
  EXPECT_TRUE(test::near(frame.picture.at(right, bottom), test::kBottomRight, 6));
}

INSTANTIATE_TEST_SUITE_P(Exif, OrientationTest, ::testing::Range(1, 9));

TEST(OrientationOfExifTest, UnknownValuesMeanUpright) {
  for (const long value : {-1L, 0L, 9L, 4711L}) EXPECT_EQ(detail::orientation_of_exif(value), Orientation{});
}

TEST(OrientationOfMatrixTest, FollowsRotationsAndFlipsOfTheDisplayMatrix) {
  // Degrees clockwise on the screen, and the EXIF value that says the same.
  for (const auto& [degrees, exif] : std::vector<std::pair<int, int>>{{0, 1}, {90, 6}, {180, 3}, {270, 8}, {85, 6}}) {
    std::int32_t matrix[9];
    av_display_rotation_set(matrix, degrees);  // Clockwise.
    EXPECT_EQ(detail::orientation_of_matrix(matrix), detail::orientation_of_exif(exif)) << degrees;
  }
  std::int32_t mirrored[9];
  av_display_rotation_set(mirrored, 0);
  av_display_matrix_flip(mirrored, 1, 0);
  EXPECT_EQ(detail::orientation_of_matrix(mirrored), detail::orientation_of_exif(2));
}

}  // namespace
}  // namespace vrt
