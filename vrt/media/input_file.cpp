#include "vrt/media/input_file.h"

#include <cerrno>
#include <system_error>

#include "vrt/base/fail.h"

namespace vrt::detail {

InputFile::InputFile(const std::filesystem::path& file) : name_(file.string()) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) fail(ErrorCode::kNotFound, "there is no file '{}'", name_);
  if (!std::filesystem::is_regular_file(file, error)) {
    fail(ErrorCode::kInvalidArgument, "'{}' is neither a file nor a folder", name_);
  }
  size_ = std::filesystem::file_size(file, error);
  errno = 0;
  stream_.open(file, std::ios::binary);
  if (error || !stream_) {
    const std::error_code reason = error ? error : std::error_code(errno, std::generic_category());
    throw Error(ErrorCode::kIo, fmt::format("'{}' cannot be read", name_), reason.message());
  }
  if (size_ == 0) fail(ErrorCode::kCorrupt, "'{}' is empty (0 bytes)", name_);
}

std::vector<std::uint8_t> InputFile::read(std::uint64_t offset, std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  stream_.clear();
  stream_.seekg(static_cast<std::streamoff>(offset));
  stream_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(stream_.gcount()));
  return bytes;
}

void InputFile::read_all(std::uint8_t* to, std::size_t count) {
  stream_.clear();
  stream_.seekg(0);
  stream_.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count));
  if (static_cast<std::size_t>(stream_.gcount()) != count) {
    fail(ErrorCode::kIo, "'{}' has {} bytes, but only {} could be read", name_, count, stream_.gcount());
  }
}

}  // namespace vrt::detail
