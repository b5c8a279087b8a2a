#include <string>

#include "vrt/base/atomic_file.h"
#include "vrt/media/picture_frame.h"
#include "vrt/media/picture_kind.h"
#include "vrt/media/sink.h"

namespace vrt {
namespace {

using namespace detail;

// How a kind of picture file is coded. JPEG keeps a colour for each pixel (4:4:4), so that thin coloured lines survive.
struct Coding {
  AVCodecID codec = AV_CODEC_ID_NONE;
  AVPixelFormat format = AV_PIX_FMT_NONE;
  SwsColor color;
};

Coding coding_for(const std::filesystem::path& file, PixelFormat format) {
  const std::string extension = lower_extension(file);
  if (extension == ".jpg" || extension == ".jpeg") {
    return {AV_CODEC_ID_MJPEG, AV_PIX_FMT_YUVJ444P, {SWS_CS_ITU601, YuvRange::kFull}};
  }
  require(extension == ".png", "'{}' cannot be written: pictures are written as .png, .jpg or .jpeg", file.string());
  if (format == PixelFormat::kGray8) return {AV_CODEC_ID_PNG, AV_PIX_FMT_GRAY8, {SWS_CS_ITU709, YuvRange::kFull}};
  return {AV_CODEC_ID_PNG, AV_PIX_FMT_RGB24, {}};
}

CodecPtr open_encoder(const Coding& coding, Size size, const std::string& name) {
  const AVCodec* encoder = ffmpeg().avcodec_find_encoder(coding.codec);
  if (encoder == nullptr) {
    fail(ErrorCode::kUnavailable, "'{}': this FFmpeg has no {} encoder", name, ffmpeg().avcodec_get_name(coding.codec));
  }
  CodecPtr codec = make_codec(encoder);
  codec->width = size.width;
  codec->height = size.height;
  codec->pix_fmt = coding.format;
  codec->time_base = {1, 1};
  codec->thread_count = 1;
  // JPEG: the quantiser 2 of 1 to 31, close to Pillow's quality 95.
  codec->flags |= AV_CODEC_FLAG_QSCALE;
  codec->global_quality = 2 * FF_QP2LAMBDA;
  codec->color_range = coding.color.range == YuvRange::kFull ? AVCOL_RANGE_JPEG : AVCOL_RANGE_UNSPECIFIED;
  if (const int status = ffmpeg().avcodec_open2(codec.get(), encoder, nullptr); status < 0) {
    fail_ffmpeg(ErrorCode::kUnsupported, status, "'{}': the {} encoder takes no picture of {}×{}", name, encoder->name,
                size.width, size.height);
  }
  return codec;
}

PacketPtr encode(AVCodecContext& codec, AVFrame& frame, const std::string& name) {
  frame.quality = codec.global_quality;
  PacketPtr packet = make_packet();
  int status = ffmpeg().avcodec_send_frame(&codec, &frame);
  if (status >= 0) status = ffmpeg().avcodec_send_frame(&codec, nullptr);
  if (status >= 0) status = ffmpeg().avcodec_receive_packet(&codec, packet.get());
  if (status < 0) fail_ffmpeg(ErrorCode::kInternal, status, "'{}' could not be encoded", name);
  return packet;
}

}  // namespace

void write_picture(const std::filesystem::path& file, const ImageView& picture) {
  begin_ffmpeg_work();
  require_host_picture(picture);
  const std::string name = file.string();
  const Coding coding = coding_for(file, picture.format);
  FrameMaker maker;
  const AVFrame& pixels = maker.make(picture, FrameMaker::Sides::kAny, coding.format, coding.color);
  const CodecPtr codec = open_encoder(coding, picture.size, name);
  FramePtr frame(ffmpeg().av_frame_clone(&pixels));
  if (!frame) fail(ErrorCode::kOutOfMemory, "no memory to encode '{}'", name);
  const PacketPtr packet = encode(*codec, *frame, name);
  AtomicFile output(file);
  output.write(std::as_bytes(std::span(packet->data, static_cast<std::size_t>(packet->size))));
  output.commit();
}

}  // namespace vrt
