#include "vrt/media/swscale.h"

namespace vrt::detail {
namespace {

// An encoder may still hold the frame of the last call.
bool can_take(AVFrame* frame, AVPixelFormat format, Size size) {
  return frame != nullptr && frame->format == format && frame->width == size.width && frame->height == size.height &&
         ffmpeg().av_frame_is_writable(frame) != 0;
}

}  // namespace

SwsColor sws_color(ColorSpace color) noexcept {
  return {color.matrix == YuvMatrix::kBt601 ? SWS_CS_ITU601 : SWS_CS_ITU709, color.range};
}

AVPixelFormat without_j(AVPixelFormat format) noexcept {
  switch (format) {
    case AV_PIX_FMT_YUVJ420P: return AV_PIX_FMT_YUV420P;
    case AV_PIX_FMT_YUVJ422P: return AV_PIX_FMT_YUV422P;
    case AV_PIX_FMT_YUVJ444P: return AV_PIX_FMT_YUV444P;
    case AV_PIX_FMT_YUVJ440P: return AV_PIX_FMT_YUV440P;
    case AV_PIX_FMT_YUVJ411P: return AV_PIX_FMT_YUV411P;
    default: return format;
  }
}

const AVFrame& SwsConverter::convert(const AVFrame& from, SwsColor from_color, AVPixelFormat format, SwsColor color) {
  const AVPixelFormat source = without_j(static_cast<AVPixelFormat>(from.format));
  if (ffmpeg().sws_isSupportedInput(source) == 0) {
    fail(ErrorCode::kUnsupported, "FFmpeg cannot convert pixels of the format '{}'",
         ffmpeg().av_get_pix_fmt_name(source));
  }
  // Exact rounding, and chroma at every pixel instead of at every second one.
  constexpr int kFlags = SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP;
  const Size size{from.width, from.height};
  scaler_.reset(ffmpeg().sws_getCachedContext(scaler_.release(), size.width, size.height, source, size.width,
                                              size.height, format, kFlags, nullptr, nullptr, nullptr));
  if (!scaler_) fail(ErrorCode::kUnsupported, "FFmpeg cannot convert a picture of {}×{}", size.width, size.height);
  ffmpeg().sws_setColorspaceDetails(scaler_.get(), ffmpeg().sws_getCoefficients(from_color.matrix),
                                    from_color.range == YuvRange::kFull, ffmpeg().sws_getCoefficients(color.matrix),
                                    color.range == YuvRange::kFull, 0, 1 << 16, 1 << 16);
  if (!can_take(result_.get(), format, size)) result_ = make_picture_frame(format, size);
  const int rows =
      ffmpeg().sws_scale(scaler_.get(), from.data, from.linesize, 0, size.height, result_->data, result_->linesize);
  if (rows != size.height) fail_ffmpeg(ErrorCode::kInternal, rows, "conversion of {}×{}", size.width, size.height);
  return *result_;
}

}  // namespace vrt::detail
