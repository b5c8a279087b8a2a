// Internal (not installed): a backend's engine from a model's file or from what it serialised.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "vrt/engine/backend_context.h"
#include "vrt/engine/engine.h"
#include "vrt/engine/engine_state.h"
#include "vrt/engine/manifest.h"

namespace vrt::detail {

struct BuildRequest {
  std::filesystem::path model;  ///< That the caller opened: named in messages.
  std::filesystem::path file;   ///< What the backend gets: the same, or what was made of it.
  Device device;
  const EngineOptions* options = nullptr;
  bool shapes_are_in_file = false;    ///< The options' shapes were written into the file: the backend need not reshape.
  std::filesystem::path timing_file;  ///< Empty: none.
};

/// BLOCKS while the backend compiles. Throws with the backend's words; kCancelled where the options' progress asks for it.
[[nodiscard]] EngineHandle build_engine(const BackendContext& context, const BuildRequest& request);

/// Takes what `serialize_engine` wrote. Throws with the backend's words: kCorrupt where it is of another version or device.
[[nodiscard]] EngineHandle load_engine(const BackendContext& context, const BuildRequest& request,
                                       std::span<const std::byte> bytes);

/// Writes what the backend makes of an engine into a new file of this user's, piece by piece. Throws kIo naming the file, or with the
/// backend's words.
[[nodiscard]] ManifestFile serialize_engine(const EngineState& engine, const std::filesystem::path& target);

}  // namespace vrt::detail
