// Internal (not installed): reading a file's bytes, with errors that name it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

namespace vrt::detail {

/// A file opened for reading. Throws kNotFound, kIo (with the system's reason), kCorrupt for one of 0 bytes.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& file);

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Up to `count` bytes from `offset`, fewer at the end of the file.
  [[nodiscard]] std::vector<std::uint8_t> read(std::uint64_t offset, std::size_t count);
  /// Exactly `count` bytes from the start. Throws kIo.
  void read_all(std::uint8_t* to, std::size_t count);

 private:
  std::string name_;
  std::ifstream stream_;
  std::uint64_t size_ = 0;
};

}  // namespace vrt::detail
