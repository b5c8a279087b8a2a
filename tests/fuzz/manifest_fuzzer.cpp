// Manifests of the engine cache: what is refused is kCorrupt, and what is taken is written and read back the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "vrt/base/error.h"
#include "vrt/engine/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using vrt::detail::Manifest;
  try {
    const Manifest manifest = vrt::detail::parse_manifest(std::string_view(reinterpret_cast<const char*>(data), bytes));
    const std::string written = to_json(manifest);
    if (to_json(vrt::detail::parse_manifest(written)) != written) std::abort();
    if (key_of(manifest.identity).size() != 64) std::abort();
  } catch (const vrt::Error& error) {
    if (error.code() != vrt::ErrorCode::kCorrupt) std::abort();
  }
  return 0;
}
