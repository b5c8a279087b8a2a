#include "vrt/base/cache_paths.h"

#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <system_error>

#include "vrt/base/fail.h"

namespace vrt {
namespace {

// Empty where the variable is not set or not an absolute path.
std::filesystem::path absolute_from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  const std::filesystem::path path = value == nullptr ? "" : value;
  return path.is_absolute() ? path : std::filesystem::path();
}

}  // namespace

std::filesystem::path cache_root() {
  if (auto chosen = absolute_from_environment("VRT_CACHE"); !chosen.empty()) return chosen;
  if (auto shared = absolute_from_environment("XDG_CACHE_HOME"); !shared.empty()) return shared / "vrt";
  if (auto home = absolute_from_environment("HOME"); !home.empty()) return home / ".cache" / "vrt";
  throw Error(
      ErrorCode::kNotFound,
      "no place for a cache: none of VRT_CACHE, XDG_CACHE_HOME and HOME is set to an absolute path; set VRT_CACHE");
}

void make_private_folder(const std::filesystem::path& folder) {
  if (std::filesystem::is_directory(folder)) return;
  if (folder.has_parent_path() && folder.parent_path() != folder) make_private_folder(folder.parent_path());
  if (mkdir(folder.c_str(), S_IRWXU) == 0) return;
  const int error = errno;
  // Another process may have been quicker.
  if (error == EEXIST && std::filesystem::is_directory(folder)) return;
  throw Error(ErrorCode::kIo,
              "cannot create the cache folder " + folder.string() + "; set VRT_CACHE to a folder of yours",
              std::generic_category().message(error));
}

std::filesystem::path cache_folder(std::string_view area) {
  auto folder = cache_root() / area;
  make_private_folder(folder);
  return folder;
}

std::uint64_t cache_limit_bytes(const char* variable, std::uint64_t megabytes) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  const char* const value = std::getenv(variable);
  const std::string_view text = value == nullptr ? "" : value;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), megabytes);
  const bool is_number = error == std::errc() && stop == text.data() + text.size() && megabytes <= kMost;
  require(text.empty() || is_number, "{}: expected megabytes from 0 to {}, found \"{}\"; correct it or unset it",
          variable, kMost, text);
  return megabytes << 20U;
}

}  // namespace vrt
