#include "vrt/engine/tensorrt/layer_text.h"

#include <algorithm>

namespace vrt::tensorrt {
namespace {

/// How TensorRT spells an element type: as a data type (11, TensorRT-RTX), and as a part of the format (10).
struct Spelling {
  std::string_view text;
  std::string_view name;
  int rank;  ///< Of floating-point types, the least first; 0 for others.
};

constexpr Spelling kSpellings[] = {
    {"FP4", "float4", 1},        {"E2M1", "float4", 1},   {"FP8", "float8", 2},   {"E4M3", "float8", 2},
    {"BFloat16", "bfloat16", 3}, {"BF16", "bfloat16", 3}, {"Half", "float16", 4}, {"FP16", "float16", 4},
    {"Float", "float32", 5},     {"FP32", "float32", 5},  {"Int8", "int8", 0},    {"Int4", "int4", 0},
    {"Int32", "int32", 0},       {"Int64", "int64", 0},   {"Bool", "bool", 0},    {"UInt8", "uint8", 0},
};

/// The part of `line` between `begin` and the next `end`; empty where `begin` is not there.
std::string_view between(std::string_view line, std::string_view begin, std::string_view end) {
  const std::size_t at = line.find(begin);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + begin.size());
  return rest.substr(0, std::min(rest.find(end), rest.size()));
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

const Spelling* find_spelling(std::string_view word) {
  const auto* const found = std::find_if(std::begin(kSpellings), std::end(kSpellings), [&](const Spelling& s) {
    return s.text.size() == word.size() && std::equal(word.begin(), word.end(), s.text.begin(), [](char a, char b) {
             const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
             return lower(a) == lower(b);
           });
  });
  return found == std::end(kSpellings) ? nullptr : found;
}

/// The type in "Half, Format: …" or in "Row major linear FP16 format }".
const Spelling* find_type(std::string_view text) {
  while (!text.empty()) {
    const auto* const begin = std::find_if(text.begin(), text.end(), is_word);
    const auto* const end = std::find_if_not(begin, text.end(), is_word);
    if (const Spelling* type = find_spelling({begin, static_cast<std::size_t>(end - begin)})) return type;
    text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
  }
  return nullptr;
}

/// The lesser of what was found so far and the types of a list of tensors; a type without rank only where nothing else is.
const Spelling* least_type(std::string_view tensors, const Spelling* least) {
  for (const std::string_view key : {"Datatype: ", "Format/Datatype: "}) {
    for (std::size_t at = tensors.find(key); at != std::string_view::npos; at = tensors.find(key, at + key.size())) {
      const std::string_view rest = tensors.substr(at + key.size());
      const Spelling* const type = find_type(rest.substr(0, rest.find_first_of(",}")));
      if (type == nullptr) continue;
      if (least == nullptr || (type->rank > 0 && (least->rank == 0 || type->rank < least->rank))) least = type;
    }
  }
  return least;
}

std::string precision_of(std::string_view line) {
  const std::string_view inputs =
      between(line, ", Inputs: [", ", Outputs: [");  // With the constants, where they are listed.
  const Spelling* type = least_type(inputs, nullptr);
  if (type == nullptr) type = least_type(between(line, ", Outputs: [", "}], "), nullptr);
  return type == nullptr ? "" : std::string(type->name);
}

}  // namespace

std::vector<Layer> parse_layers(std::string_view text) {
  constexpr std::string_view kName = "Name: ";
  std::vector<Layer> layers;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.substr(0, kName.size()) != kName) continue;
    layers.push_back({std::string(between(line, kName, ", LayerType: ")),
                      std::string(between(line, ", LayerType: ", ", ")), precision_of(line)});
  }
  return layers;
}

}  // namespace vrt::tensorrt
