// Internal (not installed): where a run's results go: pictures or a video to look at, and JSON.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/base/atomic_file.h"
#include "vrt/base/export.h"
#include "vrt/image/image.h"
#include "vrt/media/sink.h"
#include "vrt/media/source.h"
#include "vrt/pipeline/coco_results.h"
#include "vrt/pipeline/json_format.h"
#include "vrt/pipeline/json_line.h"
#include "vrt/pipeline/model_choice.h"

namespace vrt {

/// A file or folder of a run, and what it is to the user: "the source".
struct Place {
  std::string what;
  std::filesystem::path path;  ///< Empty: none.
};

/// Adds the files that a network is read from: the model's, its class names, and those beside it that hold its weights, as far as this build can tell
/// (without protobuf it reads no ONNX file). Throws as detail::files_of_weights.
VRT_API void add_places_of(const ModelChoice& model, std::vector<Place>& places);

/// Throws kInvalidArgument if something would be written over what is read, or two outputs go to one place; through links too.
VRT_API void require_places_of_their_own(const std::vector<Place>& read, const std::vector<Place>& written);

/// Throws kInvalidArgument if JSON written to `json` would replace one of the `pictures` (names) of the folder `source`, or what one
/// of them becomes in the folder `save` (empty: nothing is saved).
VRT_API void require_beside_pictures(const std::filesystem::path& json, const std::filesystem::path& source,
                                     std::span<const std::string> pictures, const std::filesystem::path& save);

/// Throws kInvalidArgument if two of a folder's `pictures` (names) would be saved under one name to the folder `save`, or one over what
/// is read.
VRT_API void require_names_of_their_own(std::span<const std::string> pictures, const std::filesystem::path& save,
                                        const std::vector<Place>& read);

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

/// The files that a source's frames come from, as the ids of COCO results need them: a picture's own, a folder's pictures; none of
/// a video. Throws kIo for a folder that cannot be read.
[[nodiscard]] VRT_API std::vector<std::string> picture_files(const std::string& location, SourceKind kind);

/// Writes JSON, a frame at a time, to a file that appears when it is complete, or to the standard output at once.
class VRT_API JsonOutput {
 public:
  /// `target` is a path, or "-" for the standard output. COCO results name each picture by its number if all of `pictures` can
  /// be told apart by theirs (coco_results.h), else by the frame's.
  explicit JsonOutput(const std::string& target, JsonFormat format = JsonFormat::kLines,
                      std::span<const std::string> pictures = {});

  /// Throws kIo when it cannot be written, also when the reader of the standard output has gone.
  void write(const FrameRecord& record);
  void finish();

 private:
  void put(std::string_view text);

  std::optional<AtomicFile> file_;
  std::optional<CocoResults> coco_;  ///< Nothing for lines.
  std::string text_;
};

}  // namespace vrt
