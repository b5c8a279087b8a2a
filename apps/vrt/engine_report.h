// Kept engines for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "vrt/engine/engine_cache.h"

namespace vrt::cli {

using EngineEntry = detail::EngineCache::Entry;

/// Several lines: what it was built from and with, and how far it is from float32.
[[nodiscard]] std::string engine_text(const EngineEntry& entry);
/// One row for each.
[[nodiscard]] std::string engine_table(const std::vector<EngineEntry>& entries);
/// An array of objects with "entry", "path", "bytes", "problem" (absent where nothing is wrong) and "manifest" (absent where it
/// cannot be read).
[[nodiscard]] std::string engine_json(const std::vector<EngineEntry>& entries);

}  // namespace vrt::cli
