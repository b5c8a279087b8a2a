#include "apps/vrt/values.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>

namespace vrt::cli {
namespace {

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

std::string refuse_empty(const std::string& text) { return text.empty() ? "an empty text is no name" : ""; }

std::string refuse_other_than_count(const std::string& text) {
  const bool is_count = whole_number(text).value_or(0) > 0;
  return is_count ? "" : text + " is not a count: expected a whole number, 1 or more";
}

std::string refuse_other_than_count_or_zero(const std::string& text) {
  const bool is_count = whole_number(text).value_or(-1) >= 0;
  return is_count ? "" : text + " is not a count: expected a whole number, 0 or more";
}

}  // namespace vrt::cli
