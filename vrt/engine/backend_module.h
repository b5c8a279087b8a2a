// Internal (not installed): backend modules as files: where they are looked for, and how one is loaded.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/engine/backend_abi.h"

namespace vrt::detail {

/// A loaded module with a table that was checked: every function is there. Never unmapped: a vendor's library leaves
/// threads and thread-local destructors behind that must still find their code.
class BackendModule {
 public:
  /// Loads a file. Throws kUnavailable naming it and the reason: the loader's own words, no entry point, another
  /// version of the bridge, a table that is too short or has holes.
  explicit BackendModule(std::filesystem::path path);
  ~BackendModule();
  BackendModule(const BackendModule&) = delete;
  BackendModule& operator=(const BackendModule&) = delete;

  [[nodiscard]] const VrtBackendTable& table() const noexcept { return *table_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  void* library_ = nullptr;
  const VrtBackendTable* table_ = nullptr;
};

/// "libvrt_backend_<backend>.so".
[[nodiscard]] std::string module_file_name(std::string_view backend);

/// The folders of `$VRT_BACKEND_PATH` (separated by colons), then `vrt/` in the library folder that belongs to the
/// running library and executable, then where this build of vrt puts or installs its modules. In the order of search, each
/// once.
[[nodiscard]] std::vector<std::filesystem::path> module_search_folders();

/// The first file of that name in the search folders; empty if there is none.
[[nodiscard]] std::filesystem::path find_module(std::string_view backend);

}  // namespace vrt::detail
