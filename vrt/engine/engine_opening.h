// Internal (not installed): Engine::open: from the cache where it holds the engine, else built, checked and kept.
#pragma once

#include <filesystem>
#include <memory>

#include "vrt/engine/backend_context.h"
#include "vrt/engine/engine.h"
#include "vrt/engine/engine_state.h"

namespace vrt::detail {

/// BLOCKS. `model` is a file that is there, and the options are sound. Throws as Engine::open.
[[nodiscard]] std::shared_ptr<EngineState> open_engine(std::shared_ptr<BackendContext> backend,
                                                       const std::filesystem::path& model, Device device,
                                                       const EngineOptions& options);

}  // namespace vrt::detail
