#include "vrt/engine/tensorrt/onnx_parser.h"

#include <algorithm>
#include <set>

#include "vrt/engine/backend_support.h"
#include "vrt/engine/tensorrt/log_relay.h"
#include "vrt/engine/tensorrt/message.h"

namespace vrt::tensorrt {
namespace {

using backend::Failure;
using nvonnxparser::ErrorCode;

std::string or_empty(const char* text) { return text != nullptr ? text : ""; }

bool is_missing_operator(const nvonnxparser::IParser& parser, const nvonnxparser::IParserError& error) {
  const std::string type = or_empty(error.nodeOperator());
  return !type.empty() && !parser.supportsOperator(type.c_str());
}

std::int32_t status_of(const nvonnxparser::IParser& parser, const nvonnxparser::IParserError& error) {
  if (is_missing_operator(parser, error) || error.code() >= ErrorCode::kUNSUPPORTED_GRAPH)
    return VRT_BACKEND_UNSUPPORTED;
  if (error.code() == ErrorCode::kMEM_ALLOC_FAILED) return VRT_BACKEND_OUT_OF_MEMORY;
  return error.code() == ErrorCode::kINTERNAL_ERROR ? VRT_BACKEND_FAILED : VRT_BACKEND_CORRUPT;
}

/// "node 'conv1' (Conv): the reason".
std::string text_of(const nvonnxparser::IParser& parser, const nvonnxparser::IParserError& error) {
  const std::string type = or_empty(error.nodeOperator());
  std::string reason = essence(or_empty(error.desc()));
  if (type.empty() && error.node() < 0) return reason;
  const std::string name = or_empty(error.nodeName());
  const std::string node =
      "node " + (name.empty() ? std::to_string(error.node()) : "'" + name + "'") + " (" + type + "): ";
  if (is_missing_operator(parser, error)) return node + kProduct + " has no such operator";
  // The parser's checks of what it does not support give no reason.
  return node + (reason.empty() || reason == "false"
                     ? kProduct + std::string(" does not support this use of the operator")
                     : reason);
}

/// Why the parser refuses the model: the first error decides what kind it is, each is named once.
Failure refusal(const nvonnxparser::IParser& parser, const ErrorNotes& notes) {
  const int count = parser.getNbErrors();
  if (count == 0) return notes.failure("the model cannot be read", VRT_BACKEND_CORRUPT);
  constexpr std::size_t kShown = 5;
  std::set<std::string> seen;
  std::string text;
  std::int32_t status = VRT_BACKEND_CORRUPT;
  for (int i = 0; i < count; ++i) {
    const nvonnxparser::IParserError* const error = parser.getError(i);
    if (error == nullptr) continue;
    if (seen.empty()) status = status_of(parser, *error);
    const std::string one = text_of(parser, *error);
    if (seen.insert(one).second && seen.size() <= kShown) text += (text.empty() ? "" : "; ") + one;
  }
  if (seen.size() > kShown) text += "; and " + std::to_string(seen.size() - kShown) + " more";
  return {status, "the model cannot be read: " + text};
}

}  // namespace

std::unique_ptr<nvonnxparser::IParser> parse_onnx(const Library& library, nvinfer1::INetworkDefinition& network,
                                                  const std::string& path) {
  std::unique_ptr<nvonnxparser::IParser> parser = library.create_parser(network);
  const ErrorNotes notes;
  if (!parser->parseFromFile(path.c_str(), static_cast<int>(nvinfer1::ILogger::Severity::kWARNING)))
    throw refusal(*parser, notes);
  // An empty file is a model without anything to the parser.
  if (network.getNbOutputs() == 0) throw Failure(VRT_BACKEND_CORRUPT, "the model cannot be read: it has no outputs");
  return parser;
}

}  // namespace vrt::tensorrt
