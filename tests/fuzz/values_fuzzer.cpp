// Values of the command line: device names and counts. What is accepted must be what was written.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "apps/vrt/values.h"
#include "vrt/base/error.h"
#include "vrt/device/device.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

void parse_device(const std::string& text) {
  try {
    const vrt::Device device = vrt::Device::parse(text);
    check(text == "auto" || to_string(device) == text);
  } catch (const vrt::Error& error) {
    check(!std::string(error.what()).empty());
  }
}

/// By digits alone, unlike the code.
bool is_count(const std::string& text) {
  constexpr const char* kLargest = "9223372036854775807";
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) return false;
  const std::size_t first = text.find_first_not_of('0');
  if (first == std::string::npos) return false;
  const std::string digits = text.substr(first);
  return digits.size() < 19 || (digits.size() == 19 && digits <= kLargest);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const std::string text(reinterpret_cast<const char*>(data), bytes);
  parse_device(text);
  check(vrt::cli::refuse_other_than_count(text).empty() == is_count(text));
  check(vrt::cli::refuse_empty(text).empty() == !text.empty());
  return 0;
}
