// The texts that pass the bridge to a backend: cut and terminated inside the caller's buffer.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "vrt/engine/backend_support.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

/// Runs of white space and control characters as one blank, none at the ends.
std::string folded(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool blank = static_cast<unsigned char>(c) <= ' ';
    if (!blank || (!result.empty() && result.back() != ' ')) result += blank ? ' ' : c;
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  if (bytes < 1) return 0;
  const std::size_t room = data[0];
  const std::string text(reinterpret_cast<const char*>(data) + 1, bytes - 1);
  const auto buffer = std::make_unique<char[]>(room);  // Of the exact size, so that one byte too many is reported.
  VrtBackendError error{};
  error.struct_bytes = sizeof(error);
  error.text = buffer.get();
  error.text_bytes = room;
  check(vrt::backend::guarded(&error, [&] { throw vrt::backend::Failure(VRT_BACKEND_CORRUPT, text); }) ==
        VRT_BACKEND_CORRUPT);
  if (room == 0) return 0;
  const std::string written = buffer.get();
  const std::string whole = folded(text);
  check(written.size() < room && whole.compare(0, written.size(), written) == 0);
  check(whole.size() >= room || written == whole);
  return 0;
}
