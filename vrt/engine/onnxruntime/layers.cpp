#include "vrt/engine/onnxruntime/layers.h"

#include <nlohmann/json.hpp>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "vrt/engine/backend_support.h"
#include "vrt/engine/onnxruntime/ort.h"

namespace vrt::onnxruntime {
namespace {

using backend::Failure;
using nlohmann::json;

/// As many numbers as the shapes and the indices of a tensor have, and no data.
constexpr std::uint64_t kFewNumbers = 64;

struct Value {
  std::string type;  ///< "float32"
  std::vector<std::int64_t> shape;
};

/// vrt's name of an element type; ONNX Runtime's own where vrt has none.
std::string type_name(const std::string& name) {
  static const std::map<std::string, std::string> names = {{"float", "float32"}, {"double", "float64"}};
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

/// [{"float":[1,3]},{"int64":[]}]
std::vector<Value> read_values(const json& array) {
  std::vector<Value> values;
  for (const json& entry : array) {
    for (const auto& [type, shape] : entry.items()) {
      values.push_back({type_name(type), shape.get<std::vector<std::int64_t>>()});
    }
  }
  return values;
}

bool is_real(const Value& value) { return value.type.find("float") != std::string::npos; }
bool is_count(const Value& value) { return !is_real(value) && element_count(value.shape) <= kFewNumbers; }

/// The type of the first real number that it gives, else that it takes, else of what it gives.
std::string precision_of(const std::vector<Value>& inputs, const std::vector<Value>& outputs) {
  for (const auto* values : {&outputs, &inputs}) {
    const auto found = std::find_if(values->begin(), values->end(), is_real);
    if (found != values->end()) return found->type;
  }
  return outputs.empty() ? "" : outputs.front().type;
}

Layer read_layer(const std::string& name, const json& arguments) {
  const std::vector<Value> inputs = read_values(arguments.at("input_type_shape"));
  const std::vector<Value> outputs = read_values(arguments.at("output_type_shape"));
  Layer layer;
  layer.name = name;
  layer.type = arguments.at("op_name").get<std::string>();
  layer.precision = precision_of(inputs, outputs);
  layer.on_host = arguments.at("provider").get<std::string>() == "CPUExecutionProvider";
  layer.only_counts =
      std::all_of(outputs.begin(), outputs.end(), is_count) && std::all_of(inputs.begin(), inputs.end(), is_count);
  for (const Value& output : outputs) layer.results.push_back(output.type + text_of(output.shape));
  return layer;
}

bool copies_between_devices(const Layer& layer) {
  return layer.type == "MemcpyToHost" || layer.type == "MemcpyFromHost";
}

std::string listed(const std::vector<const Layer*>& layers) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < layers.size() && i < kMost; ++i) {
    text += (text.empty() ? "'" : ", '") + layers[i]->name + "' (" + layers[i]->type + ")";
  }
  return layers.size() > kMost ? text + " and " + std::to_string(layers.size() - kMost) + " more" : text;
}

/// Reshape, TopK and others read such an input on the host: ONNX Runtime then copies it when it is bound, once for all runs.
void require_data_inputs(const Signature& signature) {
  constexpr std::uint64_t kMostParameters = 16;
  for (const Tensor& input : signature.inputs) {
    if (input.shape.size() > 1 || element_count(input.shape) > kMostParameters) continue;
    throw Failure(VRT_BACKEND_UNSUPPORTED,
                  "input '" + input.name + "' is " + text_of(input.shape) +
                      ": ONNX Runtime may read an input of so few numbers on the host when it is bound, and not in "
                      "each run; make it a constant of the model, or run it on the CPU");
  }
}

/// "int64[1,2]", as a layer's results are named; empty for tensors that hold no counts.
std::string count_text(const Tensor& tensor, std::int64_t batch) {
  const auto dtype = to_dtype(tensor.type);
  const char* const name = dtype == DType::kInt64 ? "int64" : dtype == DType::kInt32 ? "int32" : "";
  return *name == '\0' ? "" : name + text_of(tensor.shape_at(batch));
}

void require_data_outputs(const Signature& signature, const std::set<std::string>& host_results, std::int64_t batch) {
  for (const Tensor& output : signature.outputs) {
    if (host_results.count(count_text(output, batch)) == 0) continue;
    throw Failure(VRT_BACKEND_UNSUPPORTED, "output '" + output.name + "' is " + text_of(output.shape) +
                                               ": ONNX Runtime computes it on the CPU, from shapes");
  }
}

}  // namespace

