#include "vrt/engine/tensorrt/message.h"

#include <algorithm>
#include <cctype>

namespace vrt::tensorrt {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// The end of "file.cpp:123" at `begin`; `begin` where there is none.
std::size_t end_of_place(const std::string& text, std::size_t begin) {
  std::size_t at = begin;
  while (at < text.size() && text[at] != ' ' && text[at] != ')' && text[at] != ':') ++at;
  if (at == begin || at + 1 >= text.size() || text[at] != ':' || !is_digit(text[at + 1])) return begin;
  ++at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

/// Takes out each " In function at /path/file.cpp:123".
std::string without_places(std::string text) {
  constexpr std::string_view kIn = "In ";
  constexpr std::string_view kAt = " at ";
  for (std::size_t in = text.find(kIn); in != std::string::npos; in = text.find(kIn, in + 1)) {
    const std::size_t at = text.find(kAt, in);
    const std::size_t word_end = text.find(' ', in + kIn.size());
    // "operator() at" is the only name of a function with a blank behind it.
    if (at == std::string::npos || word_end != at) continue;
    const std::size_t end = end_of_place(text, at + kAt.size());
    if (end == at + kAt.size()) continue;
    const std::size_t begin = in > 0 && text[in - 1] == ' ' ? in - 1 : in;
    text.erase(begin, end - begin);
    in = begin;
    if (in >= text.size()) break;
  }
  return text;
}

/// Takes off "[file.cpp::function::123] ".
std::string without_prefix(const std::string& text) {
  const std::size_t end = text.find("] ");
  const bool has_place = !text.empty() && text.front() == '[' && end != std::string::npos && text.find("::") < end;
  return has_place ? text.substr(end + 2) : text;
}

/// "Assertion failed: condition: reason" as "reason"; without a reason the condition stays.
std::string without_condition(const std::string& text) {
  constexpr std::string_view kAssertion = "Assertion failed: ";
  if (text.rfind(kAssertion, 0) != 0) return text;
  const std::size_t colon = text.find(": ", kAssertion.size());
  return colon == std::string::npos ? text.substr(kAssertion.size()) : text.substr(colon + 2);
}

/// Failures that follow from a failure: nothing of their own to say.
bool is_aftermath(std::string_view line) {
  return line.find("checkMacros.cpp::catchCudaError") != std::string_view::npos;
}

std::string trimmed(std::string_view line) {
  const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  const auto* const begin = std::find_if_not(line.begin(), line.end(), is_blank);
  const auto end = std::find_if_not(line.rbegin(), std::make_reverse_iterator(begin), is_blank).base();
  return {begin, end};
}

}  // namespace

std::string essence(std::string_view message) {
  std::string kept;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find('\n'), message.size());
    const std::string line = trimmed(message.substr(0, end));
    message.remove_prefix(std::min(end + 1, message.size()));
    if (line.empty() || (is_aftermath(line) && !kept.empty())) continue;
    kept += (kept.empty() ? "" : "; ") + trimmed(without_condition(without_prefix(without_places(line))));
  }
  return kept;
}

}  // namespace vrt::tensorrt
