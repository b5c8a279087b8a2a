#include "vrt/media/test_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

extern "C" {
#include <libavutil/display.h>
}

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <random>
#include <string_view>

#include "vrt/media/swscale.h"

namespace vrt::test {

using namespace detail;

bool near(Rgb a, Rgb b, int tolerance) {
  return std::abs(a.r - b.r) <= tolerance && std::abs(a.g - b.g) <= tolerance && std::abs(a.b - b.b) <= tolerance;
}

Rgb Picture::at(std::int32_t x, std::int32_t y) const {
  const std::uint8_t* pixel = pixels.data() + 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                                                   static_cast<std::size_t>(x));
  return {pixel[0], pixel[1], pixel[2]};
}

namespace {

template <typename ColorAt>
Picture paint(Size size, const ColorAt& color_at) {
  Picture picture{size, {}};
  picture.pixels.reserve(3 * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
  for (std::int32_t y = 0; y < size.height; ++y) {
    for (std::int32_t x = 0; x < size.width; ++x) {
      const Rgb color = color_at(x, y);
      for (const int value : {color.r, color.g, color.b}) picture.pixels.push_back(static_cast<std::uint8_t>(value));
    }
  }
  return picture;
}

int rounded(double value) { return static_cast<int>(std::lround(std::clamp(value, 0.0, 255.0))); }

Rgb yuv_to_rgb(double y, double cb, double cr, ColorSpace color) {
  const double red = color.matrix == YuvMatrix::kBt601 ? 0.299 : 0.2126;
  const double blue = color.matrix == YuvMatrix::kBt601 ? 0.114 : 0.0722;
  const bool full = color.range == YuvRange::kFull;
  const double luma = full ? y : (y - 16) * 255 / 219;
  const double scale = full ? 1 : 255.0 / 224;
  const double r = luma + 2 * (1 - red) * (cr - 128) * scale;
  const double b = luma + 2 * (1 - blue) * (cb - 128) * scale;
  return {rounded(r), rounded((luma - red * r - blue * b) / (1 - red - blue)), rounded(b)};
}

int byte_at(const ImageView& image, std::size_t plane, std::int32_t x, std::int32_t y) {
  const ImagePlane& from = image.planes[plane];
  return from.data[static_cast<std::size_t>(y) * from.pitch_bytes + static_cast<std::size_t>(x)];
}

Rgb pixel_of(const ImageView& image, std::int32_t x, std::int32_t y) {
  const auto byte = [&](std::size_t plane, std::int32_t column, std::int32_t row) {
    return byte_at(image, plane, column, row);
  };
  switch (image.format) {
    case PixelFormat::kRgb8: return {byte(0, 3 * x, y), byte(0, 3 * x + 1, y), byte(0, 3 * x + 2, y)};
    case PixelFormat::kBgr8: return {byte(0, 3 * x + 2, y), byte(0, 3 * x + 1, y), byte(0, 3 * x, y)};
    case PixelFormat::kRgba8: return {byte(0, 4 * x, y), byte(0, 4 * x + 1, y), byte(0, 4 * x + 2, y)};
    case PixelFormat::kGray8: return {byte(0, x, y), byte(0, x, y), byte(0, x, y)};
    case PixelFormat::kNv12: {
      const int column = x / 2 * 2;
      return yuv_to_rgb(byte(0, x, y), byte(1, column, y / 2), byte(1, column + 1, y / 2), image.color);
    }
    case PixelFormat::kI420:
      return yuv_to_rgb(byte(0, x, y), byte(1, x / 2, y / 2), byte(2, x / 2, y / 2), image.color);
    case PixelFormat::kYuyv: {
      const int pair = x / 2 * 4;
      return yuv_to_rgb(byte(0, 2 * x, y), byte(0, pair + 1, y), byte(0, pair + 3, y), image.color);
    }
  }
  return {};
}

void check(int status, const char* what) {
  if (status < 0) throw std::runtime_error(fmt::format("{}: {}", what, error_text(status)));
}

FramePtr make_encoder_frame(const Picture& picture, AVPixelFormat format, SwsColor color) {
  FramePtr source = make_picture_frame(AV_PIX_FMT_RGB24, picture.size);
  const std::size_t row = static_cast<std::size_t>(picture.size.width) * 3;
  for (std::int32_t y = 0; y < picture.size.height; ++y) {
    std::uint8_t* to = source->data[0] + std::ptrdiff_t{y} * source->linesize[0];
    std::memcpy(to, picture.pixels.data() + static_cast<std::size_t>(y) * row, row);
    // swscale reads pixels in pairs.
    if (row + 3 <= static_cast<std::size_t>(source->linesize[0])) std::memcpy(to + row, to + row - 3, 3);
  }
  if (format == AV_PIX_FMT_RGB24) return source;
  ScalerPtr scaler(sws_getContext(picture.size.width, picture.size.height, AV_PIX_FMT_RGB24, picture.size.width,
                                  picture.size.height, format, SWS_POINT | SWS_ACCURATE_RND, nullptr, nullptr,
                                  nullptr));
  const int* matrix = sws_getCoefficients(color.matrix);
  sws_setColorspaceDetails(scaler.get(), matrix, 0, matrix, color.range == YuvRange::kFull, 0, 1 << 16, 1 << 16);
  FramePtr frame = make_picture_frame(format, picture.size);
  check(sws_scale(scaler.get(), source->data, source->linesize, 0, picture.size.height, frame->data, frame->linesize),
        "sws_scale");
  return frame;
}

constexpr AVRational kMilliseconds = {1, 1000};

CodecPtr make_encoder(const char* name, AVPixelFormat format, Size size) {
  const AVCodec* encoder = avcodec_find_encoder_by_name(name);
  if (encoder == nullptr) throw std::runtime_error(fmt::format("FFmpeg has no encoder {}", name));
  CodecPtr codec = make_codec(encoder);
  codec->width = size.width;
  codec->height = size.height;
  codec->pix_fmt = format;
  codec->time_base = std::string_view(name) == "mpeg2video" ? AVRational{1, 25} : kMilliseconds;
  codec->framerate = {25, 1};
  codec->flags |= AV_CODEC_FLAG_QSCALE;
  const bool is_webp = std::string_view(name) == "libwebp";
  codec->global_quality = (is_webp ? 95 : 2) * FF_QP2LAMBDA;  // WebP counts up to 100, the others down to 1.
  codec->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;
  codec->thread_count = 1;
  return codec;
}

SwsColor picture_color(AVPixelFormat format) {
  const bool grey = (av_pix_fmt_desc_get(format)->nb_components <= 2);
  const bool full = grey || without_j(format) != format;
  return {SWS_CS_ITU601, full ? YuvRange::kFull : YuvRange::kLimited};
}

}  // namespace

Picture flat(Size size, Rgb color) {
  return paint(size, [&](std::int32_t, std::int32_t) { return color; });
}

Picture quarters(Size size) {
  return paint(size, [&](std::int32_t x, std::int32_t y) {
    const bool left = x < size.width / 2;
    if (y < size.height / 2) return left ? kTopLeft : kTopRight;
    return left ? kBottomLeft : kBottomRight;
  });
}

Picture noise(Size size, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  const auto byte = [&] { return static_cast<int>(random() & 255); };
  return paint(size, [&](std::int32_t, std::int32_t) { return Rgb{byte(), byte(), byte()}; });
}

FileSizeLimit::FileSizeLimit(std::uint64_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  before_ = limit.rlim_cur;
  limit.rlim_cur = bytes;
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
}

FileSizeLimit::~FileSizeLimit() {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = before_;
  setrlimit(RLIMIT_FSIZE, &limit);
}

Picture to_rgb(const ImageView& image) {
  return paint(image.size, [&](std::int32_t x, std::int32_t y) { return pixel_of(image, x, y); });
}

void write_bytes(const std::filesystem::path& file, const std::vector<std::uint8_t>& bytes) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<std::uint8_t> read_bytes(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::uint8_t> encode_picture(const Picture& picture, const char* encoder, AVPixelFormat format) {
  return encode_frame(*make_encoder_frame(picture, format, picture_color(format)), encoder);
}

std::vector<std::uint8_t> encode_frame(AVFrame& frame, const char* encoder) {
  const CodecPtr codec = make_encoder(encoder, static_cast<AVPixelFormat>(frame.format), {frame.width, frame.height});
  check(avcodec_open2(codec.get(), nullptr, nullptr), "avcodec_open2");
  frame.quality = codec->global_quality;
  const PacketPtr packet = make_packet();
  check(avcodec_send_frame(codec.get(), &frame), "avcodec_send_frame");
  check(avcodec_send_frame(codec.get(), nullptr), "avcodec_send_frame");
  check(avcodec_receive_packet(codec.get(), packet.get()), "avcodec_receive_packet");
  return {packet->data, packet->data + packet->size};
}

std::vector<std::uint8_t> with_exif(std::vector<std::uint8_t> jpeg, int orientation) {
  // APP1, its length, "Exif", a big-endian TIFF header, one directory with one entry: tag 0x0112, SHORT, count 1.
  const std::vector<std::uint8_t> segment = {
      0xFF, 0xE1, 0, 34, 'E', 'x',  'i',  'f', 0, 0, 'M', 'M', 0, 42, 0,
      0,    0,    8, 0,  1,   0x01, 0x12, 0,   3, 0, 0,   0,   1, 0,  static_cast<std::uint8_t>(orientation),
      0,    0,    0, 0,  0,   0};
  jpeg.insert(jpeg.begin() + 2, segment.begin(), segment.end());
  return jpeg;
}

std::vector<Picture> grey_frames(Size size, int count) {
  std::vector<Picture> frames;
  for (int i = 0; i < count; ++i) frames.push_back(flat(size, {grey_of(i), grey_of(i), grey_of(i)}));
  return frames;
}

int grey_of(int frame) { return 40 + 8 * frame; }

namespace {

void set_rotation(AVStream& stream, int degrees) {
#if LIBAVFORMAT_VERSION_MAJOR >= 61
  AVPacketSideData* side = av_packet_side_data_new(
      &stream.codecpar->coded_side_data, &stream.codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX, 36, 0);
  auto* matrix = reinterpret_cast<std::int32_t*>(side->data);
#else
  auto* matrix = reinterpret_cast<std::int32_t*>(av_stream_new_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, 36));
#endif
  av_display_rotation_set(matrix, degrees);
}

struct Muxer {
  AVFormatContext* output = nullptr;
  CodecPtr codec;

  void encode(const AVFrame* frame) {
    check(avcodec_send_frame(codec.get(), frame), "avcodec_send_frame");
    const PacketPtr packet = make_packet();
    while (avcodec_receive_packet(codec.get(), packet.get()) >= 0) {
      if (packet->duration == 0) packet->duration = av_rescale_q(40, kMilliseconds, codec->time_base);
      av_packet_rescale_ts(packet.get(), codec->time_base, output->streams[0]->time_base);
      check(av_interleaved_write_frame(output, packet.get()), "av_interleaved_write_frame");
    }
  }
};

SwsColor color_of(const VideoSpec& spec) {
  return {spec.matrix == AVCOL_SPC_BT709 ? SWS_CS_ITU709 : SWS_CS_ITU601,
          spec.range == AVCOL_RANGE_JPEG ? YuvRange::kFull : YuvRange::kLimited};
}

CodecPtr open_video_encoder(const VideoSpec& spec, Size size, const AVOutputFormat& format) {
  CodecPtr codec = make_encoder(spec.encoder, spec.format, size);
  codec->max_b_frames = spec.b_frames;
  codec->colorspace = spec.matrix;
  codec->color_range = spec.range;
  if ((format.flags & AVFMT_GLOBALHEADER) != 0) codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  check(avcodec_open2(codec.get(), nullptr, nullptr), "avcodec_open2");
  return codec;
}

}  // namespace

void write_video(const std::filesystem::path& file, const std::vector<Picture>& frames, const VideoSpec& spec) {
  Muxer muxer;
  check(avformat_alloc_output_context2(&muxer.output, nullptr, nullptr, file.c_str()), "output");
  muxer.codec = open_video_encoder(spec, frames.front().size, *muxer.output->oformat);
  AVStream* stream = avformat_new_stream(muxer.output, nullptr);
  check(avcodec_parameters_from_context(stream->codecpar, muxer.codec.get()), "parameters");
  stream->time_base = muxer.codec->time_base;
  stream->avg_frame_rate = muxer.codec->framerate;
  if (spec.rotation != 0) set_rotation(*stream, spec.rotation);
  check(avio_open(&muxer.output->pb, file.c_str(), AVIO_FLAG_WRITE), "avio_open");
  AVDictionary* options = nullptr;
  check(av_dict_parse_string(&options, spec.options, "=", ":", 0), "options");
  check(avformat_write_header(muxer.output, &options), "avformat_write_header");
  av_dict_free(&options);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const FramePtr frame = make_encoder_frame(frames[i], spec.format, color_of(spec));
    const int stamp = spec.stamps.empty() ? static_cast<int>(i) * 40 : spec.stamps[i];
    frame->pts = av_rescale_q(stamp, kMilliseconds, muxer.codec->time_base);
    muxer.encode(frame.get());
  }
  muxer.encode(nullptr);
  check(av_write_trailer(muxer.output), "av_write_trailer");
  avio_closep(&muxer.output->pb);
  avformat_free_context(muxer.output);
}

std::vector<Delivered> read_all(const std::string& location) {
  const Stream stream(Device::cpu());
  Source source(location, stream.device());
  std::vector<Delivered> frames;
  while (const std::optional<Frame> frame = source.next(stream)) {
    frames.push_back({to_rgb(frame->host_image()), frame->image(), frame->time(), frame->source()});
  }
  return frames;
}

Delivered read_one(const std::string& location) {
  std::vector<Delivered> frames = read_all(location);
  if (frames.size() != 1) throw std::runtime_error(fmt::format("{} frames in {}", frames.size(), location));
  return frames.front();
}

Failure failure_of(const std::string& location) {
  Failure failure;
  try {
    const Stream stream(Device::cpu());
    Source source(location, stream.device());
    while (source.next(stream)) ++failure.frames_before;
    ADD_FAILURE() << location << " was read without an error";
  } catch (const Error& error) {
    failure.code = error.code();
    failure.text = error.what();
  }
  return failure;
}

}  // namespace vrt::test
