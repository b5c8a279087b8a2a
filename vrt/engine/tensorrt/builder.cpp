#include "vrt/engine/tensorrt/builder.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "vrt/engine/tensorrt/element_type.h"
#include "vrt/engine/tensorrt/log_relay.h"
#include "vrt/engine/tensorrt/onnx_parser.h"
#include "vrt/engine/tensorrt/progress_relay.h"
#include "vrt/engine/tensorrt/timing_cache.h"

namespace vrt::tensorrt {
namespace {

using backend::Failure;
using nvinfer1::Dims;
using nvinfer1::ITensor;

/// Types of tensors are the model's, on every version: TensorRT 11 and TensorRT-RTX know no others, TensorRT 10 has to be told.
nvinfer1::NetworkDefinitionCreationFlags network_flags() {
#if NV_TENSORRT_MAJOR < 11
  return 1U << static_cast<std::uint32_t>(nvinfer1::NetworkDefinitionCreationFlag::kSTRONGLY_TYPED);
#else
  return 0;
#endif
}

std::string described(const char* kind, const ITensor& tensor) {
  return std::string(kind) + " '" + tensor.getName() + "' is " + to_text(tensor.getDimensions());
}

/// Where a batch changes: all but the first extent are known.
bool follows_batch(const Dims& shape, const VrtBackendEngineOptions& options) {
  return options.batch_largest > 0 && shape.nbDims > 0 && shape.d[0] < 0 && is_known_from(shape, 1);
}

void require_resolved(const nvinfer1::INetworkDefinition& network, const VrtBackendEngineOptions& options) {
  bool batched = false;
  for (int i = 0; i < network.getNbInputs(); ++i) {
    const ITensor& input = *network.getInput(i);
    const Dims shape = input.getDimensions();
    batched = batched || follows_batch(shape, options);
    if (is_known_from(shape, 0) || follows_batch(shape, options)) continue;
    throw Failure(VRT_BACKEND_INVALID_ARGUMENT,
                  described("input", input) + ": " + unknown_dimensions(shape) + "; give a shape for it");
  }
  if (options.batch_largest > 0 && !batched)
    throw Failure(VRT_BACKEND_INVALID_ARGUMENT,
                  "a changing batch was asked for, but no input leaves its first dimension open");
  for (int i = 0; i < network.getNbOutputs(); ++i) {
    const ITensor& output = *network.getOutput(i);
    const Dims shape = output.getDimensions();
    if (is_known_from(shape, 0) || follows_batch(shape, options)) continue;
    throw Failure(VRT_BACKEND_UNSUPPORTED,
                  described("output", output) + ": " + unknown_dimensions(shape) +
                      " though every input is; an output whose size depends on data cannot be held");
  }
}

const ITensor& find_input(const nvinfer1::INetworkDefinition& network, const std::string& name) {
  if (name.empty() && network.getNbInputs() == 1) return *network.getInput(0);
  std::string names;
  for (int i = 0; i < network.getNbInputs(); ++i) {
    if (name == network.getInput(i)->getName()) return *network.getInput(i);
    names += (i == 0 ? "'" : ", '") + std::string(network.getInput(i)->getName()) + "'";
  }
  const std::string wanted =
      name.empty() ? "\"\" stands for the only input, and there is not one" : "there is no input '" + name + "'";
  throw Failure(VRT_BACKEND_INVALID_ARGUMENT, wanted + "; inputs: " + names);
}

/// vrt writes the shapes that were asked for into the file; here they can only be compared.
void require_shapes(const nvinfer1::INetworkDefinition& network, const VrtBackendEngineOptions& options) {
  for (std::uint64_t i = 0; i < options.input_shape_count; ++i) {
    const VrtBackendInputShape& wanted = options.input_shapes[i];
    const ITensor& input = find_input(network, wanted.name);
    const Dims shape = input.getDimensions();
    if (static_cast<std::int64_t>(wanted.rank) == shape.nbDims &&
        std::equal(shape.d, shape.d + shape.nbDims, wanted.extents))
      continue;
    throw Failure(VRT_BACKEND_INVALID_ARGUMENT,
                  described("input", input) + " in the file; " + kProduct +
                      " gives it no other shape: write the shape into the ONNX file first");
  }
}

/// The name of the first layer that computes in less than float32, and the type; nothing where none does.
std::optional<std::string> find_reduced(const nvinfer1::INetworkDefinition& network) {
  for (int i = 0; i < network.getNbLayers(); ++i) {
    const nvinfer1::ILayer& layer = *network.getLayer(i);
    for (int k = 0; k < layer.getNbOutputs(); ++k) {
      const ITensor* const output = layer.getOutput(k);
      if (output != nullptr && is_reduced(output->getType())) return layer.getName();
    }
  }
  return std::nullopt;
}

void require_precision(const nvinfer1::INetworkDefinition& network, const VrtBackendEngineOptions& options) {
  const auto asked = static_cast<DType>(options.precision);
  if (asked == DType::kFloat16) return;
  if (asked != DType::kFloat32) throw Failure(VRT_BACKEND_UNSUPPORTED, "networks are compiled to float32 or float16");
  if (const auto layer = find_reduced(network)) {
    throw Failure(VRT_BACKEND_UNSUPPORTED,
                  "float32 was asked for, and layer '" + *layer +
                      "' of the model gives less: ask for float16, or take a model in float32");
  }
}

Dims with_batch(Dims shape, std::int64_t batch) {
  shape.d[0] = batch;
  return shape;
}

/// The range of batches as TensorRT's optimisation profile; nothing where no extent is open.
void add_profile(nvinfer1::IBuilder& builder, nvinfer1::IBuilderConfig& config,
                 const nvinfer1::INetworkDefinition& network, const VrtBackendEngineOptions& options) {
  using Selector = nvinfer1::OptProfileSelector;
  if (options.batch_largest == 0) return;
  const ErrorNotes notes;
  nvinfer1::IOptimizationProfile* const profile = builder.createOptimizationProfile();  // The builder's.
  if (profile == nullptr) throw notes.failure("no optimisation profile is made");
  bool taken = true;
  for (int i = 0; i < network.getNbInputs(); ++i) {
    const ITensor& input = *network.getInput(i);
    const Dims shape = input.getDimensions();
    if (is_known_from(shape, 0)) continue;
    taken = taken &&
            profile->setDimensions(input.getName(), Selector::kMIN, with_batch(shape, options.batch_smallest)) &&
            profile->setDimensions(input.getName(), Selector::kOPT, with_batch(shape, options.batch_typical)) &&
            profile->setDimensions(input.getName(), Selector::kMAX, with_batch(shape, options.batch_largest));
  }
  if (!taken || config.addOptimizationProfile(profile) < 0)
    throw notes.failure("the batches " + std::to_string(options.batch_smallest) + " to " +
                        std::to_string(options.batch_largest) + " are not taken");
}

void apply(const VrtBackendEngineOptions& options, nvinfer1::IBuilderConfig& config) {
  config.clearFlag(nvinfer1::BuilderFlag::kTF32);  // It rounds the inputs of float32 layers to ten bits.
  config.setProfilingVerbosity(
      nvinfer1::ProfilingVerbosity::kDETAILED);  // Else the layers' precision cannot be read back.
  if (options.workspace_bytes > 0)
    config.setMemoryPoolLimit(nvinfer1::MemoryPoolType::kWORKSPACE, options.workspace_bytes);
  if (options.optimization_level >= 0) config.setBuilderOptimizationLevel(options.optimization_level);
  // TensorRT-RTX's plans run on every GPU from Ampere on as they are, and it has no such setting.
  if (options.hardware_compatible != 0 && !kIsRtx)
    config.setHardwareCompatibilityLevel(nvinfer1::HardwareCompatibilityLevel::kAMPERE_PLUS);
}

template <typename Interface>
std::unique_ptr<Interface> made(Interface* made, const char* what, const ErrorNotes& notes) {
  if (made == nullptr) throw notes.failure(std::string("no ") + what + " is made");
  return std::unique_ptr<Interface>(made);
}

}  // namespace

std::unique_ptr<nvinfer1::IHostMemory> build_plan(const Library& library, const VrtBackendEngineOptions& options,
                                                  const backend::Logger& logger) {
  // In the order in which they need each other: they go in the reverse one.
  const ErrorNotes notes;
  const auto builder = library.create_builder();
  const auto network = made(builder->createNetworkV2(network_flags()), "network", notes);
  const auto parser = parse_onnx(library, *network, options.model_path);
  require_shapes(*network, options);
  require_resolved(*network, options);
  require_precision(*network, options);
  ProgressRelay progress(options.progress, options.progress_user);
  const auto config = made(builder->createBuilderConfig(), "builder configuration", notes);
  apply(options, *config);
  add_profile(*builder, *config, *network, options);
  if (options.progress != nullptr) config->setProgressMonitor(&progress);
  const std::string cache_path = options.timing_cache_path != nullptr ? options.timing_cache_path : "";
  const auto cache = cache_path.empty() ? nullptr : open_timing_cache(*config, cache_path, logger);
  const ErrorNotes build_notes;
  std::unique_ptr<nvinfer1::IHostMemory> plan(builder->buildSerializedNetwork(*network, *config));
  if (progress.is_cancelled()) throw Failure(VRT_BACKEND_CANCELLED, "the build was cancelled");
  if (plan == nullptr) throw build_notes.failure("the network does not build");
  if (cache != nullptr) save_timing_cache(*cache, cache_path, logger);
  return plan;
}

}  // namespace vrt::tensorrt
