#include "apps/vrt/values.h"

#include <charconv>
#include <cstdint>
#include <system_error>

namespace vrt::cli {

std::string refuse_empty(const std::string& text) { return text.empty() ? "an empty text is no name" : ""; }

std::string refuse_other_than_count(const std::string& text) {
  std::int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  const bool is_count = error == std::errc() && stop == end && count > 0;
  return is_count ? "" : text + " is not a count: expected a whole number, 1 or more";
}

}  // namespace vrt::cli
