#include "vrt/media/picture_folder.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "vrt/base/fail.h"
#include "vrt/media/picture_kind.h"

namespace vrt::detail {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Takes a number off the front; its digits without leading zeros.
std::string_view take_number(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  std::string_view number = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(number.size());
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

int compare_numbers(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

// Takes a number, or else one character, off both; which comes first.
int compare_heads(std::string_view& a, std::string_view& b) {
  if (is_digit(a.front()) && is_digit(b.front())) return compare_numbers(take_number(a), take_number(b));
  const int difference = static_cast<unsigned char>(folded(a.front())) - static_cast<unsigned char>(folded(b.front()));
  a.remove_prefix(1);
  b.remove_prefix(1);
  return difference;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) noexcept {
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (const int order = compare_heads(a, b); order != 0) return order < 0;
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;
}

std::vector<std::string> pictures_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::size_t others = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const bool is_picture = has_picture_extension(entry->path()) && !entry->is_directory();
    if (is_picture) names.push_back(entry->path().filename().string());
    if (!is_picture) ++others;
  }
  if (error)
    throw Error(ErrorCode::kIo, fmt::format("the folder '{}' cannot be read", folder.string()), error.message());
  require(!names.empty(), "the folder '{}' has no pictures (JPEG, PNG, BMP, TIFF, WebP, GIF, PNM) among its {} entries",
          folder.string(), others);
  std::sort(names.begin(), names.end(), natural_less);
  return names;
}

}  // namespace vrt::detail
