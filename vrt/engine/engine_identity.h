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

/// What an engine is built for: the device as it is described; where it moves to other GPUs, all of a generation, so that it is found there. Whether
/// it runs there the backend says when it loads it. `driver` is empty where engines hold for any.
[[nodiscard]] VRT_API EngineTarget target_of(const DeviceInfo& device, bool moves_to_other_gpus,
                                             const std::string& driver);

/// Throws kUnavailable where the device cannot be used.
[[nodiscard]] VRT_API EngineIdentity identify_engine(const std::vector<DigestedFile>& model,
                                                     const BackendContext& backend, Device device,
                                                     const EngineOptions& options);

}  // namespace vrt::detail
