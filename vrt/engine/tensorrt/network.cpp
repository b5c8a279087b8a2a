#include "vrt/engine/tensorrt/network.h"

#include <algorithm>
#include <cstddef>

#include "vrt/engine/backend_support.h"
#include "vrt/engine/tensorrt/element_type.h"
#include "vrt/engine/tensorrt/layer_text.h"
#include "vrt/engine/tensorrt/log_relay.h"

namespace vrt::tensorrt {
namespace {

using backend::Failure;
using nvinfer1::Dims;
using nvinfer1::ICudaEngine;
using nvinfer1::OptProfileSelector;
using nvinfer1::TensorIOMode;

constexpr std::uint64_t kElementBytes[] = {0, 4, 2, 2, 1, 1, 4, 8, 1};  // Of vrt::DType.

std::string described(const char* kind, const char* name, const Dims& shape) {
  return std::string(kind) + " '" + name + "' is " + to_text(shape);
}

[[noreturn]] void refuse(const std::string& text) { throw Failure(VRT_BACKEND_UNSUPPORTED, text); }

/// `shape` is at the largest batch, with nothing open.
Tensor describe(const ICudaEngine& engine, const char* kind, const char* name, const Dims& shape, bool batched) {
  const auto dtype = to_dtype(engine.getTensorDataType(name));
  if (!dtype || shape.nbDims > VRT_BACKEND_MAX_RANK)
    refuse(described(kind, name, shape) + " of an element type or rank that vrt does not have");
  if (engine.getTensorLocation(name) != nvinfer1::TensorLocation::kDEVICE)
    refuse(described(kind, name, shape) + " and holds a shape, which " + kProduct +
           " takes from the host's memory: vrt binds device memory alone");
  Tensor tensor{name, static_cast<std::int32_t>(*dtype), {shape.d, shape.d + shape.nbDims}, batched};
  tensor.bytes = kElementBytes[tensor.dtype];
  for (const std::int64_t extent : tensor.extents) tensor.bytes *= static_cast<std::uint64_t>(extent);
  return tensor;
}

Tensor describe_input(Network& network, const char* name) {
  const ICudaEngine& engine = *network.engine;
  const Dims shape = engine.getTensorShape(name);
  if (is_known_from(shape, 0)) return describe(engine, "input", name, shape, false);
  const Dims largest = engine.getProfileShape(name, 0, OptProfileSelector::kMAX);
  const Dims smallest = engine.getProfileShape(name, 0, OptProfileSelector::kMIN);
  const bool sound =
      shape.nbDims > 0 && is_known_from(shape, 1) && largest.nbDims == shape.nbDims && smallest.nbDims == shape.nbDims;
  if (!sound) refuse(described("input", name, shape) + ": " + unknown_dimensions(shape));
  network.smallest_batch = smallest.d[0];
  network.largest_batch = largest.d[0];
  return describe(engine, "input", name, largest, true);
}

/// What outputs come to at one batch. Takes no device memory.
class ShapesAtBatch {
 public:
  ShapesAtBatch(const Network& network, std::int64_t batch) {
    const ErrorNotes notes;
    context_.reset(network.engine->createExecutionContext(nvinfer1::ExecutionContextAllocationStrategy::kUSER_MANAGED));
    if (context_ == nullptr) throw notes.failure("the sizes of outputs cannot be told");
    for (const Tensor& input : network.inputs) {
      if (!input.batched) continue;
      Dims shape = network.engine->getTensorShape(input.name.c_str());
      shape.d[0] = batch;
      if (!context_->setInputShape(input.name.c_str(), shape))
        throw notes.failure("the batch " + std::to_string(batch) + " is not taken");
    }
  }
  [[nodiscard]] Dims operator()(const char* name) const { return context_->getTensorShape(name); }

