#include "apps/vrt/values.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
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

std::string refuse_other_than_architecture(const std::string& text) {
  const std::string_view digits = std::string_view(text).substr(std::min<std::size_t>(3, text.size()));
  const bool are_digits = digits.find_first_not_of("0123456789") == std::string_view::npos;
  const bool fits = text.starts_with("sm_") && are_digits && (digits.size() == 2 || digits.size() == 3);
  return fits ? "" : text + " is not an architecture: expected sm_ and two or three digits, as in sm_87";
}

}  // namespace vrt::cli
