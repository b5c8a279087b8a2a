#include "vrt/media/picture_frame.h"

#include "vrt/device/format_device.h"

#include <cstring>

namespace vrt::detail {
namespace {

// FFmpeg's name for a format; the fourth byte of RGBA is ignored.
AVPixelFormat ffmpeg_format(PixelFormat format) {
  switch (format) {
    case PixelFormat::kRgb8: return AV_PIX_FMT_RGB24;
    case PixelFormat::kBgr8: return AV_PIX_FMT_BGR24;
    case PixelFormat::kRgba8: return AV_PIX_FMT_RGB0;
    case PixelFormat::kGray8: return AV_PIX_FMT_GRAY8;
    case PixelFormat::kNv12: return AV_PIX_FMT_NV12;
    case PixelFormat::kI420: return AV_PIX_FMT_YUV420P;
    case PixelFormat::kYuyv: return AV_PIX_FMT_YUYV422;
  }
  fail(ErrorCode::kInvalidArgument, "there is no pixel format {}", static_cast<int>(format));
}

SwsColor color_of(const ImageView& picture) {
  switch (picture.format) {
    case PixelFormat::kNv12:
    case PixelFormat::kI420:
    case PixelFormat::kYuyv: return sws_color(picture.color);
    case PixelFormat::kGray8: return {SWS_CS_ITU709, YuvRange::kFull};
    default: return {};
  }
}

bool is_rgb(PixelFormat format) {
  return format == PixelFormat::kRgb8 || format == PixelFormat::kBgr8 || format == PixelFormat::kRgba8;
}

std::int32_t even(std::int32_t side) { return side + side % 2; }

// Bytes of what is repeated behind the last one of a row.
std::size_t element_bytes(PixelFormat format) {
  if (format == PixelFormat::kRgba8) return 4;
  return is_rgb(format) ? 3 : 1;
}

void pad_row(std::uint8_t* row, std::size_t used, std::size_t bytes, std::size_t element) {
  for (std::size_t i = used; i < bytes; ++i) row[i] = row[i - element];
}

// Copies one plane, then repeats its last column and row up to the target's. YUYV's pairs are made whole by pad_yuyv.
void copy_padded(const ImageView& picture, int plane, Size target, std::uint8_t* to, std::size_t pitch) {
  const ImagePlane& from = picture.planes[static_cast<std::size_t>(plane)];
  const std::size_t used = row_bytes(picture.format, picture.size.width, plane);
  const std::size_t bytes = row_bytes(picture.format, target.width, plane);
  const std::int32_t used_rows = row_count(picture.format, picture.size.height, plane);
  const std::int32_t rows = row_count(picture.format, target.height, plane);
  for (std::int32_t y = 0; y < rows; ++y) {
    const auto source_row = static_cast<std::size_t>(std::min(y, used_rows - 1));
    std::uint8_t* row = to + static_cast<std::size_t>(y) * pitch;
    std::memcpy(row, from.data + source_row * from.pitch_bytes, used);
    pad_row(row, used, bytes, element_bytes(picture.format));
    // An odd row of Y0 Cb Y1 Cr ends with a Y1 that stands for no pixel.
    if (picture.format == PixelFormat::kYuyv && picture.size.width % 2 == 1) row[used - 2] = row[used - 4];
  }
}

}  // namespace

void require_host_picture(const ImageView& picture) {
  picture.validate();
  require(picture.device.is_cpu(), "a picture in host memory is needed, this one is on {}", picture.device);
}

const AVFrame& FrameMaker::padded(const ImageView& picture) {
  const Size size{even(picture.size.width), even(picture.size.height)};
  const AVPixelFormat format = ffmpeg_format(picture.format);
  if (!padded_ || padded_->format != format || Size{padded_->width, padded_->height} != size) {
    padded_ = make_picture_frame(format, size);
  }
  for (int plane = 0; plane < plane_count(picture.format); ++plane) {
    copy_padded(picture, plane, size, padded_->data[plane], static_cast<std::size_t>(padded_->linesize[plane]));
  }
  return *padded_;
}

const AVFrame& FrameMaker::make(const ImageView& picture, Sides sides, AVPixelFormat format, SwsColor color) {
  const bool pads = sides == Sides::kEven && (picture.size.width % 2 != 0 || picture.size.height % 2 != 0);
  if (!view_) view_ = make_frame();
  view_->format = ffmpeg_format(picture.format);
  view_->width = picture.size.width;
  view_->height = picture.size.height;
  for (std::size_t plane = 0; plane < picture.planes.size(); ++plane) {
    view_->data[plane] = const_cast<std::uint8_t*>(picture.planes[plane].data);  // Only read from.
    view_->linesize[plane] = static_cast<int>(picture.planes[plane].pitch_bytes);
  }
  const AVFrame& source = pads ? padded(picture) : *view_;
  return converter_.convert(source, color_of(picture), format, color);
}

}  // namespace vrt::detail
