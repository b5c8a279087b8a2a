// Internal (not installed): a lock among processes and threads, by a file.
#pragma once

#include <filesystem>
#include <optional>

#include "vrt/base/export.h"

namespace vrt::detail {

/// Held by whoever made it first; the system lets go of it when its process ends, however that ends. The file goes with the
/// lock, and one that a killed process left locks nothing.
class VRT_API FileLock {
 public:
  /// Nothing where another holds it. Throws kIo naming the path where the file cannot be made.
  [[nodiscard]] static std::optional<FileLock> try_lock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;

 private:
  FileLock(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace vrt::detail
