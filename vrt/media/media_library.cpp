#include "vrt/media/media_library.h"

#include "vrt/media/ffmpeg_api.h"

namespace vrt {

std::string media_library() { return std::string("FFmpeg ") + detail::ffmpeg().av_version_info(); }

}  // namespace vrt
