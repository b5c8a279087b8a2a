#include "vrt/engine/onnxruntime/network_blob.h"

#include <nlohmann/json.hpp>
#include <cstring>
#include <set>
#include <utility>

#include "vrt/engine/backend_support.h"
#include "vrt/engine/onnxruntime/ort.h"

namespace vrt::onnxruntime {
namespace {

using backend::Failure;
using nlohmann::json;

constexpr std::string_view kFirstWords = "vrt ONNX Runtime network 1 ";

[[noreturn]] void refuse(const std::string& reason) {
  throw Failure(VRT_BACKEND_CORRUPT, "the kept network cannot be taken: " + reason);
}

/// Finds every change of up to eight bytes in a row, and any other but for one in 2^64. Not against an adversary: an engine is
/// code, and the cache takes it from its owner alone.
class Checksum {
 public:
  void update(std::string_view bytes) {
    while (bytes.size() >= sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), sizeof(word));
      add(word);
      bytes.remove_prefix(sizeof(word));
    }
    std::uint64_t rest = 0;
    if (!bytes.empty()) std::memcpy(&rest, bytes.data(), bytes.size());
    add(rest);
    add(bytes.size());
  }
  [[nodiscard]] std::string text() const {
    constexpr std::string_view kHexadecimal = "0123456789abcdef";
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4) digits += kHexadecimal[(state_ >> shift) % 16];
    return digits;
  }

 private:
  /// One-to-one in the state for each word and in the word for each state: no later word undoes a difference.
  void add(std::uint64_t word) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio.
    state_ = (state_ ^ word) * kOdd;
    state_ ^= state_ >> 32;
  }

  std::uint64_t state_ = 0;
};

json to_json(const std::vector<Tensor>& tensors) {
  json list = json::array();
  for (const Tensor& tensor : tensors) {
    list.push_back({{"name", tensor.name},
                    {"type", static_cast<std::int32_t>(tensor.type)},
                    {"shape", tensor.shape},
                    {"batched", tensor.batched}});
  }
  return list;
}

json to_json(const std::vector<Layer>& layers) {
  json list = json::array();
  for (const Layer& layer : layers)
    list.push_back({{"name", layer.name}, {"type", layer.type}, {"precision", layer.precision}});
  return list;
}

const char* name_of_device(bool on_gpu) { return on_gpu ? "cuda" : "cpu"; }

const json& array_of(const json& value) {
  if (!value.is_array()) refuse("a list of its description is none");
  return value;
}

/// Not as the library's conversion, which takes fractions and truth values, too.
std::int64_t integer_of(const json& value) {
  if (!value.is_number_integer()) refuse("a number of its description is no whole one");
  return value.get<std::int64_t>();
}

/// As many elements as an address can tell apart.
bool is_shape(const std::vector<std::int64_t>& shape) {
  constexpr std::int64_t kMost = std::int64_t{1} << 48;
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || extent > kMost || (extent > 0 && elements > kMost / extent)) return false;
    elements *= extent;
  }
  return shape.size() <= VRT_BACKEND_MAX_RANK;
}

ONNXTensorElementDataType type_of(const json& value) {
  const std::int64_t type = integer_of(value);
  if (type < 0 || type > ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16)
    refuse("it has an element type " + std::to_string(type) + ", which vrt does not know");
  return static_cast<ONNXTensorElementDataType>(type);
}

Tensor read_tensor(const json& object, std::int64_t largest_batch) {
  Tensor tensor;
  tensor.name = object.at("name").get<std::string>();
  tensor.type = type_of(object.at("type"));
  for (const json& extent : array_of(object.at("shape"))) tensor.shape.push_back(integer_of(extent));
  tensor.batched = object.at("batched").get<bool>();
  const auto dtype = to_dtype(tensor.type);
  const bool has_batch = !tensor.batched || (!tensor.shape.empty() && tensor.shape[0] == largest_batch);
  if (!dtype || !is_shape(tensor.shape) || !has_batch)
    refuse("it describes a tensor '" + tensor.name + "' that it cannot have");
  tensor.dtype = static_cast<std::int32_t>(*dtype);
  return tensor;
}

