// Internal (not installed): where in a network of reduced precision the difference from float32 begins.
#pragma once

#include <memory>
#include <string>

#include "vrt/engine/engine_build.h"

namespace vrt::detail {

/// "; first in node 'conv3' (Conv): 12.3 %, …": the first nodes, in the order of computation, whose value is out of bounds; found by making
/// inner values outputs of both networks. `request` is what the reduced network was built from. Builds both a few times. Empty where
/// it cannot be told: the file is no ONNX, a backend does not take the exposed values, or no inner value is out of bounds; the reason is
/// logged. Throws kCancelled alone.
[[nodiscard]] std::string describe_differing_layers(const std::shared_ptr<BackendContext>& backend,
                                                    const BuildRequest& request);

}  // namespace vrt::detail
