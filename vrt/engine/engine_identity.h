// Internal (not installed): what decides how an engine is built, as found on this machine.
#pragma once

#include <string>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/engine/backend_context.h"
#include "vrt/engine/engine.h"
#include "vrt/engine/manifest.h"
#include "vrt/engine/model_digest.h"

namespace vrt::detail {

/// Options that change nothing are left out: those of a CPU's threads on a GPU.
[[nodiscard]] EngineSettings settings_of(const EngineOptions& options, Device device);

/// The version of a GPU's driver, "580.65.06"; empty for a CPU and where nothing tells.
[[nodiscard]] std::string driver_version_of(Device device);

/// Throws kUnavailable where the device cannot be used.
[[nodiscard]] VRT_API EngineIdentity identify_engine(const std::vector<DigestedFile>& model,
                                                     const BackendContext& backend, Device device,
                                                     const EngineOptions& options);

}  // namespace vrt::detail
