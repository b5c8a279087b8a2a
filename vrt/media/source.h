// Where frames come from: a video file, a picture, a folder of pictures.
//
//   vrt::Source source("clip.mp4", stream.device());
//   while (auto frame = source.next(stream)) model.submit(frame->image(), result);
//
// A thread of the source decodes ahead into a ring of page-locked slots; `next` enqueues the upload (none where the device
// reads host memory itself). A slot is filled again only when its Frame is gone and the stream is past it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "vrt/base/export.h"
#include "vrt/device/stream.h"
#include "vrt/image/image.h"

namespace vrt {

namespace detail {
struct SourceState;
struct FrameSlot;
}  // namespace detail

/// One upright frame (rotation of EXIF or of the video applied). Movable; gives its slot back when destroyed, which must not
/// be before the caller's last submit that uses it, and may be before that work is done.
class VRT_API Frame {
 public:
  ~Frame();
  Frame(Frame&&) noexcept;
  Frame& operator=(Frame&&) noexcept;

  /// The pixels in the stream's device memory; valid in stream order, as long as the frame.
  [[nodiscard]] const ImageView& image() const noexcept;
  /// The same pixels in host memory (device cpu); readable at once, as long as the frame.
  [[nodiscard]] const ImageView& host_image() const noexcept;
  /// Counted from 0 in the order of delivery.
  [[nodiscard]] std::int64_t index() const noexcept;
  /// Seconds from the start of a video by its time stamps; 0 for pictures.
  [[nodiscard]] double time() const noexcept;
  /// The file it comes from, as the user named it (a folder's pictures: folder / file name).
  [[nodiscard]] const std::string& source() const noexcept;

 private:
  friend class Source;
  Frame(std::shared_ptr<detail::SourceState> state, detail::FrameSlot* slot) noexcept;
  std::shared_ptr<detail::SourceState> state_;
  detail::FrameSlot* slot_ = nullptr;
};

enum class SourceKind { kVideo, kPicture, kFolder };

struct SourceInfo {
  SourceKind kind = SourceKind::kVideo;
  Size size;                                ///< Of the first frame, upright.
  double frame_rate = 0;                    ///< Frames per second; 0 for pictures.
  std::optional<std::int64_t> frame_count;  ///< If the file tells (folders: the number of pictures).
};

struct SourceOptions {
  /// Frames that may be held at once by the caller; the ring has two more.
  std::int32_t frames_in_flight = 2;
};

/// Used from one thread at a time.
class VRT_API Source {
 public:
  /// Opens a file or folder and decodes its first frame. Throws kNotFound, kCorrupt (not a video or picture, naming what was
  /// found), kUnsupported (codec), kInvalidArgument (a folder without pictures).
  Source(const std::string& location, Device device, const SourceOptions& options = {});
  ~Source();
  Source(Source&&) noexcept;
  Source& operator=(Source&&) noexcept;

  [[nodiscard]] const SourceInfo& info() const noexcept;

  /// BLOCKS until a frame is decoded; enqueues its upload on `stream`. Nothing at the end. Throws what decoding met: a video
  /// cut in the middle delivers the frames before the cut, then throws kCorrupt.
  [[nodiscard]] std::optional<Frame> next(const Stream& stream);

 private:
  std::shared_ptr<detail::SourceState> state_;
};

}  // namespace vrt
