// Internal: from a model file to a compiled network, with vrt's rules on shapes, types and precision.
#pragma once

#include <openvino/openvino.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "vrt/engine/backend_abi.h"

namespace vrt::openvino {

/// An input or output as the bridge describes it.
struct Tensor {
  std::string name;
  ov::element::Type type;
  ov::Shape shape;
  std::int32_t dtype = 0;
  bool batched = false;  ///< The first extent follows the batch; `shape` is at the largest.
};

struct Network {
  ov::CompiledModel compiled;  // Of any batch from the smallest to the largest, where it changes.
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

/// Reads, reshapes and compiles for the CPU. Throws backend::Failure: CORRUPT (not a model), INVALID_ARGUMENT (names,
/// shapes, unresolved dimensions), UNSUPPORTED (operators, element types, another device).
[[nodiscard]] Network open_network(ov::Core& core, const VrtBackendEngineOptions& options);

/// Takes what `serialize` wrote. Throws backend::Failure: CORRUPT where OpenVINO refuses it.
[[nodiscard]] Network load_network(ov::Core& core, const VrtBackendEngineOptions& options, std::string_view bytes);
[[nodiscard]] std::string serialize(const Network& network);

/// The JSON of engine_describe, from the graph that was compiled.
[[nodiscard]] std::string describe_network(const Network& network);

}  // namespace vrt::openvino
