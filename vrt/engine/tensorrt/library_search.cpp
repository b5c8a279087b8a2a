#include "vrt/engine/tensorrt/library_search.h"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "vrt/engine/tensorrt/flavor.h"

namespace vrt::tensorrt {

namespace fs = std::filesystem;

namespace {

/// The numbers of "<stem>.so.10.3.0"; empty for other names.
std::vector<int> numbers_in(const std::string& name, const std::string& stem) {
  const std::string prefix = stem + ".so.";
  if (name.rfind(prefix, 0) != 0) return {};
  std::vector<int> numbers;
  const char* at = name.data() + prefix.size();
  const char* const end = name.data() + name.size();
  while (true) {
    const auto [next, error] = std::from_chars(at, end, numbers.emplace_back());
    if (error != std::errc()) return {};
    if (next == end) return numbers;
    if (*next != '.') return {};
    at = next + 1;
  }
}

/// The newest file whose numbers begin with `major`, or the newest of all where it is negative.
fs::path find_newest(const fs::path& folder, const std::string& stem, int major) {
  std::vector<int> newest;
  fs::path found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::vector<int> numbers = numbers_in(entry.path().filename().string(), stem);
    if (numbers.empty() || (major >= 0 && numbers.front() != major) || numbers <= newest) continue;
    newest = numbers;
    found = entry.path();
  }
  return found;
}

void add_pythons(const fs::path& library_folder, const char* packages, std::vector<fs::path>& pythons) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(library_folder, ignored)) {
    if (entry.path().filename().string().rfind("python3", 0) == 0) pythons.push_back(entry.path() / packages);
  }
}

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

fs::path find_in_folder(const fs::path& folder, const std::string& stem, int major) {
  fs::path plain = folder / (stem + ".so." + std::to_string(major));
  std::error_code ignored;
  return fs::exists(plain, ignored) ? plain : find_newest(folder, stem, major);
}

fs::path find_any_in_folder(const fs::path& folder, const std::string& stem) { return find_newest(folder, stem, -1); }

std::vector<fs::path> wheel_folders() {
  std::vector<fs::path> pythons;
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const char* value = variable(name)) add_pythons(fs::path(value) / "lib", "site-packages", pythons);
  }
  if (const char* home = variable("HOME")) add_pythons(fs::path(home) / ".local/lib", "site-packages", pythons);
  add_pythons("/usr/local/lib", "dist-packages", pythons);
  add_pythons("/usr/local/lib", "site-packages", pythons);
  std::vector<fs::path> folders;
  for (const fs::path& python : pythons)
    for (const char* folder : kWheelFolders) folders.push_back(python / folder);
  return folders;
}

}  // namespace vrt::tensorrt
