#include "vrt/base/read_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <system_error>
#include <vector>

#include "vrt/base/error.h"

namespace vrt::detail {
namespace {

struct FileCloser {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }  // NOLINT(cert-err33-c): only read from
};

[[noreturn]] void fail_reading(const std::filesystem::path& path, int error) {
  throw Error(ErrorCode::kIo, "cannot read " + path.string(), std::generic_category().message(error));
}

using File = std::unique_ptr<std::FILE, FileCloser>;

/// The file opened; nothing where there is none.
File open_file(const std::filesystem::path& path) {
  File file(std::fopen(path.c_str(), "rbe"));
  if (!file && errno != ENOENT && errno != ENOTDIR) fail_reading(path, errno);
  return file;
}

/// As much as the file holds of what `part` takes.
std::size_t read_part(const std::filesystem::path& path, std::FILE* file, std::span<std::byte> part) {
  const std::size_t count = std::fread(part.data(), 1, part.size(), file);
  if (count < part.size() && std::ferror(file) != 0) fail_reading(path, errno);
  return count;
}

}  // namespace

bool for_each_part(const std::filesystem::path& path, const std::function<void(std::span<const std::byte>)>& use) {
  const File file = open_file(path);
  if (!file) return false;
  std::vector<std::byte> part(std::size_t{1} << 18);
  for (std::size_t count = part.size(); count == part.size();) {
    count = read_part(path, file.get(), part);
    if (count > 0) use(std::span(part).first(count));
  }
  return true;
}

std::optional<std::string> read_file(const std::filesystem::path& path) {
  const File file = open_file(path);
  if (!file) return std::nullopt;
  // Of a file that knows its size one byte more is asked for, so that the first read meets its end; others grow until theirs.
  std::error_code unknown;
  const std::uintmax_t known = std::filesystem::file_size(path, unknown);
  constexpr std::uintmax_t kLeast = 4096;
  std::string text(unknown ? kLeast : std::max(known + 1, kLeast), '\0');
  std::size_t size = 0;
  while (true) {
    size += read_part(path, file.get(), std::as_writable_bytes(std::span(text)).subspan(size));
    if (size < text.size()) break;
    text.resize(2 * text.size());
  }
  text.resize(size);
  return text;
}

}  // namespace vrt::detail
