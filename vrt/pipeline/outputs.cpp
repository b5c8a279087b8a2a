#include "vrt/pipeline/outputs.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <system_error>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/engine/model_digest.h"
#include "vrt/media/picture_folder.h"

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

/// Also of files that do not exist yet.
bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  const fs::path whole_a = fs::weakly_canonical(a, error);
  return !error && whole_a == fs::weakly_canonical(b, error) && !error;
}

void check_target(const fs::path& target, SourceKind kind) {
  const std::string name = target.string();
  std::error_code ignored;
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

/// A picture of a folder keeps its name; one of another format gets .png behind it.
fs::path name_in_folder(const std::string& source) {
  fs::path name = fs::path(source).filename();
  if (!is_picture_name(name)) name += ".png";
  return name;
}

}  // namespace

void add_places_of(const ModelChoice& model, std::vector<Place>& places) {
  places.push_back({"the model", model.file});
  if (!model.class_names.empty()) places.push_back({"the class names", model.class_names});
  try {
    for (const fs::path& file : detail::files_of_weights(model.file))
      places.push_back({fmt::format("weights of the model {}", model.file.string()), file});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnavailable) throw;
  }
}

void require_names_of_their_own(std::span<const std::string> pictures, const fs::path& save,
                                const std::vector<Place>& read) {
  std::map<fs::path, std::string> saved;
  for (const std::string& picture : pictures) {
    const auto [other, is_new] = saved.emplace(name_in_folder(picture), picture);
    require(is_new, "the pictures {} and {} would both be saved as {}; rename one of them", other->second, picture,
            (save / other->first).string());
  }
  for (const Place& place : read) {
    const bool is_over = saved.contains(place.path.filename()) && same_file(save / place.path.filename(), place.path);
    require(!is_over, "an annotated picture would be written over {} ({}); choose another place", place.what,
            place.path.string());
  }
}

void require_places_of_their_own(const std::vector<Place>& read, const std::vector<Place>& written) {
  for (auto output = written.begin(); output != written.end(); ++output) {
    if (output->path.empty()) continue;
    const auto clash = [&](const Place& other) {
      if (other.path.empty()) return;
      require(!same_file(output->path, other.path), "{} would be written over {} ({}); choose another place",
              output->what, other.what, other.path.string());
    };
    std::for_each(read.begin(), read.end(), clash);
    std::for_each(written.begin(), output, clash);
  }
}

void require_beside_pictures(const fs::path& json, const fs::path& source, std::span<const std::string> pictures,
                             const fs::path& save) {
  const bool is_among_saved = !save.empty() && same_file(fs::absolute(json).parent_path(), save);
  for (const std::string& picture : pictures) {
    std::error_code ignored;  // What does not exist yet replaces nothing.
    require(!fs::equivalent(json, source / picture, ignored),
            "the JSON output would be written over a picture of the source ({}); choose another place", json.string());
    require(!is_among_saved || json.filename() != name_in_folder(picture),
            "the JSON output would be written over an annotated picture ({}); choose another place", json.string());
  }
}

PictureOutput::PictureOutput(fs::path target, const SourceInfo& info)
    : target_(std::move(target)), kind_(info.kind), frame_rate_(info.frame_rate) {
  check_target(target_, kind_);
}

void PictureOutput::require_size_of_first(const std::string& source, Size size) {
  if (first_size_ == Size{}) first_size_ = size;
  if (size == first_size_) return;
  fail(ErrorCode::kUnsupported,
       "the pictures of '{}' change their size, and an MP4 file has one; run it without saving a video", source);
}

void PictureOutput::write(const ImageView& picture, const std::string& source, double time) {
  switch (kind_) {
    case SourceKind::kVideo:
      require_size_of_first(source, picture.size);
      if (!video_) video_.emplace(target_, picture.size, frame_rate_);
      return video_->write(picture, time);
    case SourceKind::kPicture: return write_picture(target_, picture);
    case SourceKind::kFolder: return write_picture(target_ / name_in_folder(source), picture);
  }
}

void PictureOutput::finish() {
  if (video_) video_->finish();
}

std::vector<std::string> picture_files(const std::string& location, SourceKind kind) {
  switch (kind) {
    case SourceKind::kVideo: return {};
    case SourceKind::kPicture: return {location};
    case SourceKind::kFolder: return detail::pictures_in(location);
  }
  fail(ErrorCode::kInternal, "a source of kind {}", static_cast<int>(kind));
}

JsonOutput::JsonOutput(const std::string& target, JsonFormat format, std::span<const std::string> pictures) {
  if (target != "-") file_.emplace(target);
  if (format == JsonFormat::kLines) return;
  const bool by_name = !pictures.empty() && are_named_by_numbers(pictures);
  coco_.emplace(by_name ? CocoImageId::kFileName : CocoImageId::kFrame);
}

void JsonOutput::write(const FrameRecord& record) {
  text_.clear();
  if (coco_) {
    coco_->append(text_, record);
  } else {
    append_json_line(text_, record);
  }
  put(text_);
}

void JsonOutput::put(std::string_view text) {
  if (file_) return file_->write(text);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) throw Error(ErrorCode::kIo, "cannot write JSON to the standard output", std::strerror(errno));
}

void JsonOutput::finish() {
  if (coco_) {
    text_.clear();
    coco_->append_end(text_);
    put(text_);
  }
  if (file_) file_->commit();
}

}  // namespace vrt
