#include "vrt/engine/engine_details.h"

#include <nlohmann/json.hpp>
#include <algorithm>

#include "vrt/base/fail.h"

namespace vrt::detail {
namespace {

std::optional<std::uint64_t> read_size(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  return found->get<std::uint64_t>();
}

EngineLayer read_layer(const nlohmann::json& layer) {
  return {layer.at("name").get<std::string>(), layer.at("type").get<std::string>(),
          layer.at("precision").get<std::string>()};
}

}  // namespace

EngineDetails parse_details(std::string_view json) {
  try {
    const nlohmann::json object = nlohmann::json::parse(json);
    EngineDetails details;
    for (const nlohmann::json& layer : object.at("layers")) details.layers.push_back(read_layer(layer));
    details.weights_bytes = read_size(object, "weights_bytes");
    details.activation_bytes = read_size(object, "activation_bytes");
    return details;
  } catch (const nlohmann::json::exception& problem) {
    throw Error(ErrorCode::kBackend, "the backend describes its engine in another way than vrt reads", problem.what());
  }
}

void require_precision(const EngineDetails& details, Precision asked) {
  const bool any = std::any_of(details.layers.begin(), details.layers.end(),
                               [](const EngineLayer& layer) { return layer.precision == "float16"; });
  if (asked != Precision::kFloat16 || any) return;
  fail(ErrorCode::kUnsupported, "float16 was asked for, but none of the engine's {} layers computes in it",
       details.layers.size());
}

}  // namespace vrt::detail
