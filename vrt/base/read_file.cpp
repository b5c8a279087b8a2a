#include "vrt/base/read_file.h"

#include <cerrno>
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

}  // namespace

bool for_each_part(const std::filesystem::path& path, const std::function<void(std::span<const std::byte>)>& use) {
  const std::unique_ptr<std::FILE, FileCloser> file(std::fopen(path.c_str(), "rbe"));
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return false;
  if (!file) fail_reading(path, errno);
  std::vector<std::byte> part(std::size_t{1} << 18);
  const auto read_part = [&] { return std::fread(part.data(), 1, part.size(), file.get()); };
  for (std::size_t count = read_part(); count > 0; count = read_part()) use(std::span(part).first(count));
  if (std::ferror(file.get()) != 0) fail_reading(path, errno);
  return true;
}

std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::string text;
  const auto add = [&](std::span<const std::byte> part) {
    text.append(reinterpret_cast<const char*>(part.data()), part.size());
  };
  if (!for_each_part(path, add)) return std::nullopt;
  return text;
}

}  // namespace vrt::detail
