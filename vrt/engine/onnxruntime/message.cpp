#include "vrt/engine/onnxruntime/message.h"

#include <onnxruntime_c_api.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace vrt::onnxruntime {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Where the parenthesis that opens at `open` closes; npos if it does not.
std::size_t matching_end(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

/// The end of the function that follows a place in the sources: its whole signature behind a path ("/a/b.cc:12 void
/// f(int) const"), its bare name behind a file name ("b.cc:12 f").
std::size_t end_of_function(std::string_view text, std::size_t at, bool whole_signature) {
  if (!whole_signature) return std::min(text.find(' ', at), text.size());
  const std::size_t open = text.find('(', at);
  std::size_t end = open == std::string_view::npos ? open : matching_end(text, open);
  if (end == std::string_view::npos) return at;
  if (text.substr(end, 6) == " const") end += 6;
  if (text.substr(end, 6) == " [with") end = std::min(text.find(']', end), text.size() - 1) + 1;
  return end;
}

/// Takes out the first "/path/file.cc:12 signature" or "file.cc:12 function"; false if there is none.
bool drop_source_location(std::string& text) {
  for (const std::string_view ending : {".cc:", ".cpp:", ".h:", ".cu:", ".cuh:"}) {
    const std::size_t colon = text.find(ending);
    if (colon == std::string::npos) continue;
    std::size_t after = colon + ending.size();
    if (after >= text.size() || !is_digit(text[after])) continue;
    while (after < text.size() && is_digit(text[after])) ++after;
    while (after < text.size() && is_blank(text[after])) ++after;
    std::size_t begin = colon;
    while (begin > 0 && !is_blank(text[begin - 1])) --begin;
    text.erase(begin, end_of_function(text, after, text[begin] == '/') - begin);
    return true;
  }
  return false;
}

/// "[ONNXRuntimeError] : 2 : INVALID_ARGUMENT : reason" becomes the reason.
bool drop_code(std::string& text) {
  constexpr std::string_view kMark = "[ONNXRuntimeError] : ";
  const std::size_t begin = text.find(kMark);
  if (begin == std::string::npos) return false;
  std::size_t end = begin + kMark.size();
  for (int field = 0; field < 2; ++field) {
    const std::size_t colon = text.find(" : ", end);
    if (colon == std::string::npos) break;
    end = colon + 3;
  }
  text.erase(begin, end - begin);
  return true;
}

bool drop_words(std::string& text, std::string_view words) {
  const std::size_t begin = text.find(words);
  if (begin == std::string::npos) return false;
  text.erase(begin, words.size());
  return true;
}

/// "Load model from /a/b.onnx failed:", which vrt says before.
void drop_load_prefix(std::string& text) {
  constexpr std::string_view kEnd = " failed:";
  const std::size_t end = text.find(kEnd);
  if (text.rfind("Load model from ", 0) == 0 && end != std::string::npos) text.erase(0, end + kEnd.size());
}

/// One blank for each run of white space, none at the ends.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (!is_blank(c)) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return text.find(word) != std::string_view::npos; });
}

/// ONNX Runtime gives most failures one code, so its words decide, too.
std::int32_t status_of_open(std::int32_t code, std::string_view text) {
  if (has_any(text, {"is not a registered function/op", "No Op registered for", "Unsupported model IR version",
                     "Could not find an implementation", "opset versions", "for operator"})) {
    return VRT_BACKEND_UNSUPPORTED;
  }
  if (has_any(text, {"External data", "external data"})) return VRT_BACKEND_NOT_FOUND;
  if (has_any(text, {"ShapeInferenceError", "Incompatible dimensions"})) return VRT_BACKEND_INVALID_ARGUMENT;
  switch (code) {
    case ORT_NOT_IMPLEMENTED: return VRT_BACKEND_UNSUPPORTED;
    case ORT_NO_SUCHFILE: return VRT_BACKEND_NOT_FOUND;
    case ORT_INVALID_PROTOBUF:
    case ORT_NO_MODEL:
    case ORT_INVALID_GRAPH:
    case ORT_INVALID_ARGUMENT: return VRT_BACKEND_CORRUPT;
    default: return VRT_BACKEND_FAILED;
  }
}

}  // namespace

std::int32_t log_level_of(std::int32_t severity, std::string_view location) {
  if (location.find("cudnn_fe_call") != std::string_view::npos) return 0;
  if (severity >= ORT_LOGGING_LEVEL_ERROR) return 2;
  return severity == ORT_LOGGING_LEVEL_WARNING ? 1 : 0;
}

std::string essence(std::string_view message) {
  std::string text(message);
  while (drop_source_location(text) || drop_code(text)) {
  }
  drop_load_prefix(text);
  for (const std::string_view words : {"Fatal error: ", "This is an invalid model. ", "Status Message: ",
                                       "Non-zero status code returned while running ", "Exception during loading: "}) {
    drop_words(text, words);
  }
  std::string line = one_line(text);
  return line.empty() ? one_line(message) : line;
}

backend::Failure failure_of(std::int32_t code, std::string_view message, Stage stage) {
  const std::string text = essence(message);
  if (has_any(message, {"Failed to allocate memory", "out of memory", "bad_alloc", "ALLOC_FAILED"})) {
    return {VRT_BACKEND_OUT_OF_MEMORY, text};
  }
  if (stage != Stage::kOpen) return {VRT_BACKEND_FAILED, text};
  const std::int32_t status = status_of_open(code, message);
  const char* const doing = status == VRT_BACKEND_CORRUPT  ? "the model cannot be read: "
                            : status == VRT_BACKEND_FAILED ? "the network does not compile: "
                                                           : "";
  return {status, doing + text};
}

}  // namespace vrt::onnxruntime
