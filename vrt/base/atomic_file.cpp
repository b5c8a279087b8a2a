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
  if (status.type() == std::filesystem::file_type::none) fail_io("write", target, error.value());
  if (!resolved.has_filename() || std::filesystem::is_directory(status)) fail_io("write", target, EISDIR);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    fail(ErrorCode::kIo, "cannot write {}: it exists and is not a regular file; name a file", target.string());
  }
  return resolved;
}

// The dot in front hides it from `*`; the extension stays last, for whoever tells a file's kind by it.
std::filesystem::path temporary_name(const std::filesystem::path& target) {
  constexpr std::size_t kLongestStem = 200;  // A file's name has at most 255 bytes.
  std::random_device random;
  return target.parent_path() / fmt::format(".{}.{:08x}{:08x}{}", target.stem().string().substr(0, kLongestStem),
                                            random(), random(), target.extension().string());
}

int create_exclusively(const std::filesystem::path& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);  // NOLINT(*-vararg): open is one
}

std::filesystem::path path_of_descriptor(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

// A file without a name, so that nothing can stay behind however the process ends. -1 where the file system has no such
// files, or where there is no /proc to reach it by.
int create_nameless(const std::filesystem::path& folder) {
  const char* const where = folder.empty() ? "." : folder.c_str();
  const int descriptor = open(where, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);  // NOLINT(*-vararg)
  if (descriptor < 0 || access(path_of_descriptor(descriptor).c_str(), F_OK) == 0) return descriptor;
  close(descriptor);
  return -1;
}

// Gives a nameless file its name; false where the name is taken.
bool give_name(int descriptor, const std::filesystem::path& name, const std::filesystem::path& target) {
  const auto source = path_of_descriptor(descriptor);
  if (linkat(AT_FDCWD, source.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) return true;
  if (errno != EEXIST) fail_io("name the finished file", target, errno);
  return false;
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& target) : target_(checked_target(target)) {
  const auto folder = target_.parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) fail_io("create the folder of", target_, error.value());
  descriptor_ = create_nameless(folder);
  if (descriptor_ < 0) {
    auto name = temporary_name(target_);
    descriptor_ = create_exclusively(name);
    if (descriptor_ < 0) fail_io("write", target_, errno);
    temporary_ = std::move(name);
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

std::filesystem::path AtomicFile::temporary_path() const {
  return temporary_.empty() && descriptor_ >= 0 ? path_of_descriptor(descriptor_) : temporary_;
}

void AtomicFile::write(std::string_view text) {
  require(descriptor_ >= 0, "{} was committed or moved from; nothing more can be written to it", target_.native());
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
  require(descriptor_ >= 0, "{} was committed before or moved from", target_.native());
  flush();
  if (fsync(descriptor_) != 0) fail_io("flush", target_, errno);
  bool in_place = false;
  if (temporary_.empty()) {
    in_place = give_name(descriptor_, target_, target_);
    if (!in_place) temporary_ = temporary_name(target_);  // The target exists: only a rename replaces it at once.
    if (!in_place && !give_name(descriptor_, temporary_, target_)) fail_io("write", target_, EEXIST);
  }
  if (close(std::exchange(descriptor_, -1)) != 0) fail_io("close", target_, errno);
  if (in_place) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail_io("rename the finished file to", target_, errno);
  temporary_.clear();
}

}  // namespace vrt
