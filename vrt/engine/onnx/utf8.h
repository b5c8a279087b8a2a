// Internal (not installed): texts of ONNX files go into messages, JSON and other libraries, which take UTF-8 only.
#pragma once

#include <string_view>

#include "vrt/engine/onnx/model.h"

namespace vrt::onnx {

/// Whether every byte belongs to a well-formed character (RFC 3629), and none is a null.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// Throws kCorrupt, saying where, unless every name of the graph's own nodes and values is UTF-8. Its subgraphs are not looked at.
void check_utf8(const Graph& graph);
void check_utf8(const Node& node);

}  // namespace vrt::onnx
