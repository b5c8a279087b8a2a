#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
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
  std::size_t name_width = 0;
  for (const ModelEntry& entry : known_models()) name_width = std::max(name_width, entry.name.size());
  fmt::print("{:<{}} {:<16} {}\n", "name", name_width, "family", "file");
  for (const ModelEntry& entry : known_models()) {
    fmt::print("{:<{}} {:<16} {}\n", entry.name, name_width, entry.family, status_of(entry));
  }
  return kSuccess;
}

}  // namespace vrt::cli
