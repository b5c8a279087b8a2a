#include "vrt/media/ffmpeg.h"

#include <array>
#include <cstdarg>
#include <mutex>
#include <string_view>

#include "vrt/base/log.h"

namespace vrt::detail {
namespace {

// The last error line that FFmpeg logged on this thread: it says what an error code cannot ("moov atom not found").
thread_local std::string last_complaint;

LogLevel level_of(int ffmpeg_level) {
  if (ffmpeg_level <= AV_LOG_ERROR) return LogLevel::kWarning;
  return ffmpeg_level <= AV_LOG_WARNING ? LogLevel::kInfo : LogLevel::kDebug;
}

bool repeats_the_last(std::string_view line) {
  static std::mutex mutex;
  static std::string last;
  const std::lock_guard lock(mutex);
  if (line == last) return true;
  last = line;
  return false;
}

std::string format_line(void* context, const char* format, std::va_list arguments) {
  std::array<char, 512> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  std::string_view line = text.data();
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  const AVClass* kind = context != nullptr ? *static_cast<const AVClass* const*>(context) : nullptr;
  return kind != nullptr ? fmt::format("{}: {}", kind->item_name(context), line) : std::string(line);
}

void receive_line(void* context, int ffmpeg_level, const char* format, std::va_list arguments) noexcept try {
  const bool is_complaint = ffmpeg_level <= AV_LOG_ERROR;
  if (ffmpeg_level > AV_LOG_INFO || (!is_complaint && !log_enabled(level_of(ffmpeg_level)))) return;
  const std::string line = format_line(context, format, arguments);
  if (line.empty()) return;
  if (is_complaint) last_complaint = line;
  if (!repeats_the_last(line)) log(level_of(ffmpeg_level), "FFmpeg: " + line);
} catch (...) {
  // Out of memory while logging: the line is lost, FFmpeg must not see an exception.
}

}  // namespace

void begin_ffmpeg_work() {
  static std::once_flag once;
  std::call_once(once, [] { ffmpeg().av_log_set_callback(receive_line); });
  last_complaint.clear();
}

std::string error_text(int code) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  ffmpeg().av_strerror(code, text.data(), text.size());
  return last_complaint.empty() ? std::string(text.data()) : fmt::format("{} ({})", text.data(), last_complaint);
}

namespace {
template <typename Pointer>
Pointer require_memory(Pointer object, const char* what) {
  if (!object) fail(ErrorCode::kOutOfMemory, "no memory for {} of FFmpeg", what);
  return object;
}
}  // namespace

FramePtr make_frame() { return require_memory(FramePtr(ffmpeg().av_frame_alloc()), "a frame"); }

PacketPtr make_packet() { return require_memory(PacketPtr(ffmpeg().av_packet_alloc()), "a packet"); }

CodecPtr make_codec(const AVCodec* codec) {
  return require_memory(CodecPtr(ffmpeg().avcodec_alloc_context3(codec)), "a codec context");
}

FramePtr make_picture_frame(AVPixelFormat format, Size size) {
  FramePtr frame = make_frame();
  frame->format = format;
  frame->width = size.width;
  frame->height = size.height;
  if (const int status = ffmpeg().av_frame_get_buffer(frame.get(), 0); status < 0) {
    fail_ffmpeg(ErrorCode::kOutOfMemory, status, "no memory for a picture of {}×{}", size.width, size.height);
  }
  return frame;
}

}  // namespace vrt::detail
