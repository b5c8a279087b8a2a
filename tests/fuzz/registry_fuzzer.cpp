// Names of models and paths from the environment: found or refused, never a crash.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "vrt/base/error.h"
#include "vrt/hub/registry.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const std::string text(reinterpret_cast<const char*>(data), bytes);
  try {
    if (vrt::find_model(text).name != text) std::abort();
  } catch (const vrt::Error& error) {
    if (error.code() != vrt::ErrorCode::kNotFound) std::abort();
  }
  if (text.size() > 300) return 0;  // The C library keeps every value that was ever set.
  setenv("VRT_MODELS", text.c_str(), 1);
  setenv("VRT_CACHE", text.c_str(), 1);
  for (const vrt::ModelEntry& entry : vrt::known_models()) {
    if (vrt::model_places(entry).empty() && !text.empty() && text[0] == '/') std::abort();
  }
  return 0;
}
