#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "apps/vrt/commands.h"
#include "vrt/base/error.h"
#include "vrt/hub/registry.h"

namespace vrt::cli {
namespace {

std::string status_of(const ModelEntry& entry) {
  try {
    return locate_model(entry).string();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNotFound) throw;
    return fmt::format("missing: {}", entry.how_to_get);
  }
}

}  // namespace

int models_command() {
  fmt::print("{:<12} {:<12} {}\n", "name", "family", "file");
  for (const ModelEntry& entry : known_models()) {
    fmt::print("{:<12} {:<12} {}\n", entry.name, entry.family, status_of(entry));
  }
  return kSuccess;
}

}  // namespace vrt::cli
