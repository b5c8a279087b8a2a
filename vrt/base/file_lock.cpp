#include "vrt/base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "vrt/base/error.h"

namespace vrt::detail {
namespace {

[[noreturn]] void fail_locking(const std::filesystem::path& path, int error) {
  throw Error(ErrorCode::kIo, "cannot lock " + path.string(), std::generic_category().message(error));
}

/// Whether the path still names the open file: the holder before us took the file away with its lock.
bool names(const std::filesystem::path& path, int descriptor) {
  struct stat by_path {};
  struct stat by_descriptor {};
  return stat(path.c_str(), &by_path) == 0 && fstat(descriptor, &by_descriptor) == 0 &&
         by_path.st_ino == by_descriptor.st_ino && by_path.st_dev == by_descriptor.st_dev;
}

}  // namespace

std::optional<FileLock> FileLock::try_lock(const std::filesystem::path& path) {
  while (true) {
    const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);  // NOLINT(*-vararg): open is one
    if (descriptor < 0) fail_locking(path, errno);
    FileLock lock({}, descriptor);  // Without the path: the file is not ours to remove yet.
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return std::nullopt;
      if (errno == EINTR) continue;
      fail_locking(path, errno);
    }
    if (!names(path, descriptor)) continue;
    lock.path_ = path;
    return lock;
  }
}

FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  if (!path_.empty()) unlink(path_.c_str());
  close(descriptor_);
}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::exchange(other.path_, {})), descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

}  // namespace vrt::detail
