// Internal: the layers of a built engine, from the text in which TensorRT describes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vrt::tensorrt {

struct Layer {
  std::string name;
  std::string type;
  std::string
      precision;  ///< As vrt::DType names it; TensorRT's own name for what vrt has none; empty where it does not tell.
};

/// The lines that begin with "Name: " of IEngineInspector's one-line format, with detailed profiling verbosity. What a layer computes in is
/// the least of the floating-point types that it takes: a layer that casts its float32 input and multiplies in float16 is float16,
/// one that ends with a cast to float16 is not.
[[nodiscard]] std::vector<Layer> parse_layers(std::string_view text);

}  // namespace vrt::tensorrt
