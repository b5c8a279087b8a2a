#include "vrt/media/frame_pixels.h"

#include <optional>

namespace vrt::detail {
namespace {

const AVPixFmtDescriptor& descriptor_of(const AVFrame& frame) {
  const AVPixFmtDescriptor* descriptor = ffmpeg().av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  if (descriptor == nullptr) fail(ErrorCode::kInternal, "a decoded frame has no pixel format");
  return *descriptor;
}

bool is_grey(const AVPixFmtDescriptor& descriptor) {
  return descriptor.nb_components <= 2 && (descriptor.flags & (AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM)) == 0;
}

bool is_rgb(const AVPixFmtDescriptor& descriptor) {
  return (descriptor.flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM)) != 0;
}

YuvRange range_of(const AVFrame& frame, bool grey) {
  if (without_j(static_cast<AVPixelFormat>(frame.format)) != frame.format) return YuvRange::kFull;
  if (frame.color_range == AVCOL_RANGE_JPEG) return YuvRange::kFull;
  return grey && frame.color_range != AVCOL_RANGE_MPEG ? YuvRange::kFull : YuvRange::kLimited;
}

// The matrix, if it is one that ImageView can name.
std::optional<YuvMatrix> matrix_of(const AVFrame& frame, YuvMatrix unspecified) {
  switch (frame.colorspace) {
    case AVCOL_SPC_BT709: return YuvMatrix::kBt709;
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_SMPTE170M:
    case AVCOL_SPC_FCC: return YuvMatrix::kBt601;
    case AVCOL_SPC_UNSPECIFIED:
    case AVCOL_SPC_RESERVED:
    case AVCOL_SPC_RGB: return unspecified;
    default: return std::nullopt;
  }
}

int other_matrix_of(const AVFrame& frame) {
  if (frame.colorspace == AVCOL_SPC_SMPTE240M) return SWS_CS_SMPTE240M;
  if (frame.colorspace == AVCOL_SPC_BT2020_NCL || frame.colorspace == AVCOL_SPC_BT2020_CL) return SWS_CS_BT2020;
  const char* name = ffmpeg().av_color_space_name(frame.colorspace);
  fail(ErrorCode::kUnsupported, "the colour matrix '{}' cannot be converted; re-encode with BT.709",
       name != nullptr ? name : "unknown");
}

std::optional<PixelFormat> straight_format(const AVFrame& frame) {
  switch (frame.format) {
    case AV_PIX_FMT_YUV420P:
    case AV_PIX_FMT_YUVJ420P:
    case AV_PIX_FMT_YUVA420P: return PixelFormat::kI420;
    case AV_PIX_FMT_NV12: return PixelFormat::kNv12;
    case AV_PIX_FMT_RGB24: return PixelFormat::kRgb8;
    case AV_PIX_FMT_BGR24: return PixelFormat::kBgr8;
    case AV_PIX_FMT_RGBA:
    case AV_PIX_FMT_RGB0: return PixelFormat::kRgba8;
    case AV_PIX_FMT_GRAY8: return PixelFormat::kGray8;
    default: return std::nullopt;
  }
}

Delivery to_rgb8(SwsColor source) {
  return {.format = PixelFormat::kRgb8, .color = {}, .converts = true, .source_color = source, .target_color = {}};
}

Delivery grey_delivery(const AVFrame& frame, ColorHints hints) {
  if (range_of(frame, true) == YuvRange::kLimited) {
    // swscale takes grey for full range; told the same of the target it leaves the samples alone.
    const SwsColor same{SWS_CS_ITU709, YuvRange::kFull};
    return {PixelFormat::kI420, {hints.unspecified, YuvRange::kLimited}, true, same, same};
  }
  if (frame.format == AV_PIX_FMT_GRAY8) return {PixelFormat::kGray8, {}, false, {}, {}};
  return to_rgb8({SWS_CS_ITU709, YuvRange::kFull});
}

Delivery yuv_delivery(const AVFrame& frame, ColorHints hints) {
  const YuvRange range = range_of(frame, false);
  const std::optional<YuvMatrix> matrix = matrix_of(frame, hints.unspecified);
  if (!matrix) return to_rgb8({other_matrix_of(frame), range});
  const ColorSpace color{*matrix, range};
  if (const auto format = straight_format(frame)) return {*format, color, false, {}, {}};
  if (hints.is_picture) return to_rgb8(sws_color(color));
  return {PixelFormat::kI420, color, true, sws_color(color), sws_color(color)};
}

AVPixelFormat ffmpeg_format(PixelFormat format) {
  return format == PixelFormat::kI420 ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_RGB24;
}

// Bytes of what moves as one when a plane is turned.
int element_bytes(PixelFormat format, int plane) {
  switch (format) {
    case PixelFormat::kRgb8:
    case PixelFormat::kBgr8: return 3;
    case PixelFormat::kRgba8: return 4;
    case PixelFormat::kNv12: return plane == 0 ? 1 : 2;
    default: return 1;
  }
}

}  // namespace

Delivery delivery_of(const AVFrame& frame, ColorHints hints) {
  const AVPixFmtDescriptor& descriptor = descriptor_of(frame);
  if (is_rgb(descriptor)) {
    if (const auto format = straight_format(frame)) return {*format, {}, false, {}, {}};
    return to_rgb8({});
  }
  return is_grey(descriptor) ? grey_delivery(frame, hints) : yuv_delivery(frame, hints);
}

void PixelWriter::write(const AVFrame& frame, const Delivery& delivery, Orientation orientation, std::uint8_t* to) {
  const AVFrame& pixels = delivery.converts ? converter_.convert(frame, delivery.source_color,
                                                                 ffmpeg_format(delivery.format), delivery.target_color)
                                            : frame;
  const Size stored{frame.width, frame.height};
  const Size upright = upright_size(stored, orientation);
  for (int plane = 0; plane < plane_count(delivery.format); ++plane) {
    const int bytes = element_bytes(delivery.format, plane);
    const auto width = static_cast<std::int32_t>(row_bytes(delivery.format, stored.width, plane)) / bytes;
    const Size size{width, row_count(delivery.format, stored.height, plane)};
    const std::size_t pitch = row_bytes(delivery.format, upright.width, plane);
    copy_upright({pixels.data[plane], pixels.linesize[plane], size, bytes}, orientation, to, pitch);
    to += pitch * static_cast<std::size_t>(row_count(delivery.format, upright.height, plane));
  }
}

}  // namespace vrt::detail
