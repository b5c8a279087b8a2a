// Internal: a plan that TensorRT has loaded: its tensors, its layers, and its bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/engine/backend_abi.h"
#include "vrt/engine/tensorrt/library.h"

namespace vrt::tensorrt {

/// An input or output as the bridge describes it.
struct Tensor {
  std::string name;
  std::int32_t dtype = 0;
  std::vector<std::int64_t> extents;  ///< With a changing batch: at the largest.
  bool batched = false;
  std::uint64_t bytes = 0;  ///< At the largest batch.
};

/// Several execution contexts may be made of one. Destroys the engine before the runtime.
struct Network {
  std::unique_ptr<nvinfer1::IRuntime> runtime;
  std::unique_ptr<nvinfer1::ICudaEngine> engine;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::uint64_t plan_bytes = 0;
  std::int64_t smallest_batch = 0;  ///< 0: no extent changes.
  std::int64_t largest_batch = 0;
};

/// Throws backend::Failure: CORRUPT where TensorRT refuses the plan, UNSUPPORTED for tensors that vrt cannot hold (named), OUT_OF_MEMORY.
[[nodiscard]] Network load_network(const Library& library, const void* plan, std::size_t bytes);

/// TensorRT's plan. Throws backend::Failure.
[[nodiscard]] std::unique_ptr<nvinfer1::IHostMemory> serialize(const Network& network);

/// The JSON of engine_describe. Throws backend::Failure.
[[nodiscard]] std::string describe_network(const Network& network);

}  // namespace vrt::tensorrt
