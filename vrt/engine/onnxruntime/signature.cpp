#include "vrt/engine/onnxruntime/signature.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "vrt/engine/backend_support.h"
#include "vrt/engine/onnxruntime/ort.h"

namespace vrt::onnxruntime {
namespace {

using backend::Failure;
using Shape = std::vector<std::int64_t>;

/// Gives the index-th name of a session as its copy.
template <typename GetName>
std::string name_of(const OrtApi& api, const OrtSession& session, GetName get_name, std::size_t index) {
  OrtAllocator* allocator = nullptr;
  check(api, api.GetAllocatorWithDefaultOptions(&allocator), Stage::kCall);
  char* name = nullptr;
  check(api, get_name(&session, index, allocator, &name), Stage::kCall);
  std::string copy(name);
  check(api, api.AllocatorFree(allocator, name), Stage::kCall);
  return copy;
}

/// Type and shape of a tensor's description; open dimensions become -1.
void read_type(const OrtApi& api, const OrtTypeInfo& type, const char* kind, Tensor& tensor) {
  const OrtTensorTypeAndShapeInfo* info = nullptr;
  check(api, api.CastTypeInfoToTensorInfo(&type, &info), Stage::kCall);
  if (info == nullptr) {
    throw Failure(VRT_BACKEND_UNSUPPORTED, std::string(kind) + " '" + tensor.name +
                                               "' is a sequence, a map or an optional: vrt has tensors only");
  }
  check(api, api.GetTensorElementType(info, &tensor.type), Stage::kCall);
  std::size_t rank = 0;
  check(api, api.GetDimensionsCount(info, &rank), Stage::kCall);
  tensor.shape.resize(rank);
  check(api, api.GetDimensions(info, tensor.shape.data(), rank), Stage::kCall);
  const auto dtype = to_dtype(tensor.type);
  if (!dtype || rank > VRT_BACKEND_MAX_RANK) {
    throw Failure(VRT_BACKEND_UNSUPPORTED, std::string(kind) + " '" + tensor.name + "' is " + text_of(tensor.shape) +
                                               " of ONNX's element type " + std::to_string(tensor.type) +
                                               ": vrt has no such tensors");
  }
  tensor.dtype = static_cast<std::int32_t>(*dtype);
}

template <typename GetName, typename GetType>
std::vector<Tensor> read_tensors(const OrtApi& api, const OrtSession& session, std::size_t count, const char* kind,
                                 GetName get_name, GetType get_type) {
  std::vector<Tensor> tensors;
  for (std::size_t index = 0; index < count; ++index) {
    Tensor& tensor = tensors.emplace_back();
    tensor.name = name_of(api, session, get_name, index);
    const auto type = make<OrtTypeInfo>(api, api.ReleaseTypeInfo, Stage::kCall,
                                        [&](OrtTypeInfo** out) { return get_type(&session, index, out); });
    read_type(api, *type, kind, tensor);
  }
  return tensors;
}

std::string listed(const std::vector<Tensor>& tensors) {
  std::string text;
  for (const Tensor& tensor : tensors)
    text += (text.empty() ? "'" : ", '") + tensor.name + "' " + text_of(tensor.shape);
  return text;
}

/// Gives a shape that was asked for to the dimensions that the file leaves open. Those that it declares have been changed in
/// the file by now: ONNX Runtime takes no others.
void take_shape(std::vector<Tensor>& inputs, const VrtBackendInputShape& wanted) {
  const std::string name = wanted.name;
  const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const Tensor& input) {
    return input.name == name || (name.empty() && inputs.size() == 1);
  });
  if (found == inputs.end()) {
    const std::string reason =
        name.empty() ? "\"\" stands for the only input, and there are several" : "there is no input '" + name + "'";
    throw Failure(VRT_BACKEND_INVALID_ARGUMENT, reason + "; inputs: " + listed(inputs));
  }
  const Shape shape(wanted.extents, wanted.extents + wanted.rank);
  const bool fits = std::equal(shape.begin(), shape.end(), found->shape.begin(), found->shape.end(),
                               [](std::int64_t asked, std::int64_t held) { return held < 0 || asked == held; });
  if (!fits) {
    throw Failure(VRT_BACKEND_INVALID_ARGUMENT, "input '" + found->name + "' is " + text_of(found->shape) +
                                                    " in the file, and ONNX Runtime cannot make it " + text_of(shape));
  }
  found->shape = shape;
}

std::string unknown_dimensions(const Shape& shape) {
  std::string indices;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0) indices += (indices.empty() ? "" : ", ") + std::to_string(i);
  }
  return "dimension " + indices + " is not known";
}

/// Gives open first extents to the batch, and refuses what stays open.
void close_inputs(std::vector<Tensor>& inputs, const Settings& settings) {
  const std::string before = listed(inputs);
  bool any_batched = false;
  for (Tensor& input : inputs) {
    input.batched = settings.batch_largest > 0 && !input.shape.empty() && input.shape[0] < 0;
    if (input.batched) input.shape[0] = settings.batch_largest;
    any_batched = any_batched || input.batched;
    if (std::all_of(input.shape.begin(), input.shape.end(), [](std::int64_t extent) { return extent >= 0; })) continue;
    throw Failure(VRT_BACKEND_INVALID_ARGUMENT, "input '" + input.name + "' is " + text_of(input.shape) + ": " +
                                                    unknown_dimensions(input.shape) + "; give a shape for it");
  }
  if (settings.batch_largest == 0 || any_batched) return;
  throw Failure(VRT_BACKEND_INVALID_ARGUMENT,
                "a changing batch was asked for, but no input leaves its first dimension open; inputs: " + before);
}

}  // namespace

Shape Tensor::shape_at(std::int64_t batch) const {
  Shape at = shape;
  if (batched) at[0] = batch;
  return at;
}

std::uint64_t Tensor::bytes() const { return element_count(shape) * element_bytes(type); }

std::string text_of(const Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape)
    text += (text.empty() ? "" : ",") + (extent < 0 ? "?" : std::to_string(extent));
  return "[" + text + "]";
}

std::uint64_t element_count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, [](std::uint64_t product, std::int64_t extent) {
    return product * static_cast<std::uint64_t>(extent);
  });
}

Signature read_signature(const OrtApi& api, const OrtSession& session, const Settings& settings,
                         const VrtBackendEngineOptions& options) {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  check(api, api.SessionGetInputCount(&session, &inputs), Stage::kCall);
  check(api, api.SessionGetOutputCount(&session, &outputs), Stage::kCall);
  Signature signature{
      read_tensors(api, session, inputs, "input", api.SessionGetInputName, api.SessionGetInputTypeInfo),
      read_tensors(api, session, outputs, "output", api.SessionGetOutputName, api.SessionGetOutputTypeInfo)};
  for (std::uint64_t i = 0; i < options.input_shape_count; ++i) take_shape(signature.inputs, options.input_shapes[i]);
  close_inputs(signature.inputs, settings);
  return signature;
}

}  // namespace vrt::onnxruntime
