#include "vrt/image/image.h"

#include "vrt/base/fail.h"

namespace vrt {
namespace {

// What one plane of a format holds: samples a pixel in each direction (as a divisor) and bytes of one sample group.
struct PlaneLayout {
  std::int32_t columns_per_group = 1;
  std::int32_t rows_per_group = 1;
  std::int32_t bytes_per_group = 1;
};

struct FormatLayout {
  std::string_view name;
  int planes = 1;
  std::array<PlaneLayout, 3> plane;
};

const FormatLayout& layout_of(PixelFormat format) {
  static constexpr std::array<FormatLayout, 7> kLayouts{{
      {"rgb8", 1, {{{1, 1, 3}, {}, {}}}},
      {"bgr8", 1, {{{1, 1, 3}, {}, {}}}},
      {"rgba8", 1, {{{1, 1, 4}, {}, {}}}},
      {"gray8", 1, {{{1, 1, 1}, {}, {}}}},
      {"nv12", 2, {{{1, 1, 1}, {2, 2, 2}, {}}}},
      {"i420", 3, {{{1, 1, 1}, {2, 2, 1}, {2, 2, 1}}}},
      {"yuyv", 1, {{{2, 1, 4}, {}, {}}}},
  }};
  const auto index = static_cast<std::size_t>(format);
  require(index < kLayouts.size(), "pixel format {} is none of those that vrt knows (0 to {})", index,
          kLayouts.size() - 1);
  return kLayouts[index];
}

const PlaneLayout& plane_of(PixelFormat format, int plane) {
  const FormatLayout& layout = layout_of(format);
  require(plane >= 0 && plane < layout.planes, "plane {} of a {} picture: it has {}", plane, layout.name,
          layout.planes);
  return layout.plane[static_cast<std::size_t>(plane)];
}

std::int32_t groups(std::int32_t pixels, std::int32_t pixels_per_group) {
  return pixels / pixels_per_group + (pixels % pixels_per_group != 0 ? 1 : 0);
}

void validate_plane(const ImageView& image, int index) {
  const ImagePlane& plane = image.planes[static_cast<std::size_t>(index)];
  require(plane.data != nullptr, "plane {} of a {}x{} {} picture has no data", index, image.size.width,
          image.size.height, to_string(image.format));
  const std::size_t least = row_bytes(image.format, image.size.width, index);
  require(plane.pitch_bytes >= least, "plane {} of a {}x{} {} picture: a pitch of {} bytes is below a row's {}", index,
          image.size.width, image.size.height, to_string(image.format), plane.pitch_bytes, least);
  // Kernels compute row * pitch in 64 bits, of factors of 32.
  constexpr std::size_t kLargestPitch = (std::size_t{1} << 31) - 1;
  require(plane.pitch_bytes <= kLargestPitch, "plane {} of a {} picture: a pitch of {} bytes is above {}", index,
          to_string(image.format), plane.pitch_bytes, kLargestPitch);
}

}  // namespace

std::string_view to_string(PixelFormat format) { return layout_of(format).name; }

int plane_count(PixelFormat format) { return layout_of(format).planes; }

std::size_t row_bytes(PixelFormat format, std::int32_t width, int plane) {
  const PlaneLayout& layout = plane_of(format, plane);
  require(width >= 0, "a row of {} pixels", width);
  return static_cast<std::size_t>(groups(width, layout.columns_per_group)) *
         static_cast<std::size_t>(layout.bytes_per_group);
}

std::int32_t row_count(PixelFormat format, std::int32_t height, int plane) {
  require(height >= 0, "a picture of {} rows", height);
  return groups(height, plane_of(format, plane).rows_per_group);
}

ImageBatch ImageBatch::packed(Device device, const std::uint8_t* data, std::int32_t count, Size size,
                              PixelFormat format, ColorSpace color) {
  const std::size_t bytes = packed_bytes(size, format);
  return {ImageView::packed(device, data, size, format, color), count, {bytes, bytes, bytes}};
}

void ImageBatch::validate() const {
  // Kernels compute picture * stride in 64 bits; an address space is smaller than that.
  constexpr std::size_t kLargestStride = std::size_t{1} << 46;
  first.validate();
  require(count >= 1, "a batch of {} pictures: at least 1 expected", count);
  for (int plane = 0; plane < plane_count(first.format); ++plane) {
    if (count == 1) continue;
    const std::size_t stride = stride_bytes[static_cast<std::size_t>(plane)];
    require(stride > 0 && stride <= kLargestStride,
            "plane {} of a batch of {} pictures: a stride of {} bytes from picture to picture, expected 1 to {}", plane,
            count, stride, kLargestStride);
  }
}

std::size_t packed_bytes(Size size, PixelFormat format) {
  std::size_t bytes = 0;
  for (int plane = 0; plane < plane_count(format); ++plane) {
    bytes += row_bytes(format, size.width, plane) * static_cast<std::size_t>(row_count(format, size.height, plane));
  }
  return bytes;
}

ImageView ImageView::packed(Device device, const std::uint8_t* data, Size size, PixelFormat format, ColorSpace color) {
  ImageView view{.size = size, .format = format, .color = color, .device = device, .planes = {}};
  for (int plane = 0; plane < plane_count(format); ++plane) {
    const std::size_t pitch = row_bytes(format, size.width, plane);
    view.planes[static_cast<std::size_t>(plane)] = {data, pitch};
    if (data != nullptr) data += pitch * static_cast<std::size_t>(row_count(format, size.height, plane));
  }
  return view;
}

void ImageView::validate() const {
  require(size.width > 0 && size.height > 0, "a {} picture of {}x{} pixels is empty", to_string(format), size.width,
          size.height);
  for (int plane = 0; plane < plane_count(format); ++plane) validate_plane(*this, plane);
}

}  // namespace vrt
