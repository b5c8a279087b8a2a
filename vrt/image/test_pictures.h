// For tests: pictures of every format, and one call to preprocess them.
#pragma once

#include <cstdint>
#include <vector>

#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/image/image.h"
#include "vrt/image/preprocessor.h"

namespace vrt::testing {

/// A picture in host memory. The view refers to `planes`, each allocated to its last byte, so that sanitizers see reads past
/// it.
struct TestPicture {
  std::vector<std::vector<std::uint8_t>> planes;
  ImageView view;
};

inline const std::vector<PixelFormat>& all_formats() {
  static const std::vector<PixelFormat> formats{PixelFormat::kRgb8,  PixelFormat::kBgr8, PixelFormat::kRgba8,
                                                PixelFormat::kGray8, PixelFormat::kNv12, PixelFormat::kI420,
                                                PixelFormat::kYuyv};
  return formats;
}

/// A picture of zeros whose rows are `padding` bytes longer than their pixels.
inline TestPicture empty_picture(Size size, PixelFormat format, ColorSpace color = {}, std::size_t padding = 0) {
  TestPicture picture;
  picture.view = {.size = size, .format = format, .color = color, .device = Device::cpu(), .planes = {}};
  for (int plane = 0; plane < plane_count(format); ++plane) {
    const std::size_t bytes = row_bytes(format, size.width, plane);
    const auto rows = static_cast<std::size_t>(row_count(format, size.height, plane));
    picture.planes.emplace_back((rows - 1) * (bytes + padding) + bytes);
    picture.view.planes[static_cast<std::size_t>(plane)] = {picture.planes.back().data(), bytes + padding};
  }
  return picture;
}

/// Noise, the same for the same seed on every machine. As YUV much of it is outside the gamut, so that decoders clamp.
inline TestPicture random_picture(Size size, PixelFormat format, std::uint32_t seed, ColorSpace color = {},
                                  std::size_t padding = 0) {
  TestPicture picture = empty_picture(size, format, color, padding);
  for (std::vector<std::uint8_t>& plane : picture.planes) {
    for (std::uint8_t& value : plane) {
      seed = seed * 1664525U + 1013904223U;
      value = static_cast<std::uint8_t>(seed >> 24);
    }
  }
  return picture;
}

/// BLOCKS: the tensor that a Preprocessor makes of a picture.
inline std::vector<float> preprocess(const ImageView& image, const PreprocessOptions& options) {
  const Stream stream(Device::cpu());
  Preprocessor preprocessor(stream, options);
  auto output =
      DeviceBuffer<float>::uninitialized(stream, std::size_t{3} * static_cast<std::size_t>(options.target.width) *
                                                     static_cast<std::size_t>(options.target.height));
  preprocessor.submit(image, output.span());
  return read_back_blocking(stream, output.span());
}

/// BLOCKS: the tensors that a Preprocessor makes of crops, all of them valid.
inline std::vector<float> preprocess_crops(const ImageView& image, const PreprocessOptions& options,
                                           const std::vector<CropBox>& boxes) {
  const Stream stream(Device::cpu());
  Preprocessor preprocessor(stream, options);
  auto device_boxes = DeviceBuffer<CropBox>::uninitialized(stream, boxes.size());
  auto count = DeviceBuffer<std::int32_t>::uninitialized(stream, 1);
  upload_blocking<CropBox>(stream, boxes, device_boxes.span());
  upload_blocking<std::int32_t>(stream, std::vector{static_cast<std::int32_t>(boxes.size())}, count.span());
  auto output =
      DeviceBuffer<float>::uninitialized(stream, boxes.size() * 3 * static_cast<std::size_t>(options.target.width) *
                                                     static_cast<std::size_t>(options.target.height));
  preprocessor.submit_crops(image, device_boxes.span(), count.span(), output.span());
  return read_back_blocking(stream, output.span());
}

}  // namespace vrt::testing
