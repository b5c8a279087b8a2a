// Internal (not installed): FFmpeg's functions, loaded when the first is used. Loading its libraries takes 40 ms, which a tool
// that only prints its help should not spend, and without them everything but media works.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#if LIBAVFORMAT_VERSION_MAJOR >= 61
#define VRT_FFMPEG_SIDE_DATA(ENTRY) ENTRY(avcodec, av_packet_side_data_get)
#else
#define VRT_FFMPEG_SIDE_DATA(ENTRY) ENTRY(avformat, av_stream_get_side_data)
#endif

// Every function of FFmpeg that vrt calls: its library and its name.
#define VRT_FFMPEG_FUNCTIONS(ENTRY)               \
  ENTRY(avutil, av_color_space_name)              \
  ENTRY(avutil, av_d2q)                           \
  ENTRY(avutil, av_dict_free)                     \
  ENTRY(avutil, av_dict_get)                      \
  ENTRY(avutil, av_dict_set)                      \
  ENTRY(avutil, av_frame_alloc)                   \
  ENTRY(avutil, av_frame_clone)                   \
  ENTRY(avutil, av_frame_free)                    \
  ENTRY(avutil, av_frame_get_buffer)              \
  ENTRY(avutil, av_frame_get_side_data)           \
  ENTRY(avutil, av_frame_is_writable)             \
  ENTRY(avutil, av_frame_ref)                     \
  ENTRY(avutil, av_frame_unref)                   \
  ENTRY(avutil, av_get_media_type_string)         \
  ENTRY(avutil, av_get_pix_fmt_name)              \
  ENTRY(avutil, av_log_set_callback)              \
  ENTRY(avutil, av_pix_fmt_desc_get)              \
  ENTRY(avutil, av_strerror)                      \
  ENTRY(avutil, av_version_info)                  \
  ENTRY(avcodec, av_new_packet)                   \
  ENTRY(avcodec, av_packet_alloc)                 \
  ENTRY(avcodec, av_packet_free)                  \
  ENTRY(avcodec, av_packet_rescale_ts)            \
  ENTRY(avcodec, av_packet_unref)                 \
  ENTRY(avcodec, avcodec_alloc_context3)          \
  ENTRY(avcodec, avcodec_find_decoder)            \
  ENTRY(avcodec, avcodec_find_encoder)            \
  ENTRY(avcodec, avcodec_find_encoder_by_name)    \
  ENTRY(avcodec, avcodec_free_context)            \
  ENTRY(avcodec, avcodec_get_name)                \
  ENTRY(avcodec, avcodec_open2)                   \
  ENTRY(avcodec, avcodec_parameters_from_context) \
  ENTRY(avcodec, avcodec_parameters_to_context)   \
  ENTRY(avcodec, avcodec_receive_frame)           \
  ENTRY(avcodec, avcodec_receive_packet)          \
  ENTRY(avcodec, avcodec_send_frame)              \
  ENTRY(avcodec, avcodec_send_packet)             \
  ENTRY(avformat, av_find_best_stream)            \
  ENTRY(avformat, av_guess_frame_rate)            \
  ENTRY(avformat, av_interleaved_write_frame)     \
  ENTRY(avformat, av_read_frame)                  \
  ENTRY(avformat, av_write_trailer)               \
  ENTRY(avformat, avformat_alloc_context)         \
  ENTRY(avformat, avformat_alloc_output_context2) \
  ENTRY(avformat, avformat_close_input)           \
  ENTRY(avformat, avformat_find_stream_info)      \
  ENTRY(avformat, avformat_free_context)          \
  ENTRY(avformat, avformat_new_stream)            \
  ENTRY(avformat, avformat_open_input)            \
  ENTRY(avformat, avformat_write_header)          \
  ENTRY(avformat, avio_closep)                    \
  ENTRY(avformat, avio_open)                      \
  ENTRY(swscale, sws_freeContext)                 \
  ENTRY(swscale, sws_getCachedContext)            \
  ENTRY(swscale, sws_getCoefficients)             \
  ENTRY(swscale, sws_isSupportedInput)            \
  ENTRY(swscale, sws_scale)                       \
  ENTRY(swscale, sws_setColorspaceDetails)        \
  VRT_FFMPEG_SIDE_DATA(ENTRY)

namespace vrt::detail {

/// Pointers to FFmpeg's functions, of the very versions whose headers vrt was built with.
struct FfmpegApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name
#define VRT_DECLARE(library, name) decltype(&::name) name = nullptr;
  VRT_FFMPEG_FUNCTIONS(VRT_DECLARE)
#undef VRT_DECLARE
};

/// Loads the libraries on first use. Throws kUnavailable naming the library that is missing, each time until it is there.
[[nodiscard]] const FfmpegApi& ffmpeg();

}  // namespace vrt::detail
