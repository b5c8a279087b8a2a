#include "vrt/media/video_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>
#include <thread>

#include "vrt/base/log.h"
#include "vrt/media/container_end.h"

namespace vrt::detail {
namespace {

// From here on unspecified colours are taken for BT.709, as players do, and decoding gets threads of its own.
constexpr int kHdRows = 720;

int is_cancelled(void* flag) { return static_cast<const std::atomic<bool>*>(flag)->load() ? 1 : 0; }

// The network needs the cores as well: small videos decode faster than real time on one.
int decoder_threads(const AVCodecParameters& parameters) {
  if (parameters.height < kHdRows && parameters.width < kHdRows) return 1;
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()) / 2, 2, 4);
}

std::string kinds_of_streams(const AVFormatContext& input) {
  std::string kinds;
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    const char* kind = ffmpeg().av_get_media_type_string(input.streams[i]->codecpar->codec_type);
    kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", kind != nullptr ? kind : "unknown");
  }
  return kinds.empty() ? "nothing" : kinds;
}

Orientation orientation_of_stream(const AVStream& stream) {
#if LIBAVFORMAT_VERSION_MAJOR >= 61
  const AVPacketSideData* side = ffmpeg().av_packet_side_data_get(
      stream.codecpar->coded_side_data, stream.codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
  const std::uint8_t* data = side != nullptr && side->size >= 36 ? side->data : nullptr;
#else
  const std::uint8_t* data = ffmpeg().av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, nullptr);
#endif
  if (data == nullptr) return {};
  std::array<std::int32_t, 9> matrix{};
  std::memcpy(matrix.data(), data, sizeof(matrix));
  return orientation_of_matrix(matrix.data());
}

// VP8 and the WebP made of it are BT.601 whatever the size (RFC 6386, section 9.2).
YuvMatrix unspecified_matrix(AVCodecID codec, int rows) {
  return codec == AV_CODEC_ID_VP8 || rows < kHdRows ? YuvMatrix::kBt601 : YuvMatrix::kBt709;
}

InputPtr open_format(const std::filesystem::path& file, const std::string& name, const std::atomic<bool>* cancelled) {
  AVFormatContext* input = ffmpeg().avformat_alloc_context();
  if (input == nullptr) fail(ErrorCode::kOutOfMemory, "no memory to open '{}'", name);
  if (cancelled != nullptr) input->interrupt_callback = {is_cancelled, const_cast<std::atomic<bool>*>(cancelled)};
  AVDictionary* options = nullptr;
  ffmpeg().av_dict_set(&options, "protocol_whitelist", "file", 0);
  const int status = ffmpeg().avformat_open_input(&input, ("file:" + file.string()).c_str(), nullptr, &options);
  ffmpeg().av_dict_free(&options);
  if (status < 0) fail_ffmpeg(ErrorCode::kCorrupt, status, "'{}' is not a video or picture that FFmpeg can read", name);
  return InputPtr(input);
}

}  // namespace

VideoReader::VideoReader(const std::filesystem::path& file, std::string name, const std::atomic<bool>& cancelled)
    : file_(file),
      name_(std::move(name)),
      cancelled_(&cancelled),
      announced_bytes_(announced_bytes_if_cut(file)),
      packet_(make_packet()) {
  begin_ffmpeg_work();
  open_input();
  open_decoder();
}

