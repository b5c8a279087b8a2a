// The models that vrt knows by name, and where their files are found.
//
//   const vrt::ModelEntry& entry = vrt::find_model("centerface");
//   std::filesystem::path file = vrt::locate_model(entry);      // verified
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "vrt/base/export.h"

namespace vrt {

/// One known model. All text has static storage.
struct ModelEntry {
  std::string_view name;            ///< What a user types: "centerface".
  std::string_view family;          ///< Of vrt/pipeline/families, as a user types it: "centerface".
  std::string_view file;            ///< The file's name.
  std::string_view sha256;          ///< Of the file, 64 lower-case hexadecimal digits.
  std::string_view how_to_get;      ///< One sentence for people who do not have it.
  std::string_view companion = {};  ///< A second file that has to lie beside the first: its weights. Empty: none.
  std::string_view companion_sha256 = {};  ///< As sha256.
  std::int32_t input_width =
      0;  ///< Of the network, where its file leaves open what it was trained for; 0: as the file says.
  std::int32_t input_height = 0;  ///< Likewise.
};

/// Every model that vrt knows by name.
[[nodiscard]] VRT_API std::span<const ModelEntry> known_models() noexcept;

/// The entry of a name. Throws kNotFound listing the known names.
[[nodiscard]] VRT_API const ModelEntry& find_model(std::string_view name);

/// The paths at which a model's file is looked for, in this order: `$VRT_MODELS` (one folder), the folder `models` of the
/// cache, `../share/vrt/models` of the running program, and the place that the build was told of. Whether they exist is not
/// checked.
[[nodiscard]] VRT_API std::vector<std::filesystem::path> model_places(const ModelEntry& entry);

/// The first of those places that has the file, its digest and that of its companion verified (reads both files). Throws kNotFound
/// with the places and how to get the file, or its companion where that is not beside it; kCorrupt naming the file and both
/// digests where a digest is another.
[[nodiscard]] VRT_API std::filesystem::path locate_model(const ModelEntry& entry);

}  // namespace vrt