std::vector<Layer> parse_profile(std::string_view text) {
  constexpr std::string_view kSuffix = "_kernel_time";
  try {
    std::vector<Layer> layers;
    std::set<std::pair<std::string, std::string>> seen;  // A loop's body runs more than once.
    for (const json& event : json::parse(text)) {
      std::string name = event.value("name", "");
      const bool is_kernel = event.value("cat", "") == "Node" && name.size() > kSuffix.size() &&
                             name.compare(name.size() - kSuffix.size(), kSuffix.size(), kSuffix) == 0;
      if (!is_kernel) continue;
      name.resize(name.size() - kSuffix.size());
      const json& arguments = event.at("args");
      if (seen.emplace(name, arguments.value("node_index", "")).second) layers.push_back(read_layer(name, arguments));
    }
    return layers;
  } catch (const json::exception& problem) {
    throw Failure(VRT_BACKEND_FAILED,
                  std::string("ONNX Runtime's record of a run has another form than vrt reads: ") + problem.what());
  }
}

bool are_same(const std::vector<Layer>& some, const std::vector<Layer>& others) {
  using Key = std::tuple<std::string, std::string, bool, std::vector<std::string>>;
  const auto keys_of = [](const std::vector<Layer>& layers) {
    std::multiset<Key> keys;
    for (const Layer& layer : layers) keys.emplace(layer.type, layer.precision, layer.on_host, layer.results);
    return keys;
  };
  return keys_of(some) == keys_of(others);
}

std::vector<Layer> Recording::finish(const OrtApi& api, OrtSession& session) const {
  OrtAllocator* allocator = nullptr;
  check(api, api.GetAllocatorWithDefaultOptions(&allocator), Stage::kCall);
  char* name = nullptr;
  check(api, api.SessionEndProfiling(&session, allocator, &name), Stage::kCall);
  std::ifstream file(name, std::ios::binary);
  check(api, api.AllocatorFree(allocator, name), Stage::kCall);
  return parse_profile(std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()));
}

std::string describe(const std::vector<Layer>& layers) {
  json list = json::array();
  for (const Layer& layer : layers) {
    list.push_back({{"name", layer.name}, {"type", layer.type}, {"precision", layer.precision}});
  }
  // Names are the model's own: bytes that are no UTF-8 are replaced, not thrown at.
  return json{{"layers", std::move(list)}}.dump(-1, ' ', false, json::error_handler_t::replace);
}

void require_on_gpu(const std::vector<Layer>& layers, const Signature& signature, std::int64_t batch) {
  std::vector<const Layer*> on_host;
  std::set<std::string> host_results;
  const bool copies = std::any_of(layers.begin(), layers.end(), copies_between_devices);
  for (const Layer& layer : layers) {
    // What only counts runs on the host while the run is enqueued, and nothing waits for it.
    if (layer.on_host && (copies || !layer.only_counts)) on_host.push_back(&layer);
    if (layer.on_host || layer.type == "Shape" || layer.type == "Size") {
      host_results.insert(layer.results.begin(), layer.results.end());
    }
  }
  if (copies || !on_host.empty()) {
    throw Failure(VRT_BACKEND_UNSUPPORTED,
                  "ONNX Runtime has no CUDA kernel for some layers and would run them on the CPU, for which the GPU "
                  "has to be waited for: " +
                      (on_host.empty() ? "its copies do not say which" : listed(on_host)));
  }
  require_data_inputs(signature);
  require_data_outputs(signature, host_results, batch);
}

}  // namespace vrt::onnxruntime
