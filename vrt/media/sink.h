// Where pictures go: an MP4 file (H.264), one picture file, or a folder of pictures.
#pragma once

#include <filesystem>
#include <memory>

#include "vrt/base/export.h"
#include "vrt/image/image.h"
#include "vrt/media/source.h"

namespace vrt {

/// Writes frames of one size to an H.264 video (.mp4, .mov or .mkv; BT.709 of limited range) that appears under its name
/// only after `finish`. An odd width or height is made even by repeating the last column or row. Used from one thread.
class VRT_API VideoWriter {
 public:
  /// Throws kInvalidArgument (another extension, an empty size), kIo (cannot be created), kUnavailable (this FFmpeg has no
  /// H.264 encoder). `frame_rate` 0 stands for 25.
  VideoWriter(const std::filesystem::path& file, Size size, double frame_rate);
  ~VideoWriter();
  VideoWriter(VideoWriter&&) noexcept;
  VideoWriter& operator=(VideoWriter&&) noexcept;

  /// Encodes one host picture of the writer's size (any format). `time` in seconds; one that does not
  /// increase (pictures all have 0) is replaced by one frame period after the last. Throws kInvalidArgument for another
  /// size, kIo when the disk refuses.
  void write(const ImageView& picture, double time);
  /// Flushes the encoder and renames the file into place. Without it nothing is left behind.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes one host picture as PNG or JPEG, by the file's extension, complete or not at all. Throws kInvalidArgument for
/// another extension, kIo.
VRT_API void write_picture(const std::filesystem::path& file, const ImageView& picture);

}  // namespace vrt