void VideoReader::open_input() {
  input_ = open_format(file_, name_, cancelled_);
  const int status = ffmpeg().avformat_find_stream_info(input_.get(), nullptr);
  const int index = ffmpeg().av_find_best_stream(input_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  // FFmpeg renders text files as a terminal's screen, and calls the cover of a song a video.
  const bool is_text = std::string_view(input_->iformat->name) == "tty";
  if (status < 0 || index < 0 || is_text || (input_->streams[index]->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) {
    fail(ErrorCode::kCorrupt, "'{}' has no video: FFmpeg takes it for {} holding {}", name_, input_->iformat->long_name,
         kinds_of_streams(*input_));
  }
  for (unsigned i = 0; i < input_->nb_streams; ++i) input_->streams[i]->discard = AVDISCARD_ALL;
  stream_ = input_->streams[index];
  stream_->discard = AVDISCARD_DEFAULT;
  stream_orientation_ = orientation_of_stream(*stream_);
  if (const AVRational rate = ffmpeg().av_guess_frame_rate(input_.get(), stream_, nullptr);
      rate.num > 0 && rate.den > 0) {
    frame_rate_ = av_q2d(rate);
  }
}

void VideoReader::open_decoder() {
  const AVCodecParameters& parameters = *stream_->codecpar;
  const AVCodec* decoder = ffmpeg().avcodec_find_decoder(parameters.codec_id);
  if (decoder == nullptr) {
    fail(ErrorCode::kUnsupported, "'{}' is coded as {}, which this FFmpeg cannot decode", name_,
         ffmpeg().avcodec_get_name(parameters.codec_id));
  }
  codec_ = make_codec(decoder);
  int status = ffmpeg().avcodec_parameters_to_context(codec_.get(), &parameters);
  codec_->pkt_timebase = stream_->time_base;
  codec_->thread_count = decoder_threads(parameters);
  codec_->max_pixels = kMaxPixels;
  if (status >= 0) status = ffmpeg().avcodec_open2(codec_.get(), decoder, nullptr);
  if (status < 0) {
    fail_ffmpeg(ErrorCode::kUnsupported, status, "'{}': the {} decoder does not start", name_, decoder->name);
  }
}

std::optional<std::int64_t> VideoReader::frame_count() const {
  if (stream_->nb_frames > 0) return stream_->nb_frames;
  if (input_->duration <= 0) return std::nullopt;
  return std::llround(static_cast<double>(input_->duration) / AV_TIME_BASE * frame_rate_);
}

std::optional<DecodedFrame> VideoReader::read() {
  FramePtr frame = make_frame();
  for (;;) {
    const int status = ffmpeg().avcodec_receive_frame(codec_.get(), frame.get());
    if (status >= 0) return describe(std::move(frame));
    if (status == AVERROR_EOF) break;
    if (status == AVERROR(EAGAIN))
      feed_decoder();
    else
      refuse(status);
  }
  if (cancelled_->load()) fail(ErrorCode::kCancelled, "reading '{}' was stopped", name_);
  if (failure_.empty() && frames_ > 0) return std::nullopt;
  throw Error(ErrorCode::kCorrupt, fmt::format("'{}' cannot be read beyond its first {} frames", name_, frames_),
              failure_.empty() ? "no frame could be decoded" : failure_);
}

// Takes the next packet of the video, or starts draining the decoder and returns false.
bool VideoReader::read_packet() {
  int status = 0;
  do {
    ffmpeg().av_packet_unref(packet_.get());
    status = ffmpeg().av_read_frame(input_.get(), packet_.get());
  } while (status >= 0 && packet_->stream_index != stream_->index);
  // Elsewhere a damaged packet is the decoder's to judge: broadcasts lose some, and it conceals that.
  const bool is_cut_here = announced_bytes_ && (status < 0 || (packet_->flags & AV_PKT_FLAG_CORRUPT) != 0);
  if (status >= 0 && !is_cut_here) return true;
  if (is_cut_here) {
    stop_with(fmt::format("the file is cut: it announces {} bytes and has {}", *announced_bytes_,
                          std::filesystem::file_size(file_)));
  } else {
    stop_with(status == AVERROR_EOF ? std::string() : error_text(status));
  }
  return false;
}

void VideoReader::feed_decoder() {
  if (draining_ || !read_packet()) return;
  const int status = ffmpeg().avcodec_send_packet(codec_.get(), packet_.get());
  ffmpeg().av_packet_unref(packet_.get());
  if (status < 0) refuse(status);
}

void VideoReader::refuse(int status) {
  if (frames_ > 0 || status == AVERROR(ENOMEM)) return stop_with(error_text(status));
  log(LogLevel::kDebug, fmt::format("'{}': a packet before the first frame is left out", name_));
}

void VideoReader::stop_with(std::string reason) {
  if (failure_.empty()) failure_ = std::move(reason);
  if (!draining_) ffmpeg().avcodec_send_packet(codec_.get(), nullptr);
  draining_ = true;
}

// Seconds from the first frame. Stamps that do not increase are replaced by one frame period after the last.
double VideoReader::time_of(const AVFrame& frame) {
  const std::int64_t stamp = frame.best_effort_timestamp;
  if (!first_stamp_ && stamp != AV_NOPTS_VALUE) first_stamp_ = stamp;
  if (frames_ == 0) return 0;
  double time = -1;
  if (stamp != AV_NOPTS_VALUE) time = static_cast<double>(stamp - *first_stamp_) * av_q2d(stream_->time_base);
  return time > last_time_ ? time : last_time_ + 1 / frame_rate_;
}

DecodedFrame VideoReader::describe(FramePtr frame) {
  DecodedFrame result;
  last_time_ = time_of(*frame);
  result.time = last_time_;
  ++frames_;
  const Orientation own = orientation_of_frame(*frame);
  result.orientation = own == Orientation{} ? stream_orientation_ : own;
  result.hints = {.is_picture = false, .unspecified = unspecified_matrix(codec_->codec_id, frame->height)};
  result.source = name_;
  result.pixels = std::move(frame);
  return result;
}

bool is_animation(const std::filesystem::path& file) {
  begin_ffmpeg_work();
  const InputPtr input = open_format(file, file.string(), nullptr);
  const std::string_view format = input->iformat->name;
  if (format != "gif" && format != "apng") return false;
  const PacketPtr packet = make_packet();
  int packets = 0;
  while (packets < 2 && ffmpeg().av_read_frame(input.get(), packet.get()) >= 0) {
    ++packets;
    ffmpeg().av_packet_unref(packet.get());
  }
  return packets == 2;
}

}  // namespace vrt::detail
