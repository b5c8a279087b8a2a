// Internal (not installed): the frames of a video file, in the order of display.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>

#include "vrt/media/decoded_frame.h"

namespace vrt::detail {

/// Demuxes and decodes the best video stream of a file. Used from one thread at a time.
class VideoReader {
 public:
  /// Reading and opening stop early, with kCancelled, once `cancelled` is true. Throws kCorrupt (no video), kUnsupported
  /// (codec), kIo. Only local files are opened, also where a playlist names others.
  VideoReader(const std::filesystem::path& file, std::string name, const std::atomic<bool>& cancelled);

  /// The next frame; nothing at the end. Throws kCorrupt when the file is cut or the decoder refuses a packet, after
  /// the frames before it; a start that cannot be decoded (a stream cut at its beginning) is left out instead.
  [[nodiscard]] std::optional<DecodedFrame> read();

  /// Frames per second; 25 if the file does not tell.
  [[nodiscard]] double frame_rate() const noexcept { return frame_rate_; }
  [[nodiscard]] std::optional<std::int64_t> frame_count() const;

 private:
  void open_input();
  void open_decoder();
  bool read_packet();
  void feed_decoder();
  void refuse(int status);
  void stop_with(std::string reason);
  [[nodiscard]] double time_of(const AVFrame& frame);
  [[nodiscard]] DecodedFrame describe(FramePtr frame);

  std::filesystem::path file_;
  std::string name_;
  const std::atomic<bool>* cancelled_;
  std::optional<std::uint64_t> announced_bytes_;  // Of a file that is shorter.
  InputPtr input_;
  CodecPtr codec_;
  PacketPtr packet_;
  AVStream* stream_ = nullptr;  // Of input_.
  double frame_rate_ = 25;
  Orientation stream_orientation_;
  std::int64_t frames_ = 0;
  std::optional<std::int64_t> first_stamp_;
  double last_time_ = 0;
  bool draining_ = false;
  std::string failure_;  // Thrown once the decoder is drained.
};

/// True if the file is an animation (GIF, APNG) of at least two frames.
[[nodiscard]] bool is_animation(const std::filesystem::path& file);

}  // namespace vrt::detail
