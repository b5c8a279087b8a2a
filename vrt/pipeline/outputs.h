// Internal (not installed): where a run's results go: pictures or a video to look at, and lines of JSON.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "vrt/base/atomic_file.h"
#include "vrt/base/export.h"
#include "vrt/image/image.h"
#include "vrt/media/sink.h"
#include "vrt/media/source.h"
#include "vrt/pipeline/json_line.h"

namespace vrt {

/// A file or folder of a run, and what it is to the user: "the source".
struct Place {
  std::string what;
  std::filesystem::path path;  ///< Empty: none.
};

/// Throws kInvalidArgument if something would be written over what is read, or two outputs go to one place; through links too.
VRT_API void require_places_of_their_own(const std::vector<Place>& read, const std::vector<Place>& written);

/// Writes annotated pictures: a video for a video, one file for a picture, a folder for a folder.
class VRT_API PictureOutput {
 public:
  /// Throws kInvalidArgument if `target` does not suit the source: a video needs .mp4, a picture .png, .jpg or .jpeg, a folder
  /// one that is not a file.
  PictureOutput(std::filesystem::path target, const SourceInfo& info);

  /// Writes or encodes one picture of the source file `source`, at `time` seconds. Throws kUnsupported for a video whose
  /// pictures change their size.
  void write(const ImageView& picture, const std::string& source, double time);
  /// A video appears under its name now; pictures did when they were written.
  void finish();

 private:
  void require_size_of_first(const std::string& source, Size size);

  std::filesystem::path target_;
  SourceKind kind_;
  double frame_rate_;
  Size first_size_;  ///< Of what is written, which may be larger than the source.
  std::optional<VideoWriter> video_;
};

/// Writes lines of JSON to a file that appears when it is complete, or to the standard output at once.
class VRT_API JsonOutput {
 public:
  /// `target` is a path, or "-" for the standard output.
  explicit JsonOutput(const std::string& target);

  /// Throws kIo when the line cannot be written, also when the reader of the standard output has gone.
  void write(const FrameRecord& record);
  void finish();

 private:
  std::optional<AtomicFile> file_;
  std::string line_;
};

}  // namespace vrt
