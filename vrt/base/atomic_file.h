// Files that appear under their final name only when they are complete.
//
//   vrt::AtomicFile file("out/results.jsonl");
//   file.write(line);
//   file.commit();          // flushed and renamed; without it nothing is left behind
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "vrt/base/export.h"

namespace vrt {

/// Writes to a file without a name on the target's file system; `commit` gives it the target's name. Destroying it without
/// commit leaves an existing target as it was, and nothing else; so does the end of the process, by whatever signal. Where a
/// file system has no nameless files, a hidden temporary one beside the target stands in. Movable, used by one thread.
class VRT_API AtomicFile {
 public:
  /// Creates the file, and the target's folder where it is missing. Throws kIo naming the path and the
  /// system's reason (not writable, not a folder, target is a folder).
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;

  /// Where this process reaches the bytes until `commit`; for libraries that write to a path themselves. It tells nothing of
  /// the target's name or extension.
  [[nodiscard]] std::filesystem::path temporary_path() const;
  [[nodiscard]] const std::filesystem::path& target() const noexcept { return target_; }

  /// Appends through a buffer. Throws kIo (with the path and errno's text) when the disk refuses.
  void write(std::string_view text);
  void write(std::span<const std::byte> bytes);
  /// Hands the buffered bytes to the system, so that readers of `temporary_path` see them. Throws kIo.
  void flush();
  /// Flushes to the disk (fsync), closes and puts it in the target's place in one step. Throws kIo. At most once.
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;  ///< Empty while the file has no name.
  std::string buffer_;
  int descriptor_ = -1;
};

}  // namespace vrt
