#include "vrt/base/file_trust.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace vrt::detail {
namespace {

bool is_own_or_roots(const struct stat& status) noexcept { return status.st_uid == geteuid() || status.st_uid == 0; }

}  // namespace

bool is_ours(const std::filesystem::path& path) noexcept {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && is_own_or_roots(status);
}

std::string find_distrust(const std::filesystem::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::generic_category().message(errno);
  if (!is_own_or_roots(status)) return "belongs to another user";
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "can be written by other users";
  return "";
}

}  // namespace vrt::detail
