#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "vrt/base/atomic_file.h"
#include "vrt/media/picture_frame.h"
#include "vrt/media/picture_kind.h"
#include "vrt/media/sink.h"

namespace vrt {
namespace detail {
namespace {

constexpr AVRational kTimeBase = {1, 90000};

struct OutputCloser {
  void operator()(AVFormatContext* output) const noexcept {
    ffmpeg().avio_closep(&output->pb);
    ffmpeg().avformat_free_context(output);
  }
};
using OutputPtr = std::unique_ptr<AVFormatContext, OutputCloser>;

const char* muxer_for(const std::filesystem::path& file) {
  const std::string extension = lower_extension(file);
  if (extension == ".mp4") return "mp4";
  if (extension == ".mov") return "mov";
  if (extension == ".mkv") return "matroska";
  fail(ErrorCode::kInvalidArgument, "'{}' cannot be written: videos are written as .mp4, .mov or .mkv", file.string());
}

// Encoders in order of preference; the first that starts is taken, because hardware ones exist without their hardware.
constexpr std::array kEncoders = {"libx264", "h264_nvenc", "h264_v4l2m2m", "libopenh264"};

void describe_stream(AVCodecContext& codec, Size size, double frame_rate, bool global_header) {
  codec.width = size.width + size.width % 2;
  codec.height = size.height + size.height % 2;
  codec.pix_fmt = AV_PIX_FMT_YUV420P;
  codec.time_base = kTimeBase;
  codec.framerate = ffmpeg().av_d2q(frame_rate, 100000);
  codec.colorspace = AVCOL_SPC_BT709;
  codec.color_primaries = AVCOL_PRI_BT709;
  codec.color_trc = AVCOL_TRC_BT709;
  codec.color_range = AVCOL_RANGE_MPEG;
  if (global_header) codec.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
}

CodecPtr try_encoder(const AVCodec& encoder, Size size, double frame_rate, bool global_header, int& status) {
  CodecPtr codec = make_codec(&encoder);
  describe_stream(*codec, size, frame_rate, global_header);
  AVDictionary* options = nullptr;  // Those an encoder does not know are left over and ignored.
  ffmpeg().av_dict_set(&options, "preset", std::string_view(encoder.name) == "libx264" ? "veryfast" : "p3", 0);
  ffmpeg().av_dict_set(&options, "crf", "20", 0);
  status = ffmpeg().avcodec_open2(codec.get(), &encoder, &options);
  ffmpeg().av_dict_free(&options);
  return status < 0 ? nullptr : std::move(codec);
}

CodecPtr open_encoder(Size size, double frame_rate, bool global_header) {
  std::string tried;
  for (const char* name : kEncoders) {
    const AVCodec* encoder = ffmpeg().avcodec_find_encoder_by_name(name);
    int status = AVERROR_ENCODER_NOT_FOUND;
    CodecPtr codec = encoder ? try_encoder(*encoder, size, frame_rate, global_header, status) : nullptr;
    if (codec) return codec;
    tried += fmt::format("{}{}: {}", tried.empty() ? "" : "; ", name, error_text(status));
  }
  throw Error(ErrorCode::kUnavailable,
              fmt::format("no H.264 encoder of FFmpeg takes video of {}×{}; install FFmpeg with libx264", size.width,
                          size.height),
              tried);
}

}  // namespace
}  // namespace detail

using namespace detail;

struct VideoWriter::State {
  State(const std::filesystem::path& path, Size frame_size, double rate);

  void open_output(const char* muxer);
  void encode(const AVFrame* frame);
  void write_packet(AVPacket& packet);
  [[nodiscard]] std::int64_t stamp_of(double time);
  void require_written(int status) const;

