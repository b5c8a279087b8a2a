// Internal (not installed): what a module tells of a compiled network, read.
#pragma once

#include <string_view>

#include "vrt/engine/engine.h"
#include "vrt/engine/model_preparation.h"

namespace vrt::detail {

/// Reads the JSON of engine_describe. Throws kBackend naming what is not as backend_abi.h says.
[[nodiscard]] EngineDetails parse_details(std::string_view json);

/// Throws kUnsupported unless `details` shows that the engine computes in what was asked for: with kFloat16 at least one layer in float16 and,
/// of many, no fewer than a quarter of the share that `preparation` converted. (That float32 is not undercut is each module's own check: a
/// model may itself be in mixed precision.)
void require_precision(const EngineDetails& details, Precision asked, const PreparationReport& preparation);

}  // namespace vrt::detail
