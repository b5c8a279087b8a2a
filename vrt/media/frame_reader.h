// Internal (not installed): one way to read a video, a picture or a folder.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "vrt/media/decoded_frame.h"
#include "vrt/media/source.h"
#include "vrt/media/video_reader.h"

namespace vrt::detail {

/// Pictures, one after the other.
struct PictureList {
  std::vector<std::string> files;
  std::size_t next = 0;
};

/// What a location holds. Used from one thread at a time.
class FrameReader {
 public:
  /// Contract of Source's constructor. `cancelled` must outlive the reader.
  FrameReader(const std::string& location, const std::atomic<bool>& cancelled);

  /// The next frame; nothing at the end.
  [[nodiscard]] std::optional<DecodedFrame> read();
  /// All but the size, which the first frame tells.
  [[nodiscard]] SourceInfo info() const;

 private:
  SourceKind kind_ = SourceKind::kVideo;
  std::variant<PictureList, std::unique_ptr<VideoReader>> frames_;
};

}  // namespace vrt::detail
