#include "vrt/engine/onnx/model_file.h"

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "vrt/base/atomic_file.h"
#include "vrt/base/fail.h"
#include "vrt/base/read_file.h"
#include "vrt/engine/onnx/external_data.h"
#include "vrt/engine/onnx/order.h"
#include "vrt/engine/onnx/tensor.h"
#include "vrt/engine/onnx/utf8.h"

namespace vrt::onnx {
namespace {

namespace fs = std::filesystem;

/// Tensors smaller than this stay in the model's own file: backends want shapes and axes there.
constexpr std::size_t kLeastExternalBytes = 1024;
/// Weights begin at pages, so that a reader may map them.
constexpr std::int64_t kAlignment = 4096;

std::string read_bytes(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) fail(ErrorCode::kNotFound, "there is no such file");
  if (!fs::is_regular_file(file, error)) fail(ErrorCode::kCorrupt, "not a file");
  if (fs::file_size(file) == 0) fail(ErrorCode::kCorrupt, "the file is empty");
  if (fs::file_size(file) > static_cast<std::uintmax_t>(std::numeric_limits<std::int32_t>::max())) {
    fail(ErrorCode::kCorrupt, "the file has {} bytes; an ONNX file ends below 2 GB, and larger weights lie beside it",
         fs::file_size(file));
  }
  std::optional<std::string> bytes = detail::read_file(file);
  if (!bytes) fail(ErrorCode::kNotFound, "there is no such file");
  return std::move(*bytes);
}

void check_names(Model& model) {
  for_each_graph(*model.mutable_graph(), [](const Graph& graph) { check_utf8(graph); });
  for (const auto& function : model.functions()) {
    for (const Node& node : function.node()) check_utf8(node);
  }
}

std::int64_t tensor_bytes(Model& model) {
  std::int64_t bytes = 0;
  for_each_tensor(model, [&](const Tensor& tensor) { bytes += packed_bytes(tensor); });
  return bytes;
}

void set_entry(Tensor& tensor, const char* key, const std::string& value) {
  auto& entry = *tensor.add_external_data();
  entry.set_key(key);
  entry.set_value(value);
}

/// Only initialisers of the outer graph: backends read those from files, and not every one reads others.
void move_weights(Model& model, const fs::path& target) {
  AtomicFile data(target);
  std::int64_t offset = 0;
  for (Tensor& tensor : *model.mutable_graph()->mutable_initializer()) {
    if (tensor.raw_data().size() < kLeastExternalBytes) continue;
    const std::int64_t padding = (kAlignment - offset % kAlignment) % kAlignment;
    data.write(std::string(static_cast<std::size_t>(padding), '\0'));
    data.write(tensor.raw_data());
    offset += padding;
    set_entry(tensor, "location", target.filename().string());
    set_entry(tensor, "offset", std::to_string(offset));
    set_entry(tensor, "length", std::to_string(tensor.raw_data().size()));
    tensor.set_data_location(Tensor::EXTERNAL);
    offset += static_cast<std::int64_t>(tensor.raw_data().size());
    tensor.clear_raw_data();
  }
  data.commit();
}

}  // namespace

Model parse_model(const fs::path& file) {
  const std::string bytes = read_bytes(file);
  Model model;
  if (!model.ParseFromString(bytes)) {
    fail(ErrorCode::kCorrupt, "not an ONNX model: damaged, cut off, or nested too deeply");
  }
  if (!model.has_graph()) fail(ErrorCode::kCorrupt, "not an ONNX model: it has no graph");
  if (model.graph().output().empty()) fail(ErrorCode::kCorrupt, "the graph has no outputs");
  check_names(model);
  return model;
}

void remove_initializers_from_inputs(Model& model) {
  Graph& graph = *model.mutable_graph();
  std::set<std::string> given;
  for (const Tensor& tensor : graph.initializer()) given.insert(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) given.insert(tensor.values().name());
  google::protobuf::RepeatedPtrField<ValueInfo> inputs;
  for (ValueInfo& input : *graph.mutable_input()) {
    if (given.count(input.name()) == 0) inputs.Add()->Swap(&input);
  }
  graph.mutable_input()->Swap(&inputs);
  constexpr std::int64_t kFirstWithoutInputs = 4;
  if (model.ir_version() < kFirstWithoutInputs) model.set_ir_version(kFirstWithoutInputs);
}

Model read_model(const fs::path& file) {
  Model model = parse_model(file);
  model.clear_training_info();
  load_external_data(model, file.parent_path());
  for_each_tensor(model, check_tensor);
  remove_initializers_from_inputs(model);
  sort_nodes(model);
  return model;
}

void write_model(Model& model, const fs::path& target, std::int64_t most_embedded_bytes) {
  if (tensor_bytes(model) > most_embedded_bytes) move_weights(model, fs::path(target).concat(".data"));
  std::string bytes;
  if (!model.SerializeToString(&bytes)) {
    fail(ErrorCode::kUnsupported, "the model is too large for an ONNX file, even with its weights beside it");
  }
  AtomicFile file(target);
  file.write(bytes);
  file.commit();
}

}  // namespace vrt::onnx
