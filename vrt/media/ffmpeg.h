// Internal (not installed): FFmpeg's objects with owners, its errors as vrt::Error, its log as vrt::log.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "vrt/base/fail.h"
#include "vrt/image/image.h"
#include "vrt/media/ffmpeg_api.h"

namespace vrt::detail {

/// Calls a function of FFmpeg that takes the address of the pointer it frees.
template <auto kFree>
struct FreeByAddress {
  template <typename T>
  void operator()(T* object) const noexcept {
    (ffmpeg().*kFree)(&object);
  }
};
template <auto kFree>
struct FreeByValue {
  template <typename T>
  void operator()(T* object) const noexcept {
    (ffmpeg().*kFree)(object);
  }
};

using InputPtr = std::unique_ptr<AVFormatContext, FreeByAddress<&FfmpegApi::avformat_close_input>>;
using CodecPtr = std::unique_ptr<AVCodecContext, FreeByAddress<&FfmpegApi::avcodec_free_context>>;
using FramePtr = std::unique_ptr<AVFrame, FreeByAddress<&FfmpegApi::av_frame_free>>;
using PacketPtr = std::unique_ptr<AVPacket, FreeByAddress<&FfmpegApi::av_packet_free>>;
using ScalerPtr = std::unique_ptr<SwsContext, FreeByValue<&FfmpegApi::sws_freeContext>>;

/// Larger pictures are refused: 2^28 pixels are 805 MB as RGB8, and a forged header must not exhaust the machine.
inline constexpr std::int64_t kMaxPixels = std::int64_t{1} << 28;

[[nodiscard]] FramePtr make_frame();
[[nodiscard]] PacketPtr make_packet();
/// A frame with its own, aligned memory. Throws kOutOfMemory.
[[nodiscard]] FramePtr make_picture_frame(AVPixelFormat format, Size size);
/// A decoder or encoder context; throws kOutOfMemory.
[[nodiscard]] CodecPtr make_codec(const AVCodec* codec);

/// FFmpeg's text for an error code, followed by what it last logged about it on this thread.
[[nodiscard]] std::string error_text(int code);

/// Throws Error(code) with the formatted message and FFmpeg's text as its cause; kOutOfMemory where FFmpeg says so.
template <typename... Args>
[[noreturn]] void fail_ffmpeg(ErrorCode code, int status, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(status == AVERROR(ENOMEM) ? ErrorCode::kOutOfMemory : code,
              fmt::format(format, std::forward<Args>(args)...), error_text(status));
}

/// Routes FFmpeg's log to vrt::log from now on (once a process) and forgets this thread's last complaint. What FFmpeg calls
/// errors arrives as warnings, because the failure itself is thrown; its warnings as info, the rest as debug. A line
/// that repeats the one before is dropped.
void begin_ffmpeg_work();

}  // namespace vrt::detail
