#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "vrt/engine/onnxruntime/library.h"

namespace vrt::onnxruntime {

namespace fs = std::filesystem;

namespace {

using Version = std::array<int, 3>;

/// "libonnxruntime.so.1.32.0" holds {1, 32, 0}, "libonnxruntime.so" zeros; nothing for other names.
std::optional<Version> version_in_name(const std::string& name) {
  constexpr std::string_view kName = "libonnxruntime.so";
  if (name.rfind(kName, 0) != 0) return std::nullopt;
  Version version{};
  const char* at = name.data() + kName.size();
  const char* const end = name.data() + name.size();
  for (int& part : version) {
    if (at == end) return version;
    if (*at != '.') return std::nullopt;
    const auto [next, error] = std::from_chars(at + 1, end, part);
    if (error != std::errc()) return std::nullopt;
    at = next;
  }
  return at == end ? std::optional(version) : std::nullopt;
}

/// Adds the libraries of a folder, the newest first.
void add_libraries_of(const fs::path& folder, LibrarySearch& search) {
  search.looked_in.push_back(folder.string());
  std::vector<std::pair<Version, fs::path>> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const auto version = version_in_name(entry.path().filename().string());
    if (version) found.emplace_back(*version, entry.path());
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a > b; });
  for (auto& [version, path] : found) search.candidates.push_back(std::move(path));
}

std::string value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : "";
}

/// The site-packages of each Python below `root`/lib, and Debian's name for them.
void add_pythons(const fs::path& root, std::vector<fs::path>& pythons) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root / "lib", ignored)) {
    if (entry.path().filename().string().rfind("python3", 0) != 0) continue;
    for (const char* packages : {"site-packages", "dist-packages"}) {
      if (fs::is_directory(entry.path() / packages, ignored)) pythons.push_back(entry.path() / packages);
    }
  }
}

std::vector<fs::path> wheel_folders() {
  std::vector<fs::path> roots;
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const std::string value = value_of(variable); !value.empty()) roots.emplace_back(value);
  }
  if (const std::string home = value_of("HOME"); !home.empty()) roots.push_back(fs::path(home) / ".local");
  roots.emplace_back("/usr/local");
  std::vector<fs::path> pythons;
  for (const fs::path& root : roots) add_pythons(root, pythons);
  std::vector<fs::path> folders;
  for (const fs::path& python : pythons) folders.push_back(python / "onnxruntime/capi");
  return folders;
}

LibrarySearch chosen_library(const std::string& choice) {
  LibrarySearch search;
  std::error_code ignored;
  if (fs::is_directory(choice, ignored)) {
    add_libraries_of(choice, search);
  } else {
    search.candidates.emplace_back(choice);
  }
  search.looked_in = {"VRT_ONNXRUNTIME=" + choice};
  return search;
}

}  // namespace

LibrarySearch find_library() {
  if (const std::string choice = value_of("VRT_ONNXRUNTIME"); !choice.empty()) return chosen_library(choice);
  LibrarySearch search;
  for (const fs::path& folder : wheel_folders()) add_libraries_of(folder, search);
  if (const std::string built_with = VRT_ONNXRUNTIME_FOLDER; !built_with.empty()) add_libraries_of(built_with, search);
  // By name alone: the loader's own search, with LD_LIBRARY_PATH and what the distribution installs.
  search.candidates.emplace_back("libonnxruntime.so.1");
  search.looked_in.emplace_back("the system's libraries");
  return search;
}

std::vector<fs::path> cuda_library_folders(const fs::path& library) {
  std::vector<fs::path> folders = {library.parent_path()};
  std::error_code ignored;
  const fs::path packages = library.parent_path().parent_path().parent_path();
  for (const auto& entry : fs::directory_iterator(packages / "nvidia", ignored)) {
    folders.push_back(entry.path() / "lib");
  }
  std::sort(folders.begin() + 1, folders.end());
  return folders;
}

}  // namespace vrt::onnxruntime
