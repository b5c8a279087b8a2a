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

/// What a location turned out to be.
enum class SourceKind { kVideo, kPicture, kFolder };

/// What a source tells of itself before the first frame.
struct SourceInfo {
  SourceKind kind = SourceKind::kVideo;
  Size size;                                ///< Of the first frame, upright.
  double frame_rate = 0;                    ///< Frames per second; 0 for pictures.
  std::optional<std::int64_t> frame_count;  ///< By the container, else by duration and rate; folders: pictures.
};

/// How a source is opened.
struct SourceOptions {
  /// Frames that may be held at once by the caller; the ring has two more.
  std::int32_t frames_in_flight = 2;
};

/// What frames are:
///  - Pictures are told by content: JPEG, PNG, BMP, TIFF, WebP, GIF, PNM, up to 2^28 pixels. Folders: by extension in any case,
///    in natural order, other files ignored. A GIF or APNG of several frames is a video as a file and its first frame in a
///    folder; of an animated WebP the first frame is taken.
///  - Format: the decoder's own where ImageView has a name for it, else RGB8 (pictures, RGB video) or I420 (other video).
///    Alpha is ignored. JPEG is BT.601 of full range. YUV without a stated matrix is BT.601 in pictures and below 720
///    rows, BT.709 from there on; its range is limited unless stated. BT.2020 becomes RGB8, without tone mapping.
///  - A video whose resolution changes is delivered as it is: look at each frame's size. Slots grow then.
///  - Times count from the first frame and increase; a stamp that does not is replaced by one frame period after the last.
/// Only local files are opened, also where a playlist names others. Destroying the source stops its thread; destroying the
/// last of the source and its frames BLOCKS until the device is past them. Used from one thread at a time.
class VRT_API Source {
 public:
  /// Opens a file or folder and decodes its first frame. Throws kNotFound, kCorrupt (not a video or picture, naming what was
  /// found), kUnsupported (codec), kInvalidArgument (a folder without pictures).
  Source(const std::string& location, Device device, const SourceOptions& options = {});
  ~Source();
  Source(Source&&) noexcept;
  Source& operator=(Source&&) noexcept;

  [[nodiscard]] const SourceInfo& info() const noexcept;

  /// BLOCKS until a frame is decoded; enqueues its upload on `stream`. Nothing at the end. Throws what decoding met, each
  /// further time again: a video cut in the middle delivers the frames before the cut, then throws kCorrupt.
  [[nodiscard]] std::optional<Frame> next(const Stream& stream);

 private:
  std::shared_ptr<detail::SourceState> state_;
};

}  // namespace vrt
