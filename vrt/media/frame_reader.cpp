#include "vrt/media/frame_reader.h"

#include <filesystem>

#include "vrt/media/input_file.h"
#include "vrt/media/picture_decoder.h"
#include "vrt/media/picture_folder.h"
#include "vrt/media/picture_kind.h"

namespace vrt::detail {
namespace {

PictureList list_folder(const std::filesystem::path& folder) {
  PictureList list;
  for (const std::string& name : pictures_in(folder)) list.files.push_back((folder / name).string());
  return list;
}

// Still pictures by content; raw streams of JPEG pictures, which only their name tells from one, are videos.
bool is_still_picture(const std::filesystem::path& file) {
  const std::vector<std::uint8_t> head = InputFile(file).read(0, kPictureHeadBytes);
  const PictureKind* kind = picture_kind_of(head);
  if (kind == nullptr) return false;
  const std::string extension = lower_extension(file);
  if (kind->codec == AV_CODEC_ID_MJPEG) return extension != ".mjpeg" && extension != ".mjpg";
  if (kind->codec != AV_CODEC_ID_GIF && kind->codec != AV_CODEC_ID_PNG) return true;
  return !is_animation(file);
}

}  // namespace

FrameReader::FrameReader(const std::string& location, const std::atomic<bool>& cancelled) {
  std::error_code error;
  if (std::filesystem::is_directory(location, error)) {
    kind_ = SourceKind::kFolder;
    frames_ = list_folder(location);
  } else if (is_still_picture(location)) {
    kind_ = SourceKind::kPicture;
    frames_ = PictureList{{location}};
  } else {
    kind_ = SourceKind::kVideo;
    frames_ = std::make_unique<VideoReader>(location, location, cancelled);
  }
}

std::optional<DecodedFrame> FrameReader::read() {
  if (const auto* video = std::get_if<std::unique_ptr<VideoReader>>(&frames_)) return (*video)->read();
  auto& pictures = std::get<PictureList>(frames_);
  if (pictures.next == pictures.files.size()) return std::nullopt;
  const std::string& file = pictures.files[pictures.next++];
  return decode_picture(file, file);
}

SourceInfo FrameReader::info() const {
  if (const auto* video = std::get_if<std::unique_ptr<VideoReader>>(&frames_)) {
    return {kind_, {}, (*video)->frame_rate(), (*video)->frame_count()};
  }
  return {kind_, {}, 0, static_cast<std::int64_t>(std::get<PictureList>(frames_).files.size())};
}

}  // namespace vrt::detail
