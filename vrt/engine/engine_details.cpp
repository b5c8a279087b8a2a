#include "vrt/engine/engine_details.h"

#include <nlohmann/json.hpp>
#include <algorithm>
#include <cstdint>
#include <iterator>

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

std::int64_t count_layers(const EngineDetails& details, std::string_view precision) {
  return std::count_if(details.layers.begin(), details.layers.end(),
                       [&](const EngineLayer& layer) { return layer.precision == precision; });
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

void require_precision(const EngineDetails& details, Precision asked, const PreparationReport& preparation) {
  if (asked != Precision::kFloat16) return;
  const auto half = count_layers(details, "float16");
  if (half == 0)
    fail(ErrorCode::kUnsupported, "float16 was asked for, but none of the engine's {} layers computes in it",
         details.layers.size());
  // Backends merge nodes, and add layers that convert and move: only the shares can be compared, and only roughly.
  constexpr std::int64_t kMany = 16;
  constexpr double kLeast = 0.25;
  const auto floating = half + count_layers(details, "float32");
  if (preparation.converted_nodes < kMany || floating < kMany) return;
  const auto nodes = preparation.converted_nodes + std::ssize(preparation.kept);
  const double converted = static_cast<double>(preparation.converted_nodes) / static_cast<double>(nodes);
  if (static_cast<double>(half) / static_cast<double>(floating) >= kLeast * converted) return;
  fail(ErrorCode::kUnsupported,
       "float16 was asked for, and {} of the network's {} nodes were converted to it, but {} of the engine's {} layers "
       "compute in it: the backend went back to float32",
       preparation.converted_nodes, nodes, half, floating);
}

}  // namespace vrt::detail
