#include "vrt/base/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <system_error>
#include <utility>

#include "vrt/base/fail.h"

namespace vrt {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

[[noreturn]] void fail_io(const char* doing, const std::filesystem::path& path, int error) {
  throw Error(ErrorCode::kIo, fmt::format("cannot {} {}", doing, path.string()),
              std::generic_category().message(error));
}

// The place behind symbolic links, which need not exist.
std::filesystem::path follow_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // As the kernel's own limit.
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, error); ++i) {
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  }
  return path;
}

// Where a rename must land: behind symbolic links, so that a link stays one; never onto a device or a pipe, which a
// rename would replace by a file.
std::filesystem::path checked_target(const std::filesystem::path& target) {
  std::error_code error;
  auto resolved = follow_links(target);
  const auto status = std::filesystem::status(resolved, error);
  if (!resolved.has_filename() || std::filesystem::is_directory(status)) fail_io("write", target, EISDIR);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    fail(ErrorCode::kIo, "cannot write {}: it exists and is not a regular file; name a file", target.string());
  }
  return resolved;
}

// The extension stays last, for libraries that choose a format by it. The dot in front hides it from `*`.
std::filesystem::path temporary_name(const std::filesystem::path& target) {
  constexpr std::size_t kLongestStem = 200;  // A file's name has at most 255 bytes.
  std::random_device random;
  return target.parent_path() / fmt::format(".{}.{:08x}{:08x}{}", target.stem().string().substr(0, kLongestStem),
                                            random(), random(), target.extension().string());
}

int create_exclusively(const std::filesystem::path& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);  // NOLINT(*-vararg): open is one
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& target) : target_(checked_target(target)) {
  const auto folder = target_.parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) fail_io("create the folder of", target_, error.value());
  temporary_ = temporary_name(target_);
  descriptor_ = create_exclusively(temporary_);
  if (descriptor_ < 0) {
    const int reason = errno;
    temporary_.clear();
    fail_io("write", target_, reason);
  }
  buffer_.reserve(kBufferBytes);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove(temporary_, ignored);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      buffer_(std::move(other.buffer_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  AtomicFile moved(std::move(other));  // What this file held before is discarded with `moved`.
  std::swap(target_, moved.target_);
  std::swap(temporary_, moved.temporary_);
  std::swap(buffer_, moved.buffer_);
  std::swap(descriptor_, moved.descriptor_);
  return *this;
}

void AtomicFile::write(std::string_view text) {
  require(descriptor_ >= 0, "{} was committed or moved from; nothing more can be written to it", target_.string());
  buffer_.append(text);
  if (buffer_.size() >= kBufferBytes) flush();
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void AtomicFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_io("write", target_, errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void AtomicFile::commit() {
  require(descriptor_ >= 0, "{} was committed before or moved from", target_.string());
  flush();
  if (fsync(descriptor_) != 0) fail_io("flush", target_, errno);
  if (close(std::exchange(descriptor_, -1)) != 0) fail_io("close", target_, errno);
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail_io("rename the finished file to", target_, errno);
  temporary_.clear();
}

}  // namespace vrt
