#include "vrt/models/common/class_name_text.h"

#include <cctype>
#include <charconv>
#include <string_view>
#include <vector>

#include "vrt/base/fail.h"

namespace vrt {
namespace {

// Reads a Python literal from left to right.
class LiteralReader {
 public:
  explicit LiteralReader(std::string_view text) : all_(text), text_(text) {}

  bool take(char wanted) {
    skip_spaces();
    if (text_.empty() || text_.front() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted)) refuse(std::string("'") + wanted + "'");
  }
  std::int32_t number() {
    skip_spaces();
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) refuse("a number");
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }
  std::string quoted() {
    skip_spaces();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) refuse("a quoted name");
    const char quote = text_.front();
    std::string result;
    for (std::size_t i = 1; i < text_.size(); ++i) {
      if (text_[i] == quote) {
        text_.remove_prefix(i + 1);
        return result;
      }
      if (text_[i] == '\\' && i + 1 < text_.size()) ++i;
      result.push_back(text_[i]);
    }
    refuse("the end of a quoted name");
  }
  [[noreturn]] void refuse(const std::string& expected) const {
    fail(ErrorCode::kCorrupt, "the model's metadata: expected {} at character {} of: {}", expected,
         all_.size() - text_.size(), all_.substr(0, 200));
  }

 private:
  void skip_spaces() {
    while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_.front())) != 0) text_.remove_prefix(1);
  }

  std::string_view all_;
  std::string_view text_;
};

}  // namespace

ClassNames parse_class_names(const std::string& dictionary) {
  LiteralReader reader(dictionary);
  std::vector<std::string> names;
  reader.expect('{');
  while (!reader.take('}')) {
    const std::int32_t id = reader.number();
    if (id < 0 || id >= kMostClasses) reader.refuse("a class id below 65536");
    reader.expect(':');
    if (static_cast<std::size_t>(id) >= names.size()) names.resize(static_cast<std::size_t>(id) + 1);
    names[static_cast<std::size_t>(id)] = reader.quoted();
    if (reader.take(',')) continue;
    reader.expect('}');
    break;
  }
  return ClassNames(std::move(names));
}

std::vector<std::int32_t> parse_numbers(const std::string& list) {
  LiteralReader reader(list);
  std::vector<std::int32_t> numbers;
  reader.expect('[');
  while (!reader.take(']')) {
    numbers.push_back(reader.number());
    if (reader.take(',')) continue;
    reader.expect(']');
    break;
  }
  return numbers;
}

std::pair<std::int32_t, std::int32_t> parse_pair(const std::string& list) {
  LiteralReader reader(list);
  if (!reader.take('[')) reader.expect('(');
  const std::int32_t first = reader.number();
  reader.expect(',');
  return {first, reader.number()};
}

}  // namespace vrt