std::vector<Tensor> read_tensors(const json& list, std::int64_t largest_batch) {
  std::vector<Tensor> tensors;
  std::set<std::string> names;
  for (const json& object : array_of(list)) {
    tensors.push_back(read_tensor(object, largest_batch));
    if (!names.insert(tensors.back().name).second) refuse("it has two tensors '" + tensors.back().name + "'");
  }
  return tensors;
}

std::vector<Layer> read_layers(const json& list) {
  std::vector<Layer> layers;
  for (const json& object : array_of(list)) {
    Layer& layer = layers.emplace_back();
    layer.name = object.at("name").get<std::string>();
    layer.type = object.at("type").get<std::string>();
    layer.precision = object.at("precision").get<std::string>();
  }
  return layers;
}

void require_target(const json& object, const BlobTarget& target) {
  const auto library = object.at("library").get<std::string>();
  const auto device = object.at("device").get<std::string>();
  if (library != target.library) refuse("it was optimised by ONNX Runtime " + library + ", this is " + target.library);
  if (device != name_of_device(target.on_gpu))
    refuse("it was optimised for '" + device + "', this is '" + name_of_device(target.on_gpu) + "'");
}

ParsedBlob read(std::string_view description, std::string_view model, const BlobTarget& target,
                std::int64_t largest_batch) {
  try {
    const json object = json::parse(description);
    require_target(object, target);
    const std::int64_t bytes = integer_of(object.at("model_bytes"));
    if (!std::in_range<std::size_t>(bytes) || static_cast<std::size_t>(bytes) != model.size())
      refuse("it has " + std::to_string(model.size()) + " bytes of model, " + std::to_string(bytes) + " were written");
    return {{read_tensors(object.at("inputs"), largest_batch), read_tensors(object.at("outputs"), largest_batch)},
            read_layers(object.at("layers")),
            model};
  } catch (const json::exception& problem) {
    refuse(std::string("its description is damaged: ") + problem.what());
  }
}

}  // namespace

std::string blob_header(const Signature& signature, const std::vector<Layer>& layers, const BlobTarget& target,
                        std::string_view model) {
  std::string description;
  try {
    description = json{{"library", target.library},           {"device", name_of_device(target.on_gpu)},
                       {"inputs", to_json(signature.inputs)}, {"outputs", to_json(signature.outputs)},
                       {"layers", to_json(layers)},           {"model_bytes", model.size()}}
                      .dump();
  } catch (const json::exception& problem) {
    throw Failure(VRT_BACKEND_UNSUPPORTED, std::string("the network cannot be described: ") + problem.what());
  }
  description += '\n';
  return first_line(description, model) + description;
}

std::string first_line(std::string_view description, std::string_view model) {
  Checksum checksum;
  checksum.update(description);
  checksum.update(model);
  return std::string(kFirstWords) + checksum.text() + "\n";
}

ParsedBlob parse_blob(std::string_view bytes, const BlobTarget& target, std::int64_t largest_batch) {
  if (bytes.substr(0, kFirstWords.size()) != kFirstWords)
    refuse("it is not what vrt's module for ONNX Runtime wrote, or of another version of vrt");
  const std::size_t begin = bytes.find('\n') + 1;  // 0 where there is none.
  const std::size_t end = begin == 0 ? begin : bytes.find('\n', begin) + 1;
  if (end == 0) refuse("it ends within its description");
  const std::string_view description = bytes.substr(begin, end - begin);
  const std::string_view model = bytes.substr(end);
  if (bytes.substr(0, begin) != first_line(description, model)) refuse("it is damaged: its checksum is another one");
  return read(description, model, target, largest_batch);
}

}  // namespace vrt::onnxruntime
