// Internal: from a model file to a compiled network, with vrt's rules on shapes, types and precision.
#pragma once

#include <openvino/openvino.hpp>

#include <string>
#include <vector>

#include "vrt/engine/backend_abi.h"

namespace vrt::openvino {

/// An input or output as the bridge describes it.
struct Tensor {
  std::string name;
  ov::element::Type type;
  ov::Shape shape;
  std::int32_t dtype = 0;
};

struct Network {
  ov::CompiledModel compiled;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

/// Reads, reshapes and compiles for the CPU. Throws backend::Failure: CORRUPT (not a model), INVALID_ARGUMENT (names,
/// shapes, unresolved dimensions), UNSUPPORTED (operators, element types, another device).
[[nodiscard]] Network open_network(ov::Core& core, const VrtBackendEngineOptions& options);

}  // namespace vrt::openvino