  AtomicFile file;
  Size size;
  double frame_rate;
  OutputPtr output;
  CodecPtr codec;
  PacketPtr packet = make_packet();
  FramePtr frame = make_frame();
  FrameMaker maker;
  std::optional<std::int64_t> last_stamp;
  bool is_finished = false;
};

VideoWriter::State::State(const std::filesystem::path& path, Size frame_size, double rate)
    : file(path), size(frame_size), frame_rate(rate) {
  open_output(muxer_for(path));
}

void VideoWriter::State::require_written(int status) const {
  if (status >= 0 && output->pb != nullptr) status = output->pb->error;
  if (status < 0) fail_ffmpeg(ErrorCode::kIo, status, "'{}' cannot be written", file.target().string());
}

void VideoWriter::State::open_output(const char* muxer) {
  const std::string url = "file:" + file.temporary_path().string();
  AVFormatContext* context = nullptr;
  int status = ffmpeg().avformat_alloc_output_context2(&context, nullptr, muxer, url.c_str());
  output.reset(context);
  if (status < 0) fail_ffmpeg(ErrorCode::kUnavailable, status, "this FFmpeg cannot write {}", muxer);
  codec = open_encoder(size, frame_rate, (output->oformat->flags & AVFMT_GLOBALHEADER) != 0);
  AVStream* stream = ffmpeg().avformat_new_stream(output.get(), nullptr);
  if (stream == nullptr) fail(ErrorCode::kOutOfMemory, "no memory to write '{}'", file.target().string());
  stream->time_base = kTimeBase;
  stream->avg_frame_rate = codec->framerate;
  require_written(ffmpeg().avcodec_parameters_from_context(stream->codecpar, codec.get()));
  require_written(ffmpeg().avio_open(&output->pb, url.c_str(), AVIO_FLAG_WRITE));
  AVDictionary* options = nullptr;
  ffmpeg().av_dict_set(&options, "movflags", "+faststart", 0);  // Playable before it is downloaded whole.
  status = ffmpeg().avformat_write_header(output.get(), &options);
  ffmpeg().av_dict_free(&options);
  require_written(status);
}

std::int64_t VideoWriter::State::stamp_of(double time) {
  std::int64_t stamp = std::llround(time * kTimeBase.den);
  if (last_stamp && stamp <= *last_stamp) stamp = *last_stamp + std::llround(kTimeBase.den / frame_rate);
  last_stamp = stamp;
  return stamp;
}

void VideoWriter::State::encode(const AVFrame* picture) {
  if (const int status = ffmpeg().avcodec_send_frame(codec.get(), picture); status < 0) {
    fail_ffmpeg(ErrorCode::kInternal, status, "'{}': the encoder refuses a frame", file.target().string());
  }
  for (;;) {
    const int status = ffmpeg().avcodec_receive_packet(codec.get(), packet.get());
    if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return;
    if (status < 0) fail_ffmpeg(ErrorCode::kInternal, status, "'{}': encoding failed", file.target().string());
    write_packet(*packet);
  }
}

void VideoWriter::State::write_packet(AVPacket& coded) {
  if (coded.duration == 0) coded.duration = std::llround(kTimeBase.den / frame_rate);
  coded.stream_index = 0;
  ffmpeg().av_packet_rescale_ts(&coded, kTimeBase, output->streams[0]->time_base);
  require_written(ffmpeg().av_interleaved_write_frame(output.get(), &coded));
}

VideoWriter::VideoWriter(const std::filesystem::path& file, Size size, double frame_rate) {
  begin_ffmpeg_work();
  muxer_for(file);
  require(size.width > 0 && size.height > 0, "a video of {}×{} cannot be written", size.width, size.height);
  require(frame_rate >= 0 && frame_rate <= 1000, "the frame rate {} is not between 0 and 1000", frame_rate);
  state_ = std::make_unique<State>(file, size, frame_rate > 0 ? frame_rate : 25);
}

VideoWriter::~VideoWriter() = default;
VideoWriter::VideoWriter(VideoWriter&&) noexcept = default;
VideoWriter& VideoWriter::operator=(VideoWriter&&) noexcept = default;

void VideoWriter::write(const ImageView& picture, double time) {
  require_host_picture(picture);
  require(!state_->is_finished, "'{}' is finished", state_->file.target().native());
  require(picture.size == state_->size, "'{}' holds frames of {}×{}, this one has {}×{}",
          state_->file.target().native(), state_->size.width, state_->size.height, picture.size.width,
          picture.size.height);
  require(std::isfinite(time) && std::abs(time) < 1e9, "a frame's time is {} seconds", time);
  const AVFrame& pixels =
      state_->maker.make(picture, FrameMaker::Sides::kEven, AV_PIX_FMT_YUV420P, {SWS_CS_ITU709, YuvRange::kLimited});
  ffmpeg().av_frame_unref(state_->frame.get());
  if (const int status = ffmpeg().av_frame_ref(state_->frame.get(), &pixels); status < 0) {
    fail_ffmpeg(ErrorCode::kOutOfMemory, status, "'{}': no memory for a frame", state_->file.target().native());
  }
  state_->frame->pts = state_->stamp_of(time);
  state_->encode(state_->frame.get());
}

void VideoWriter::finish() {
  require(!state_->is_finished, "'{}' is finished", state_->file.target().native());
  state_->encode(nullptr);
  state_->require_written(ffmpeg().av_write_trailer(state_->output.get()));
  state_->require_written(ffmpeg().avio_closep(&state_->output->pb));
  state_->file.commit();
  state_->is_finished = true;
}

}  // namespace vrt
