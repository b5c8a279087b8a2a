#include "vrt/engine/onnx/utf8.h"

#include <cstddef>

#include "vrt/base/fail.h"

namespace vrt::onnx {
namespace {

/// Bytes of the character that begins with `first`, and the least code point that needs so many; 0 bytes for none.
struct Lead {
  std::size_t bytes;
  char32_t bits;
  char32_t least;
};

Lead lead_of(unsigned char first) noexcept {
  if (first < 0x80) return {1, first, 1};
  if ((first & 0xE0) == 0xC0) return {2, first & 0x1FU, 0x80};
  if ((first & 0xF0) == 0xE0) return {3, first & 0x0FU, 0x800};
  if ((first & 0xF8) == 0xF0) return {4, first & 0x07U, 0x10000};
  return {0, 0, 0};
}

bool is_code_point(char32_t code, char32_t least) noexcept {
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  return code >= least && code <= 0x10FFFF && !is_surrogate;
}

void check(std::string_view text, const char* what) {
  if (!is_utf8(text)) fail(ErrorCode::kCorrupt, "{} is not UTF-8 text", what);
}

void check_value(const ValueInfo& value) {
  check(value.name(), "the name of a tensor");
  for (const auto& extent : value.type().tensor_type().shape().dim()) {
    check(extent.dim_param(), "the name of a dimension");
  }
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    auto [bytes, code, least] = lead_of(static_cast<unsigned char>(text.front()));
    if (bytes == 0 || bytes > text.size()) return false;
    for (std::size_t i = 1; i < bytes; ++i) {
      const auto next = static_cast<unsigned char>(text[i]);
      if ((next & 0xC0) != 0x80) return false;
      code = code << 6 | (next & 0x3FU);
    }
    if (!is_code_point(code, least)) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

void check_utf8(const Node& node) {
  check(node.name(), "the name of a node");
  check(node.op_type(), "the type of a node");
  check(node.domain(), "the domain of a node");
  for (const std::string& name : node.input()) check(name, "the name of a tensor");
  for (const std::string& name : node.output()) check(name, "the name of a tensor");
  for (const Attribute& attribute : node.attribute()) check(attribute.name(), "the name of an attribute");
}

void check_utf8(const Graph& graph) {
  check(graph.name(), "the name of a graph");
  for (const Node& node : graph.node()) check_utf8(node);
  for (const Tensor& tensor : graph.initializer()) check(tensor.name(), "the name of a tensor");
  for (const auto& tensor : graph.sparse_initializer()) check(tensor.values().name(), "the name of a tensor");
  for (const auto* values : {&graph.input(), &graph.output(), &graph.value_info()}) {
    for (const ValueInfo& value : *values) check_value(value);
  }
}

}  // namespace vrt::onnx
