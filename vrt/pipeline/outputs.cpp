#include "vrt/pipeline/outputs.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include "vrt/base/fail.h"

namespace vrt {
namespace {

namespace fs = std::filesystem;

std::string lower_extension(const fs::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

bool is_picture_name(const fs::path& file) {
  const std::string extension = lower_extension(file);
  return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

void check_target(const fs::path& target, const std::string& source, SourceKind kind) {
  const std::string name = target.string();
  std::error_code ignored;
  require(!fs::equivalent(target, source, ignored), "{} is the source itself; save to another place", name);
  switch (kind) {
    case SourceKind::kVideo:
      return require(lower_extension(target) == ".mp4", "a video is saved as .mp4, not as '{}'", name);
    case SourceKind::kPicture:
      return require(is_picture_name(target), "a picture is saved as .png or .jpg, not as '{}'", name);
    case SourceKind::kFolder:
      return require(!fs::exists(target, ignored) || fs::is_directory(target, ignored),
                     "a folder of pictures is saved to a folder, and {} is a file", name);
  }
}

/// A picture of a folder keeps its name; one of another format gets .png behind it, so that no two names become one.
fs::path name_in_folder(const std::string& source) {
  fs::path name = fs::path(source).filename();
  if (!is_picture_name(name)) name += ".png";
  return name;
}

}  // namespace

PictureOutput::PictureOutput(fs::path target, const std::string& source, const SourceInfo& info)
    : target_(std::move(target)), kind_(info.kind), frame_rate_(info.frame_rate) {
  check_target(target_, source, kind_);
}

void PictureOutput::write(const ImageView& picture, const std::string& source, double time) {
  switch (kind_) {
    case SourceKind::kVideo:
      if (!video_) video_.emplace(target_, picture.size, frame_rate_);
      return video_->write(picture, time);
    case SourceKind::kPicture: return write_picture(target_, picture);
    case SourceKind::kFolder: return write_picture(target_ / name_in_folder(source), picture);
  }
}

void PictureOutput::finish() {
  if (video_) video_->finish();
}

JsonOutput::JsonOutput(const std::string& target) {
  if (target != "-") file_.emplace(target);
}

void JsonOutput::write(const FrameRecord& record) {
  line_.clear();
  append_json_line(line_, record);
  if (file_) return file_->write(line_);
  const bool written = std::fwrite(line_.data(), 1, line_.size(), stdout) == line_.size() && std::fflush(stdout) == 0;
  if (!written) throw Error(ErrorCode::kIo, "cannot write JSON to the standard output", std::strerror(errno));
}

void JsonOutput::finish() {
  if (file_) file_->commit();
}

}  // namespace vrt
