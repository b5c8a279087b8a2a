#include <dirent.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "vrt/device/cuda/nvrtc.h"

namespace vrt::cuda {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kLibrary = "libnvrtc.so.";

using Version = std::array<int, 4>;

// "libnvrtc.so.12.6.85" holds {12, 6, 85, 0}; nothing for other names.
std::optional<Version> version_in_name(const std::string& name) {
  if (!name.starts_with(kLibrary)) return std::nullopt;
  Version version{};
  const char* at = name.data() + kLibrary.size();
  const char* const end = name.data() + name.size();
  for (int& part : version) {
    const auto [next, error] = std::from_chars(at, end, part);
    if (error != std::errc()) return std::nullopt;
    if (next == end) return version;
    if (*next != '.') return std::nullopt;
    at = next + 1;
  }
  return std::nullopt;
}

struct Candidate {
  Version version;
  fs::path path;
};

struct FolderCloser {
  void operator()(DIR* folder) const noexcept { closedir(folder); }
};

/// The names in a folder that begin with `prefix`; none where there is no such folder. An iterator of the standard library makes a path of
/// every entry, of which toolkits have hundreds: that takes as long as loading all kernels.
std::vector<std::string> names_in(const fs::path& folder, std::string_view prefix) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, FolderCloser> opened(opendir(folder.c_str()));
  if (!opened) return names;
  while (const dirent* const entry =
             readdir(opened.get())) {  // NOLINT(concurrency-mt-unsafe): the folder is this thread's
    const std::string_view name(static_cast<const char*>(entry->d_name));
    if (name.starts_with(prefix)) names.emplace_back(name);
  }
  return names;
}

void add_folders_matching(const fs::path& parent, std::string_view prefix, const fs::path& below,
                          std::vector<fs::path>& folders) {
  for (const std::string& name : names_in(parent, prefix)) folders.push_back(parent / name / below);
}

void add_if_set(const char* variable, const fs::path& below, std::vector<fs::path>& folders) {
  const char* value = std::getenv(variable);
  if (value != nullptr && *value != '\0') folders.push_back(fs::path(value) / below);
}

void add_list(const char* variable, std::vector<fs::path>& folders) {
  const char* value = std::getenv(variable);
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) folders.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
}

std::vector<fs::path> toolkit_folders() {
  std::vector<fs::path> folders;
  add_if_set("CUDA_HOME", "lib64", folders);
  add_if_set("CUDA_PATH", "lib64", folders);
  add_folders_matching("/usr/local", "cuda", "lib64", folders);
  add_list("LD_LIBRARY_PATH", folders);
  return folders;
}

// The wheels nvidia-cuda-nvrtc-cu12 and nvidia-cuda-nvrtc put their libraries below a Python's site-packages.
std::vector<fs::path> wheel_folders() {
  std::vector<fs::path> pythons;
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const char* value = std::getenv(variable); value != nullptr && *value != '\0') {
      add_folders_matching(fs::path(value) / "lib", "python3", "site-packages", pythons);
    }
  }
  if (const char* home = std::getenv("HOME"); home != nullptr) {
    add_folders_matching(fs::path(home) / ".local/lib", "python3", "site-packages", pythons);
  }
  add_folders_matching("/usr/local/lib", "python3", "dist-packages", pythons);
  add_folders_matching("/usr/local/lib", "python3", "site-packages", pythons);
  std::vector<fs::path> folders;
  for (const fs::path& python : pythons) {
    folders.push_back(python / "nvidia/cuda_nvrtc/lib");
    add_folders_matching(python / "nvidia", "cu1", "lib", folders);
  }
  return folders;
}

std::vector<fs::path> system_folders() {
  return {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/lib/wsl/lib"};
}

/// Adds `path` if it is a library that this driver can use and that is not there yet.
void collect_file(const fs::path& path, int driver_major, std::vector<Candidate>& found) {
  const auto named = version_in_name(path.filename().string());
  if (!named) return;
  std::error_code absent;
  const fs::path real = fs::canonical(path, absent);
  if (absent) return;
  const auto version = version_in_name(real.filename().string());
  const auto shown = version ? version : named;
  const auto known = [&](const Candidate& other) { return other.path == real; };
  if ((*shown)[0] <= driver_major && std::none_of(found.begin(), found.end(), known)) found.push_back({*shown, real});
}

void collect(const fs::path& folder, int driver_major, std::vector<Candidate>& found) {
  for (const std::string& name : names_in(folder, kLibrary)) collect_file(folder / name, driver_major, found);
}

/// By the name that programs are linked to: listing a system's folder, which has thousands of files, takes longer than loading every
/// kernel.
void collect_by_major(const fs::path& folder, int driver_major, std::vector<Candidate>& found) {
  constexpr int kOldest = 11;
  for (int major = driver_major; major >= kOldest; --major)
    collect_file(folder / (std::string(kLibrary) + std::to_string(major)), driver_major, found);
}

}  // namespace

NvrtcSearch find_nvrtc(int driver_major) {
  NvrtcSearch search;
  if (const char* chosen = std::getenv("VRT_NVRTC"); chosen != nullptr && *chosen != '\0') {
    search.looked_in.push_back(std::string("VRT_NVRTC=") + chosen);
    search.candidates.emplace_back(chosen);
    return search;
  }
  std::vector<Candidate> found;
  for (const auto& folders : {toolkit_folders(), wheel_folders()}) {
    for (const fs::path& folder : folders) {
      search.looked_in.push_back(folder.string());
      collect(folder, driver_major, found);
    }
  }
  for (const fs::path& folder : system_folders()) {
    search.looked_in.push_back(folder.string());
    collect_by_major(folder, driver_major, found);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return a.version > b.version; });
  for (Candidate& candidate : found) search.candidates.push_back(std::move(candidate.path));
  return search;
}

}  // namespace vrt::cuda
