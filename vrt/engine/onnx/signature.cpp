#include "vrt/engine/onnx/signature.h"

#include <algorithm>
#include <set>

#include "vrt/base/fail.h"
#include "vrt/engine/onnx/tensor.h"

namespace vrt::onnx {
namespace {

using ValueShape = vrt_onnx::TensorShapeProto;
using Dimension = vrt_onnx::TensorShapeProto::Dimension;

/// Exporters write open extents as symbols, as nothing, as -1 and as 0.
bool is_open(const Dimension& dimension) { return !dimension.has_dim_value() || dimension.dim_value() < 1; }

bool has_shape(const ValueInfo& value) { return value.type().tensor_type().has_shape(); }

const ValueShape& shape_of(const ValueInfo& value) { return value.type().tensor_type().shape(); }

std::string shape_text(const ValueInfo& value) {
  if (!has_shape(value)) return "of unknown rank";
  std::string text;
  for (const Dimension& dimension : shape_of(value).dim()) {
    const std::string symbol = dimension.dim_param().empty() ? "?" : dimension.dim_param();
    text += (text.empty() ? "" : ", ") + (is_open(dimension) ? symbol : std::to_string(dimension.dim_value()));
  }
  return "[" + text + "]";
}

std::string listed(const Graph& graph) {
  std::string names;
  for (const ValueInfo& input : graph.input()) {
    names += fmt::format("{}'{}' {}", names.empty() ? "" : ", ", input.name(), shape_text(input));
  }
  return names;
}

ValueInfo& find_input(Graph& graph, const std::string& name) {
  if (name.empty() && graph.input_size() == 1) return *graph.mutable_input(0);
  if (name.empty()) {
    fail(ErrorCode::kInvalidArgument, "\"\" stands for the only input, and there are {}; inputs: {}",
         graph.input_size(), listed(graph));
  }
  for (ValueInfo& input : *graph.mutable_input()) {
    if (input.name() == name) return input;
  }
  fail(ErrorCode::kInvalidArgument, "there is no input '{}'; inputs: {}", name, listed(graph));
}

/// True if that changed something.
bool set_extent(Dimension& dimension, std::int64_t extent) {
  if (extent == Shape::kDynamic) {
    const bool was_open = is_open(dimension);
    if (!was_open) dimension.Clear();
    return !was_open;
  }
  if (dimension.has_dim_value() && dimension.dim_value() == extent) return false;
  dimension.set_dim_value(extent);
  return true;
}

bool set_shape(ValueInfo& input, const Shape& shape) {
  const bool had_shape = has_shape(input);
  ValueShape& declared = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
  if (had_shape && declared.dim_size() != static_cast<int>(shape.rank())) {
    fail(ErrorCode::kInvalidArgument, "input '{}' is {}; the shape {} has another rank", input.name(),
         shape_text(input), to_string(shape));
  }
  bool changed = !had_shape;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    Dimension& dimension = had_shape ? *declared.mutable_dim(static_cast<int>(axis)) : *declared.add_dim();
    changed |= set_extent(dimension, shape.extents()[axis]);
  }
  return changed;
}

bool set_shapes(Graph& graph, const std::map<std::string, Shape>& shapes) {
  bool changed = false;
  std::set<std::string> given;
  for (const auto& [name, shape] : shapes) {
    ValueInfo& input = find_input(graph, name);
    require(given.insert(input.name()).second, "input '{}' is given two shapes", input.name());
    require(input.type().has_tensor_type(), "input '{}' is no tensor: it takes no shape", input.name());
    changed |= set_shape(input, shape);
  }
  return changed;
}

bool opens_batch(const ValueInfo& input) {
  return has_shape(input) && shape_of(input).dim_size() > 0 && is_open(shape_of(input).dim(0));
}

void open_batch(Graph& graph) {
  bool any = false;
  for (ValueInfo& input : *graph.mutable_input()) {
    if (!opens_batch(input)) continue;
    any = true;
    input.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param(kBatchSymbol);
  }
  require(any, "a changing batch was asked for, but no input leaves its first dimension open; inputs: {}",
          listed(graph));
}

std::string open_dimensions(const ValueInfo& input, bool with_batch) {
  std::string indices;
  for (int axis = with_batch ? 1 : 0; axis < shape_of(input).dim_size(); ++axis) {
    if (is_open(shape_of(input).dim(axis))) indices += (indices.empty() ? "" : ", ") + std::to_string(axis);
  }
  return indices;
}

void require_resolved(const Graph& graph, bool with_batch) {
  for (const ValueInfo& input : graph.input()) {
    if (!input.type().has_tensor_type()) continue;
    require(has_shape(input), "input '{}' is {}; give a shape for it", input.name(), shape_text(input));
    const std::string open = open_dimensions(input, with_batch);
    require(open.empty(), "input '{}' is {}: dimension {} is not known; give a shape for it", input.name(),
            shape_text(input), open);
  }
}

void open_all(ValueInfo& value) {
  if (!has_shape(value)) return;
  for (Dimension& dimension : *value.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim()) {
    dimension.Clear();
  }
}

/// Shapes that were written for other inputs: those of outputs, and all inside subgraphs.
void drop_shapes(Graph& graph) {
  for_each_graph(graph, [&](Graph& inner) {
    inner.clear_value_info();
    for (ValueInfo& output : *inner.mutable_output()) open_all(output);
    if (&inner == &graph) return;
    for (ValueInfo& input : *inner.mutable_input()) open_all(input);
  });
}

Shape extents_of(const ValueInfo& value, const char* kind) {
  std::vector<std::int64_t> extents;
  for (const Dimension& dimension : shape_of(value).dim()) {
    extents.push_back(is_open(dimension) ? Shape::kDynamic : dimension.dim_value());
  }
  if (extents.size() > Shape::kMaxRank) {
    fail(ErrorCode::kUnsupported, "{} '{}' has rank {}: vrt has no tensors above rank {}", kind, value.name(),
         extents.size(), Shape::kMaxRank);
  }
  return Shape(extents);
}

TensorInfo describe_value(const ValueInfo& value, const char* kind) {
  const std::int32_t type = value.type().tensor_type().elem_type();
  const std::optional<DType> dtype = to_dtype(type);
  if (!dtype) {
    const std::string found = value.type().has_tensor_type() ? "a tensor of " + type_name(type) : "no tensor";
    fail(ErrorCode::kUnsupported, "{} '{}' is {}: vrt has no such tensors", kind, value.name(), found);
  }
  return {value.name(), *dtype, extents_of(value, kind)};
}

}  // namespace

std::vector<TensorInfo> describe_values(const google::protobuf::RepeatedPtrField<ValueInfo>& values, const char* kind) {
  std::vector<TensorInfo> infos;
  for (const ValueInfo& value : values) infos.push_back(describe_value(value, kind));
  return infos;
}

void set_input_shapes(Model& model, const EngineOptions& options) {
  Graph& graph = *model.mutable_graph();
  const bool with_batch = options.batch.largest > 0;
  const bool changed = set_shapes(graph, options.input_shapes);
  if (with_batch) open_batch(graph);
  require_resolved(graph, with_batch);
  if (!changed && !with_batch) return;
  drop_shapes(graph);
}

}  // namespace vrt::onnx
