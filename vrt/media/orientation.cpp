#include "vrt/media/orientation.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "vrt/media/ffmpeg.h"

namespace vrt::detail {
namespace {

// Address and steps of the walk over the stored plane in the order of the upright one.
struct Walk {
  const std::uint8_t* start = nullptr;
  std::ptrdiff_t step_x = 0;
  std::ptrdiff_t step_y = 0;
};

Walk walk_of(const StoredPlane& from, Orientation orientation) {
  const std::ptrdiff_t column = orientation.flip_x ? -from.element_bytes : from.element_bytes;
  const std::ptrdiff_t row = orientation.flip_y ? -from.pitch : from.pitch;
  const std::uint8_t* start = from.data;
  if (orientation.flip_x) start += std::ptrdiff_t{from.size.width - 1} * from.element_bytes;
  if (orientation.flip_y) start += std::ptrdiff_t{from.size.height - 1} * from.pitch;
  return orientation.transposed ? Walk{start, row, column} : Walk{start, column, row};
}

template <int kBytes>
void copy_tile(const Walk& walk, Size first, Size last, std::uint8_t* to, std::size_t to_pitch) {
  for (std::int32_t y = first.height; y < last.height; ++y) {
    const std::uint8_t* source = walk.start + y * walk.step_y + first.width * walk.step_x;
    std::uint8_t* target = to + static_cast<std::size_t>(y) * to_pitch + static_cast<std::size_t>(first.width) * kBytes;
    for (std::int32_t x = first.width; x < last.width; ++x, source += walk.step_x, target += kBytes) {
      std::memcpy(target, source, kBytes);
    }
  }
}

// In tiles, because a transposed walk touches another cache line with every element.
template <int kBytes>
void copy_in_tiles(const Walk& walk, Size size, std::uint8_t* to, std::size_t to_pitch) {
  constexpr std::int32_t kTile = 64;
  for (std::int32_t y = 0; y < size.height; y += kTile) {
    for (std::int32_t x = 0; x < size.width; x += kTile) {
      copy_tile<kBytes>(walk, {x, y}, {std::min(x + kTile, size.width), std::min(y + kTile, size.height)}, to,
                        to_pitch);
    }
  }
}

void copy_rows(const StoredPlane& from, Orientation orientation, std::uint8_t* to, std::size_t to_pitch) {
  const Walk walk = walk_of(from, orientation);
  const std::size_t bytes = static_cast<std::size_t>(from.size.width) * static_cast<std::size_t>(from.element_bytes);
  for (std::int32_t y = 0; y < from.size.height; ++y) {
    std::memcpy(to + static_cast<std::size_t>(y) * to_pitch, walk.start + y * walk.step_y, bytes);
  }
}

}  // namespace

Orientation orientation_of_exif(long value) noexcept {
  static constexpr std::array<Orientation, 9> kTable = {{{},
                                                         {false, false, false},
                                                         {false, true, false},
                                                         {false, true, true},
                                                         {false, false, true},
                                                         {true, false, false},
                                                         {true, false, true},
                                                         {true, true, true},
                                                         {true, true, false}}};
  return value >= 1 && value <= 8 ? kTable[static_cast<std::size_t>(value)] : Orientation{};
}

// (p, q) of the stored picture is shown at (a p + c q, b p + d q), with the matrix a b u, c d v, x y w.
Orientation orientation_of_matrix(const std::int32_t* matrix) noexcept {
  const std::int64_t a = matrix[0];
  const std::int64_t b = matrix[1];
  const std::int64_t c = matrix[3];
  const std::int64_t d = matrix[4];
  if (std::abs(b) + std::abs(c) > std::abs(a) + std::abs(d)) return {true, b < 0, c < 0};
  return {false, a < 0, d < 0};
}

Orientation orientation_of_frame(const AVFrame& frame) noexcept {
  if (const AVDictionaryEntry* entry = ffmpeg().av_dict_get(frame.metadata, "Orientation", nullptr, 0)) {
    return orientation_of_exif(std::strtol(entry->value, nullptr, 10));
  }
  const AVFrameSideData* side = ffmpeg().av_frame_get_side_data(&frame, AV_FRAME_DATA_DISPLAYMATRIX);
  if (side == nullptr || side->size < 9 * sizeof(std::int32_t)) return {};
  std::array<std::int32_t, 9> matrix{};
  std::memcpy(matrix.data(), side->data, sizeof(matrix));
  return orientation_of_matrix(matrix.data());
}

Size upright_size(Size stored, Orientation orientation) noexcept {
  return orientation.transposed ? Size{stored.height, stored.width} : stored;
}

void copy_upright(const StoredPlane& from, Orientation orientation, std::uint8_t* to, std::size_t to_pitch) {
  if (!orientation.transposed && !orientation.flip_x) return copy_rows(from, orientation, to, to_pitch);
  const Walk walk = walk_of(from, orientation);
  const Size size = upright_size(from.size, orientation);
  switch (from.element_bytes) {
    case 1: return copy_in_tiles<1>(walk, size, to, to_pitch);
    case 2: return copy_in_tiles<2>(walk, size, to, to_pitch);
    case 3: return copy_in_tiles<3>(walk, size, to, to_pitch);
    case 4: return copy_in_tiles<4>(walk, size, to, to_pitch);
    default: fail(ErrorCode::kInternal, "no picture has elements of {} bytes", from.element_bytes);
  }
}

}  // namespace vrt::detail
