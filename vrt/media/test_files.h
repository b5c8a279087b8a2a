// Internal: media files made for tests by FFmpeg's encoders, and a naive reading of pictures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vrt/media/ffmpeg.h"
#include "vrt/media/source.h"

namespace vrt::test {

struct Rgb {
  int r = 0;
  int g = 0;
  int b = 0;
};

/// True if no channel differs by more than `tolerance`.
[[nodiscard]] bool near(Rgb a, Rgb b, int tolerance);

/// Packed RGB8.
struct Picture {
  Size size;
  std::vector<std::uint8_t> pixels;
  [[nodiscard]] Rgb at(std::int32_t x, std::int32_t y) const;
  [[nodiscard]] ImageView view() const {
    return ImageView::packed(Device::cpu(), pixels.data(), size, PixelFormat::kRgb8);
  }
};

inline constexpr Rgb kTopLeft{200, 30, 30};
inline constexpr Rgb kTopRight{30, 180, 40};
inline constexpr Rgb kBottomLeft{40, 50, 200};
inline constexpr Rgb kBottomRight{220, 210, 60};

/// Four coloured quarters: kTopLeft and so on.
[[nodiscard]] Picture quarters(Size size);
[[nodiscard]] Picture flat(Size size, Rgb color);

/// Hard to compress, another one for each seed.
[[nodiscard]] Picture noise(Size size, int seed);

/// While it lives, this process can write no file beyond that size: EFBIG, where a full disk gives ENOSPC.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uint64_t bytes);
  ~FileSizeLimit();
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  std::uint64_t before_ = 0;
};

/// The formulas of BT.601 and BT.709 in double, chroma of the nearest sample.
[[nodiscard]] Picture to_rgb(const ImageView& image);

void write_bytes(const std::filesystem::path& file, const std::vector<std::uint8_t>& bytes);
[[nodiscard]] std::vector<std::uint8_t> read_bytes(const std::filesystem::path& file);

/// A picture file's bytes, by the encoder of that name.
[[nodiscard]] std::vector<std::uint8_t> encode_picture(const Picture& picture, const char* encoder,
                                                       AVPixelFormat format);
[[nodiscard]] std::vector<std::uint8_t> encode_frame(AVFrame& frame, const char* encoder);
/// Adds an EXIF segment to JPEG data.
[[nodiscard]] std::vector<std::uint8_t> with_exif(std::vector<std::uint8_t> jpeg, int orientation);

struct VideoSpec {
  const char* encoder = "mpeg4";
  AVPixelFormat format = AV_PIX_FMT_YUV420P;
  AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
  AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
  int b_frames = 0;
  int rotation = 0;              ///< Degrees clockwise that a player turns it.
  std::vector<int> stamps = {};  ///< Milliseconds; 40 apart where empty.
  const char* options = "";      ///< For the muxer, "key=value:key=value".
};

/// Encodes the pictures as a video; the container follows from the file's extension.
void write_video(const std::filesystem::path& file, const std::vector<Picture>& frames, const VideoSpec& spec = {});

/// Pictures of one grey each: 40, 48, 56, …
[[nodiscard]] std::vector<Picture> grey_frames(Size size, int count);
[[nodiscard]] int grey_of(int frame);

/// What a source delivers, copied out.
struct Delivered {
  Picture picture;
  ImageView image;  ///< Its memory is gone.
  double time = 0;
  std::string source;
};
[[nodiscard]] std::vector<Delivered> read_all(const std::string& location);
[[nodiscard]] Delivered read_one(const std::string& location);

/// The error that opening or reading to the end throws; fails the test if none.
struct Failure {
  ErrorCode code = ErrorCode::kInternal;
  std::string text;
  int frames_before = 0;
};
[[nodiscard]] Failure failure_of(const std::string& location);

}  // namespace vrt::test