 private:
  std::unique_ptr<nvinfer1::IExecutionContext> context_;
};

/// An output of changing size: its first extent has to be the batch of the run.
Tensor describe_batched_output(const Network& network, const char* name) {
  const Dims shape = network.engine->getTensorShape(name);
  const auto unheld = [&] {
    refuse(described("output", name, shape) + ": " + unknown_dimensions(shape) +
           " though every input is, or does not follow the batch; such an output cannot be held");
  };
  if (network.largest_batch == 0 || shape.nbDims < 1 || !is_known_from(shape, 1)) unheld();
  const Dims largest = ShapesAtBatch(network, network.largest_batch)(name);
  const Dims smallest = ShapesAtBatch(network, network.smallest_batch)(name);
  const bool follows = largest.nbDims == shape.nbDims && largest.d[0] == network.largest_batch &&
                       smallest.nbDims == shape.nbDims && smallest.d[0] == network.smallest_batch;
  if (!follows) unheld();
  return describe(*network.engine, "output", name, largest, true);
}

Tensor describe_output(const Network& network, const char* name) {
  const Dims shape = network.engine->getTensorShape(name);
  return is_known_from(shape, 0) ? describe(*network.engine, "output", name, shape, false)
                                 : describe_batched_output(network, name);
}

void describe_tensors(Network& network) {
  const ICudaEngine& engine = *network.engine;
  for (int i = 0; i < engine.getNbIOTensors(); ++i) {
    const char* const name = engine.getIOTensorName(i);
    if (engine.getTensorIOMode(name) == TensorIOMode::kINPUT) network.inputs.push_back(describe_input(network, name));
  }
  for (int i = 0; i < engine.getNbIOTensors(); ++i) {
    const char* const name = engine.getIOTensorName(i);
    if (engine.getTensorIOMode(name) == TensorIOMode::kOUTPUT)
      network.outputs.push_back(describe_output(network, name));
  }
}

/// The weights alone where this version of TensorRT tells, else the whole plan.
template <typename Engine>
std::uint64_t weights_bytes(const Engine& engine, std::uint64_t plan_bytes) {
  // EngineStat's first is the size of all weights; older headers lack the type's name as well.
  if constexpr (requires { engine.getEngineStat({}); }) {
    if (const std::int64_t bytes = engine.getEngineStat({}); bytes > 0) return static_cast<std::uint64_t>(bytes);
  }
  return plan_bytes;
}

/// A damaged plan is built again; a GPU that fails is not the plan's fault.
std::int32_t status_of_refusal(const ErrorNotes& notes) {
  const std::string reason = notes.reason();
  const bool of_gpu = reason.find("cudaError") != std::string::npos ||
                      reason.find("Cuda Runtime") != std::string::npos ||
                      reason.find("Cuda Driver") != std::string::npos;
  return of_gpu ? VRT_BACKEND_FAILED : VRT_BACKEND_CORRUPT;
}

}  // namespace

Network load_network(const Library& library, const void* plan, std::size_t bytes) {
  Network network;
  network.runtime = library.create_runtime();
  const ErrorNotes notes;
  network.engine.reset(network.runtime->deserializeCudaEngine(plan, bytes));
  if (network.engine == nullptr)
    throw notes.failure(std::string(kProduct) + " does not take the engine", status_of_refusal(notes));
  network.plan_bytes = bytes;
  describe_tensors(network);
  return network;
}

std::unique_ptr<nvinfer1::IHostMemory> serialize(const Network& network) {
  const ErrorNotes notes;
  std::unique_ptr<nvinfer1::IHostMemory> plan(network.engine->serialize());
  if (plan == nullptr) throw notes.failure("the engine does not serialise");
  return plan;
}

std::string describe_network(const Network& network) {
  const ErrorNotes notes;
  const std::unique_ptr<nvinfer1::IEngineInspector> inspector(network.engine->createEngineInspector());
  const char* const text =
      inspector ? inspector->getEngineInformation(nvinfer1::LayerInformationFormat::kONELINE) : nullptr;
  if (text == nullptr) throw notes.failure("the engine cannot be inspected");
  std::string layers;
  for (const Layer& layer : parse_layers(text))
    backend::add_layer_json(layers, layer.name, layer.type, layer.precision);
  return "{\"layers\": [" + layers +
         "], \"weights_bytes\": " + std::to_string(weights_bytes(*network.engine, network.plan_bytes)) +
         ", \"activation_bytes\": " + std::to_string(network.engine->getDeviceMemorySizeV2()) + "}";
}

}  // namespace vrt::tensorrt
