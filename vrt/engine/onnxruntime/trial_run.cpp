#include "vrt/engine/onnxruntime/trial_run.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "vrt/engine/backend_support.h"
#include "vrt/engine/onnxruntime/ort.h"

namespace vrt::onnxruntime {
namespace {

using backend::Failure;
using Shape = std::vector<std::int64_t>;
using Bytes = std::vector<std::byte>;

template <typename T>
void fill_with(Bytes& bytes, const T& first, const T& second) {
  for (std::size_t at = 0, index = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T), ++index) {
    std::memcpy(bytes.data() + at, index % 3 == 0 ? &first : &second, sizeof(T));
  }
}

void fill_with_pattern(Bytes& bytes, ONNXTensorElementDataType type) {
  switch (type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT: return fill_with(bytes, -0.75F, 0.5F);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16: return fill_with<std::uint16_t>(bytes, 0xba00, 0x3800);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16: return fill_with<std::uint16_t>(bytes, 0xbf40, 0x3f00);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64: return fill_with<std::int64_t>(bytes, 1, 1);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32: return fill_with<std::int32_t>(bytes, 1, 1);
    default: return fill_with<std::uint8_t>(bytes, 1, 1);
  }
}

/// Inputs of one run, with the memory that they stand on.
struct HostInputs {
  std::vector<Bytes> memory;
  std::vector<Handle<OrtValue>> values;
  std::vector<const OrtValue*> pointers;
  std::vector<const char*> names;
};

HostInputs make_inputs(const OrtApi& api, const std::vector<Tensor>& tensors, std::int64_t batch, Filling filling) {
  const auto where = make<OrtMemoryInfo>(api, api.ReleaseMemoryInfo, Stage::kCall, [&](OrtMemoryInfo** out) {
    return api.CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, out);
  });
  HostInputs inputs;
  for (const Tensor& tensor : tensors) {
    const Shape shape = tensor.shape_at(batch);
    const std::size_t bytes = element_count(shape) * element_bytes(tensor.type);
    // An empty tensor has an address, too.
    Bytes& memory = inputs.memory.emplace_back(std::max<std::size_t>(bytes, 1));
    if (filling == Filling::kPattern) fill_with_pattern(memory, tensor.type);
    inputs.values.push_back(make<OrtValue>(api, api.ReleaseValue, Stage::kCall, [&](OrtValue** out) {
      return api.CreateTensorWithDataAsOrtValue(where.get(), memory.data(), bytes, shape.data(), shape.size(),
                                                tensor.type, out);
    }));
    inputs.pointers.push_back(inputs.values.back().get());
    inputs.names.push_back(tensor.name.c_str());
  }
  return inputs;
}

Shape shape_of(const OrtApi& api, const OrtValue& value) {
  const auto info = make<OrtTensorTypeAndShapeInfo>(
      api, api.ReleaseTensorTypeAndShapeInfo, Stage::kCall,
      [&](OrtTensorTypeAndShapeInfo** out) { return api.GetTensorTypeAndShape(&value, out); });
  std::size_t rank = 0;
  check(api, api.GetDimensionsCount(info.get(), &rank), Stage::kCall);
  Shape shape(rank);
  check(api, api.GetDimensions(info.get(), shape.data(), rank), Stage::kCall);
  return shape;
}

bool is_known(const Tensor& tensor) {
  return std::all_of(tensor.shape.begin(), tensor.shape.end(), [](std::int64_t extent) { return extent >= 0; });
}

[[noreturn]] void refuse_output(const Tensor& output, const std::string& reason) {
  throw Failure(VRT_BACKEND_UNSUPPORTED, "output '" + output.name + "' is " + text_of(output.shape) + ": " + reason +
                                             "; an output whose size depends on data cannot be held");
}

/// One output's shape, by those of two runs with their batches.
void settle(Tensor& output, const Shape& first, std::int64_t first_batch, const Shape& second,
            std::int64_t second_batch) {
  const std::string found = " was " + text_of(first) + " in one trial run and " + text_of(second) + " in another";
  if (first.size() != second.size() || first.size() != output.shape.size()) refuse_output(output, "it" + found);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool follows =
        i == 0 && first_batch > 0 && output.shape[0] < 0 && first[0] == first_batch && second[0] == second_batch;
    if (!follows && first[i] != second[i]) refuse_output(output, "it" + found);
    output.batched = output.batched || follows;
  }
  output.shape = second;
}

}  // namespace

std::vector<Shape> run_once(const OrtApi& api, OrtSession& session, const Signature& signature, std::int64_t batch,
                            Filling filling) {
  const HostInputs inputs = make_inputs(api, signature.inputs, batch, filling);
  std::vector<const char*> names;
  for (const Tensor& output : signature.outputs) names.push_back(output.name.c_str());
  std::vector<OrtValue*> results(names.size());
  OrtStatus* const status = api.Run(&session, nullptr, inputs.names.data(), inputs.pointers.data(),
                                    inputs.pointers.size(), names.data(), names.size(), results.data());
  std::vector<Handle<OrtValue>> owners;
  for (OrtValue* result : results) owners.emplace_back(result, Releaser<OrtValue>{api.ReleaseValue});
  check(api, status, Stage::kRun);
  std::vector<Shape> shapes;
  for (const OrtValue* result : results) shapes.push_back(shape_of(api, *result));
  return shapes;
}

void settle_outputs(const OrtApi& api, OrtSession& session, const Settings& settings, Signature& signature) {
  const auto unknown = std::find_if_not(signature.outputs.begin(), signature.outputs.end(), is_known);
  if (unknown == signature.outputs.end()) return;
  std::vector<Shape> first;
  try {
    first = run_once(api, session, signature, settings.batch_smallest, Filling::kPattern);
  } catch (const Failure& failure) {
    if (failure.status() == VRT_BACKEND_OUT_OF_MEMORY) throw;
    refuse_output(*unknown,
                  std::string("its size could not be found out by a trial run, which failed: ") + failure.what());
  }
  const std::vector<Shape> second = run_once(api, session, signature, settings.batch_largest, Filling::kZeros);
  for (std::size_t i = 0; i < signature.outputs.size(); ++i) {
    if (is_known(signature.outputs[i])) continue;
    settle(signature.outputs[i], first[i], settings.batch_smallest, second[i], settings.batch_largest);
  }
}

}  // namespace vrt::onnxruntime
