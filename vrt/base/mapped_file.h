// Internal (not installed): a file's bytes in memory without a copy.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "vrt/base/export.h"

namespace vrt::detail {

/// Read-only, for as long as it lives, also if the file is removed meanwhile.
class VRT_API MappedFile {
 public:
  /// Throws kNotFound where there is no such file; kIo naming the path where it is no regular file or cannot be read.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace vrt::detail
